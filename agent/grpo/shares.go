package grpo

// shares are what each span's tokens count for in their part's aggregate, before its weight: shares[micro][example][span].
// The sums are over the whole step, so that how it is divided into micro-batches changes nothing, MicroMean apart.
type shares [][][]float64

// counted is one example's spans, and the episode that they are of.
type counted struct {
	spans   []Span
	episode int
}

func newShares(counts [][]counted, aggregate func(part int) Aggregate) shares {
	type key struct{ part, of int }
	tokens := map[int]int{}   // of a part
	inMicro := map[key]int{}  // tokens of a part in a micro-batch
	sequence := map[key]int{} // tokens of a sequence of a part
	sequences := map[int]int{}
	episodes := map[int]bool{} // of the step
	each := func(f func(m, i, j int, s Span)) {
		for m, micro := range counts {
			for i, x := range micro {
				for j, s := range x.spans {
					f(m, i, j, s)
				}
			}
		}
	}
	each(func(m, i, _ int, s Span) {
		episodes[counts[m][i].episode] = true
		n, k := s.To-s.From, key{s.Part, s.Sequence}
		tokens[s.Part] += n
		inMicro[key{s.Part, m}] += n
		if sequence[k] == 0 {
			sequences[s.Part]++
		}
		sequence[k] += n
	})
	all := make(shares, len(counts))
	for m, micro := range counts {
		all[m] = make([][]float64, len(micro))
		for i, x := range micro {
			all[m][i] = make([]float64, len(x.spans))
		}
	}
	each(func(m, i, j int, s Span) {
		var over float64
		switch aggregate(s.Part) {
		case TokenMean:
			over = float64(tokens[s.Part])
		case SequenceMean:
			over = float64(sequences[s.Part]) * float64(sequence[key{s.Part, s.Sequence}])
		case SequenceSum:
			over = float64(sequences[s.Part])
		case EpisodeSum:
			over = float64(len(episodes))
		case MicroMean:
			over = float64(len(counts)) * float64(inMicro[key{s.Part, m}])
		}
		all[m][i][j] = 1 / over
	})
	return all
}

package credit

import "fmt"

// Place names a sample in a group.
type Place struct{ Episode, Sample int }

// Anchors are the groups of samples of one task that were written for the same phase in the same state (GiGPO, eq. 6),
// in order of their first members; members go by episode, then sample. With similarity 0 states are the same if their
// texts are; else a state joins the first group whose first member it is at least so alike to, by [Ratio] as Python
// computes it for verl-agent, popular characters left out. Only samples that in says are looked at.
func Anchors(episodes []Episode, in func(Phase) bool, similarity float64) [][]Place {
	type key struct {
		phase  Phase
		anchor string
	}
	var groups [][]Place
	var firsts []key
	equal := map[key]int{}
	for i, e := range episodes {
		for j, s := range e.Samples {
			if !in(s.Phase) {
				continue
			}
			k := key{s.Phase, s.Anchor}
			g, known := equal[k]
			for f := 0; !known && similarity > 0 && f < len(firsts); f++ {
				if firsts[f].phase == k.phase && alike(k.anchor, firsts[f].anchor, similarity) {
					g, known = f, true
				}
			}
			if !known {
				g = len(groups)
				groups, firsts = append(groups, nil), append(firsts, k)
			}
			equal[k] = g // the same text goes the same way
			groups[g] = append(groups[g], Place{i, j})
		}
	}
	return groups
}

// String is for messages.
func (p Place) String() string { return fmt.Sprintf("episode %d: sample %d", p.Episode, p.Sample) }

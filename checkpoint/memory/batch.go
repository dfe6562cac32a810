package memory

// Sequences are what a micro-batch holds, packed: the tokens that each sequence computes and of how many of them the
// final state is asked for. Of a training record with p tokens of prompt and a of answer these are p+a-1 and a.
type Sequences struct {
	Tokens []int64
	Wanted []int64
}

// batch is the rows of a pass.
type batch struct {
	rows, wanted, longest, sequences int64
	all, some                        []group // of all rows, and of the wanted ones, where attention pads
}

func (s Sequences) batch() batch {
	b := batch{sequences: int64(len(s.Tokens)), all: groups(s.Tokens, s.Tokens), some: groups(s.Wanted, s.Tokens)}
	for i, n := range s.Tokens {
		b.rows, b.wanted, b.longest = b.rows+n, b.wanted+s.Wanted[i], max(b.longest, n)
	}
	return b
}

// part is the rows that a block computes to its end, with their groups: all, or the wanted ones alone.
func (b batch) part(wanted bool) (rows int64, groups []group) {
	if wanted {
		return b.wanted, b.some
	}
	return b.rows, b.all
}

// input is what the batch itself takes on the device.
func (b batch) input(k kind) int64 {
	bytes := (2*b.rows + 2*b.wanted) * i64
	if !k.padded {
		return bytes
	}
	for _, gs := range [][]group{b.all, b.some} {
		for _, g := range gs {
			bytes += g.n * (2*g.rows + g.keys) * i64 // rows, positions and keys
			bytes += g.n * g.rows * g.keys           // the mask
		}
	}
	return bytes + (b.rows+b.wanted)*i64
}

// tables are those of the rotary positions, made for a power of two of them.
func (b batch) tables(width int64) int64 {
	n := int64(256)
	for n < b.longest {
		n *= 2
	}
	return n * width * fp32
}

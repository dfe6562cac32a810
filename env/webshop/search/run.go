package search

import (
	"slices"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

// run is postings in memory, in the order of the documents. Read again through head, advance and take they are in the
// order of the terms.
type run struct {
	numbers map[string]uint32 // of the terms, as they come
	names   []string
	text    int64 // bytes of all names
	count   int   // of records
	chunks  [][]record

	freqs []uint32 // of a document's terms, by number; zeros between documents
	some  []uint32 // its terms

	sorted []uint32 // the numbers of the terms by their names, once they are read
	order  []uint32 // the records by term number
	ends   []uint32 // where the records of each term end in order
	at     int      // in sorted
}

type record struct {
	term uint32
	postings.Posting
}

const (
	chunk = 1 << 16 // records
	// maxRecords bounds a run, so that 32 bits count its records.
	maxRecords = 1 << 31
	// termCost is what a term takes in memory beside its bytes, and recordCost a record with its place in the order.
	termCost, recordCost = 100, 16
)

// add takes a document's terms and returns how many distinct ones there are.
func (r *run) add(doc uint32, terms []string) int {
	if r.numbers == nil {
		r.numbers = make(map[string]uint32)
	}
	r.some = r.some[:0]
	for _, term := range terms {
		n, ok := r.numbers[term]
		if !ok {
			n = uint32(len(r.names)) //nolint:gosec // fewer than records
			r.numbers[term] = n
			r.names = append(r.names, term)
			r.freqs = append(r.freqs, 0)
			r.text += int64(len(term))
		}
		if r.freqs[n]++; r.freqs[n] == 1 {
			r.some = append(r.some, n)
		}
	}
	for _, n := range r.some {
		if r.count%chunk == 0 {
			r.chunks = append(r.chunks, make([]record, 0, chunk))
		}
		last := &r.chunks[len(r.chunks)-1]
		*last = append(*last, record{n, postings.Posting{Doc: doc, Freq: r.freqs[n]}})
		r.freqs[n] = 0
		r.count++
	}
	return len(r.some)
}

// size is what the run takes in memory, in bytes.
func (r *run) size() int64 {
	if r.count >= maxRecords-maxRecords/2 {
		return 1 << 62 // full
	}
	return recordCost*int64(r.count) + r.text + termCost*int64(len(r.names))
}

// sort puts the records in order for reading.
func (r *run) sort() {
	r.ends = make([]uint32, len(r.names))
	for _, c := range r.chunks {
		for _, x := range c {
			r.ends[x.term]++
		}
	}
	begin := uint32(0)
	for i, n := range r.ends {
		r.ends[i] = begin
		begin += n
	}
	r.order = make([]uint32, r.count)
	for i, c := range r.chunks {
		for j, x := range c {
			r.order[r.ends[x.term]] = uint32(i*chunk + j) //nolint:gosec // a run has fewer
			r.ends[x.term]++
		}
	}
	r.sorted = make([]uint32, len(r.names))
	for i := range r.sorted {
		r.sorted[i] = uint32(i) //nolint:gosec // fewer than records
	}
	slices.SortFunc(r.sorted, func(a, b uint32) int {
		if r.names[a] < r.names[b] {
			return -1
		}
		return 1 // they are distinct
	})
	r.at = -1
}

func (r *run) advance() error {
	r.at++
	return nil
}

func (r *run) head() string {
	if r.at >= len(r.sorted) {
		return ""
	}
	return r.names[r.sorted[r.at]]
}

func (r *run) take(list []postings.Posting) ([]postings.Posting, error) {
	n := r.sorted[r.at]
	begin := uint32(0)
	if n > 0 {
		begin = r.ends[n-1]
	}
	for _, at := range r.order[begin:r.ends[n]] {
		list = append(list, r.chunks[at/chunk][at%chunk].Posting)
	}
	return list, nil
}

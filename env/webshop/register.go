package webshop

import (
	"fmt"
	"strings"
)

// register is what a file of products says of all of them: their rows, and where the records of each lie.
type register struct {
	rows    []row
	queries []string // of each
	places  []places
	// categories are those that rows name.
	categories []string
	passed     Passed
	index      uint32 // the checksum of the search index that belongs to it
}

// places are where the records of a product lie; 0 is none.
type places struct {
	product, described, human uint64
}

// The flags of a row in a file.
const (
	flagRanged = 1 << iota
	flagAsked
	flagByPeople
	flagRepeats
)

func (r *register) pack() []byte {
	var p packer
	for _, n := range []int{int(r.index), r.passed.Unnamed, r.passed.Long, r.passed.Repeated, r.passed.Unknown} {
		p.number(n)
	}
	p.list(r.categories)
	queries, known := []string{}, map[string]int{}
	for _, q := range r.queries {
		if _, ok := known[q]; !ok {
			known[q] = len(queries)
			queries = append(queries, q)
		}
	}
	p.list(queries)
	p.number(len(r.rows))
	for i, one := range r.rows {
		flags := 0
		for k, set := range []bool{one.ranged, one.asked, one.byPeople, one.repeats} {
			if set {
				flags |= 1 << k
			}
		}
		p.text(one.asin)
		p.number(int(one.category))
		p.number(known[r.queries[i]])
		p.number(flags)
		p.price(one.low)
		p.price(one.high)
		for _, at := range []uint64{r.places[i].product, r.places[i].described, r.places[i].human} {
			p.number(int(at))
		}
	}
	return p
}

func readRegister(data []byte) (*register, error) {
	u := &unpacker{left: string(data)}
	r := &register{index: uint32(u.number())}
	for _, to := range []*int{&r.passed.Unnamed, &r.passed.Long, &r.passed.Repeated, &r.passed.Unknown} {
		*to = u.number()
	}
	for _, category := range u.list() {
		r.categories = append(r.categories, strings.Clone(category)) // and not keep all of data
	}
	queries := u.list()
	for i := range queries {
		queries[i] = strings.Clone(queries[i])
	}
	n := u.count()
	r.rows, r.queries, r.places = make([]row, n), make([]string, n), make([]places, n)
	var asins strings.Builder // one text for all, and no piece of memory for each
	ends := make([]int, n)
	for i := range r.rows {
		asins.WriteString(u.text())
		ends[i] = asins.Len()
		category, query, flags := u.number(), u.number(), u.number()
		if u.err != nil || category >= len(r.categories) || query >= len(queries) {
			return nil, fmt.Errorf("product %d of %d: %w", i+1, n, errPacked)
		}
		r.queries[i] = queries[query]
		r.rows[i] = row{
			category: int32(category), ranged: flags&flagRanged != 0, asked: flags&flagAsked != 0, byPeople: flags&flagByPeople != 0,
			repeats: flags&flagRepeats != 0, low: u.price(), high: u.price(),
		}
		r.places[i] = places{uint64(u.number()), uint64(u.number()), uint64(u.number())}
	}
	if u.err != nil || u.left != "" || n == 0 {
		return nil, fmt.Errorf("%d products and %d bytes more: %w", n, len(u.left), errPacked)
	}
	from, all := 0, asins.String()
	for i, end := range ends {
		r.rows[i].asin, from = all[from:end], end
	}
	return r, nil
}

package pddl

import (
	"slices"
	"sort"
)

// relation is the facts of one predicate, sorted once for every argument: order[k] holds the rows by argument k
// and then by the others from left to right. Rows are whole in each order. Where argument k is fixed, order[k]
// therefore gives rows in the order of all arguments.
type relation struct {
	arity int
	size  int
	order [][]int32
	// distinct is the number of different values of each argument when the relation was made.
	distinct []int
}

// newRelation sorts rows (one after the other) of objects 0 to objects-1. Doubles count once.
func newRelation(arity int, rows []int32, objects int) *relation {
	r := &relation{arity: arity}
	if arity == 0 {
		r.size = min(len(rows), 1)
		return r
	}
	r.order = make([][]int32, arity)
	n := len(rows) / arity
	if n == 0 {
		return r
	}
	counts := sortCounts(n, objects)
	r.distinct = make([]int, arity)
	for k := range arity {
		r.order[k] = sortRows(rows, arity, k, counts)
		for i := k; i < len(r.order[k]); i += arity {
			if i == k || r.order[k][i] != r.order[k][i-arity] {
				r.distinct[k]++
			}
		}
	}
	r.size = len(r.order[0]) / arity
	return r
}

// fewRows are sorted by insertion.
const fewRows = 16

// sortCounts is what sorting n rows by counting takes, nil where that does not pay.
func sortCounts(n, objects int) []int32 {
	if n <= fewRows || objects > 16*n {
		return nil
	}
	return make([]int32, objects+1)
}

// sortRows returns rows sorted by argument lead and then the others, without doubles: by counting, the least
// significant argument first, where there are counts.
func sortRows(rows []int32, arity, lead int, counts []int32) []int32 {
	from := slices.Clone(rows)
	switch {
	case counts == nil && len(rows) <= fewRows*arity:
		insertionSort(from, arity, lead)
	case counts == nil:
		sort.Sort(byRow{from, arity, lead})
	default:
		to := make([]int32, len(rows))
		for k := arity - 1; k >= -1; k-- {
			arg := k
			if k == lead {
				continue
			}
			if k == -1 {
				arg = lead
			}
			countingPass(from, to, arity, arg, counts)
			from, to = to, from
		}
	}
	kept := arity
	for i := arity; i < len(from); i += arity {
		if !slices.Equal(from[kept-arity:kept], from[i:i+arity]) {
			kept += copy(from[kept:], from[i:i+arity])
		}
	}
	return from[:kept:kept]
}

func countingPass(from, to []int32, arity, arg int, counts []int32) {
	clear(counts)
	for i := arg; i < len(from); i += arity {
		counts[from[i]+1]++
	}
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
	for i := 0; i < len(from); i += arity {
		v := from[i+arg]
		copy(to[int(counts[v])*arity:], from[i:i+arity])
		counts[v]++
	}
}

// byRow sorts rows by comparing them.
type byRow struct {
	rows        []int32
	arity, lead int
}

func (b byRow) row(i int) []int32  { return b.rows[i*b.arity : (i+1)*b.arity] }
func (b byRow) Len() int           { return len(b.rows) / b.arity }
func (b byRow) Less(i, j int) bool { return compareRows(b.row(i), b.row(j), b.lead) < 0 }

func (b byRow) Swap(i, j int) {
	x, y := b.row(i), b.row(j)
	for k := range x {
		x[k], y[k] = y[k], x[k]
	}
}

func insertionSort(rows []int32, arity, lead int) {
	var buf [MaxArity]int32
	for i := arity; i < len(rows); i += arity {
		row := buf[:arity]
		copy(row, rows[i:])
		j := i
		for ; j > 0 && compareRows(row, rows[j-arity:j], lead) < 0; j -= arity {
			copy(rows[j:], rows[j-arity:j])
		}
		copy(rows[j:], row)
	}
}

// compareRows compares by argument lead and then the others from left to right.
func compareRows(a, b []int32, lead int) int {
	if d := int(a[lead]) - int(b[lead]); d != 0 {
		return d
	}
	for i := range a {
		if d := int(a[i]) - int(b[i]); d != 0 {
			return d
		}
	}
	return 0
}

// find is where row stands, or would stand, in order[lead], in rows.
func (r *relation) find(row []int32, lead int) (int, bool) {
	rows, k := r.order[lead], r.arity
	lo, hi := 0, len(rows)/k
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		c := compareRows(rows[mid*k:mid*k+k], row, lead)
		if c == 0 {
			return mid, true
		}
		if c < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, false
}

func (r *relation) has(row []int32) bool {
	if r.arity == 0 {
		return r.size > 0
	}
	if r.size == 0 {
		return false
	}
	_, ok := r.find(row, 0)
	return ok
}

// span is the part of order[lead] whose argument lead is v.
func (r *relation) span(lead int, v int32) []int32 {
	rows, k := r.order[lead], r.arity
	n := len(rows) / k
	begin := firstRow(rows[lead:], k, 0, n, v)
	inside, end := begin, begin
	for width := 1; end < n && rows[end*k+lead] == v; width *= 2 { // most spans are short
		inside, end = end+1, end+width
	}
	end = firstRow(rows[lead:], k, inside, min(end, n), v+1)
	return rows[begin*k : end*k]
}

// firstRow is the first row from lo on whose first number is v or more, hi if there is none before it.
func firstRow(rows []int32, arity, lo, hi int, v int32) int {
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if rows[mid*arity] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func (r *relation) clone() *relation {
	c := &relation{arity: r.arity, size: r.size, order: make([][]int32, len(r.order))}
	for k, rows := range r.order {
		c.order[k] = append(make([]int32, 0, len(rows)+4*r.arity), rows...)
	}
	return c
}

// insert adds row; false if it was there.
func (r *relation) insert(row []int32) bool {
	if r.has(row) {
		return false
	}
	r.size++
	for k := range r.order {
		i, _ := r.find(row, k)
		r.order[k] = slices.Insert(r.order[k], i*r.arity, row...)
	}
	return true
}

// remove takes row away; false if it was not there.
func (r *relation) remove(row []int32) bool {
	if !r.has(row) {
		return false
	}
	r.size--
	for k := range r.order {
		i, _ := r.find(row, k)
		r.order[k] = slices.Delete(r.order[k], i*r.arity, (i+1)*r.arity)
	}
	return true
}

package chart

import (
	"slices"
)

// Pixels between what stands one above the other, and how high the place of passing lines is.
const (
	boxGap     = 14
	passHeight = 4
)

// sweeps is how often layers are ordered from left to right and back.
const sweeps = 8

// order puts the items of each layer in an order in which few lines cross, after Sugiyama, Tagawa and Toda (1981): layer by
// layer by the mean place of what they are joined to in the layer before, then in the one behind, and so on. The best order
// is kept. All is counted in whole numbers, so that it is the same everywhere.
func order(layers [][]*item) {
	best, fewest := copied(layers), crossings(layers)
	for k := 0; k < sweeps && fewest > 0; k++ {
		for i := range layers {
			if k%2 == 0 {
				sorted(layers[i], func(it *item) []*item { return it.before })
			} else {
				sorted(layers[len(layers)-1-i], func(it *item) []*item { return it.after })
			}
		}
		if n := crossings(layers); n < fewest {
			best, fewest = copied(layers), n
		}
	}
	for i := range layers {
		copy(layers[i], best[i])
		number(layers[i])
	}
}

func copied(layers [][]*item) [][]*item {
	all := make([][]*item, len(layers))
	for i := range layers {
		all[i] = slices.Clone(layers[i])
	}
	return all
}

func number(layer []*item) {
	for i, it := range layer {
		it.at = i
	}
}

// sorted sorts a layer by the mean place of an item's neighbours. One without any keeps its place as its own mean.
func sorted(layer []*item, neighbours func(*item) []*item) {
	sum, count := map[*item]int{}, map[*item]int{}
	for _, it := range layer {
		for _, n := range neighbours(it) {
			sum[it] += n.at
			count[it]++
		}
		if count[it] == 0 {
			sum[it], count[it] = it.at, 1
		}
	}
	slices.SortStableFunc(layer, func(a, b *item) int { return sum[a]*count[b] - sum[b]*count[a] })
	number(layer)
}

// crossings counts the pairs of lines that cross.
func crossings(layers [][]*item) (n int) {
	for i := range layers {
		var ends []int // of the lines to the next layer, in the order of where they begin
		for _, it := range layers[i] {
			to := make([]int, len(it.after))
			for k, other := range it.after {
				to[k] = other.at
			}
			slices.Sort(to)
			ends = append(ends, to...)
		}
		n += inversions(ends)
	}
	return n
}

// inversions counts the pairs that stand in the wrong order, and sorts them.
func inversions(a []int) int {
	if len(a) < 2 {
		return 0
	}
	left, right := slices.Clone(a[:len(a)/2]), slices.Clone(a[len(a)/2:])
	n := inversions(left) + inversions(right)
	for i := range a {
		if len(right) == 0 || len(left) > 0 && left[0] <= right[0] {
			a[i], left = left[0], left[1:]
		} else {
			a[i], right = right[0], right[1:]
			n += len(left)
		}
	}
	return n
}

// place gives items their heights on the page: as near as can be to the middle of what they are joined to, before and behind
// in turn, without one lying on another.
func place(layers [][]*item) {
	for _, layer := range layers {
		y := 0
		for _, it := range layer {
			it.center = y + it.height/2
			y += it.height + boxGap
		}
	}
	for k := range sweeps {
		for i := range layers {
			if k%2 == 0 {
				settle(layers[i], func(it *item) []*item { return it.before })
			} else {
				settle(layers[len(layers)-1-i], func(it *item) []*item { return it.after })
			}
		}
	}
}

// settle moves the items of a layer to the mean height of their neighbours. Those that would come too near each other are
// moved together, by the mean of what they would be moved alone (pooling of adjacent violators: least squares).
func settle(layer []*item, neighbours func(*item) []*item) {
	type pool struct{ sum, count, items int }
	var pools []pool
	shift := make([]int, len(layer)) // of an item in a pool whose first stands at 0
	for i, it := range layer {
		if i > 0 {
			shift[i] = shift[i-1] + (layer[i-1].height+it.height)/2 + boxGap
		}
		want := it.center
		if all := neighbours(it); len(all) > 0 {
			want = 0
			for _, n := range all {
				want += n.center
			}
			want = floor(want, len(all))
		}
		p := pool{want - shift[i], 1, 1}
		for len(pools) > 0 {
			last := pools[len(pools)-1]
			if last.sum*p.count <= p.sum*last.count {
				break
			}
			p = pool{last.sum + p.sum, last.count + p.count, last.items + p.items}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for range p.items {
			layer[i].center = floor(p.sum, p.count) + shift[i]
			i++
		}
	}
}

// floor divides and rounds down, for numbers below 0 as well.
func floor(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

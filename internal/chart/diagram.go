package chart

// Diagram is boxes from left to right, each to the right of all that lead to it, joined by lines.
type Diagram struct {
	Title string
	Note  string // small, behind the title
	Boxes []Box
	Links []Link
}

// Box is a frame with lines of text, which are cut where they are too long for it.
type Box struct {
	Head   string
	Mark   string   // behind the head, as digits are written
	Text   []string // below it
	Tip    string   // shown where a pointer rests
	Href   string   // where an Inline diagram's box leads, such as "#one"; "" is nowhere. Text of outsiders has no place in it
	Color  int      // of the palette, from 0
	Strong bool     // has a thicker frame
	Dashed bool
}

// Link leads from one box to another, by their places in Boxes. One that closes a circle is left out.
type Link struct {
	From, To int
	Tip      string
}

// item is a box in its layer, or the place where lines from one box pass the layer.
type item struct {
	box    int // -1 for a place of lines
	height int // in pixels
	center int // from above
	before []*item
	after  []*item
	tips   map[*item]string // of lines to boxes
	at     int              // in its layer
	layer  int
}

// layers are a diagram's items by layer, from above to below.
func (d Diagram) layers() [][]*item {
	depth, links := d.depths()
	layers := make([][]*item, 0, len(d.Boxes))
	put := func(it *item) {
		for len(layers) <= it.layer {
			layers = append(layers, nil)
		}
		it.at = len(layers[it.layer])
		layers[it.layer] = append(layers[it.layer], it)
	}
	boxes := make([]*item, len(d.Boxes))
	for i, b := range d.Boxes {
		boxes[i] = &item{box: i, height: b.height(), layer: depth[i], tips: map[*item]string{}}
		put(boxes[i])
	}
	passing := map[int][]*item{} // by box, the places where its lines pass, which they share
	for _, l := range links {
		from, to := boxes[l.From], boxes[l.To]
		last := from
		for k := range depth[l.To] - depth[l.From] - 1 {
			if k == len(passing[l.From]) {
				it := &item{box: -1, height: passHeight, layer: from.layer + k + 1, tips: map[*item]string{}}
				passing[l.From] = append(passing[l.From], it)
				put(it)
				join(last, it)
			}
			last = passing[l.From][k]
		}
		join(last, to)
		last.tips[to] = l.Tip
	}
	order(layers)
	place(layers)
	return layers
}

func join(from, to *item) {
	from.after, to.before = append(from.after, to), append(to.before, from)
}

// depths are the boxes' layers: that of the longest way to each, and of one to which nothing leads, just before the first
// that it leads to. The links are those that lead to the right, each pair of boxes once.
func (d Diagram) depths() (depth []int, links []Link) {
	depth = make([]int, len(d.Boxes))
	after, waits := make([][]int, len(d.Boxes)), make([]int, len(d.Boxes))
	seen := map[[2]int]int{} // places in links, by their boxes
	for _, l := range d.Links {
		if l.From == l.To || min(l.From, l.To) < 0 || max(l.From, l.To) >= len(d.Boxes) {
			continue
		}
		pair := [2]int{l.From, l.To}
		if k, is := seen[pair]; is {
			links[k].Tip += ", " + l.Tip
			continue
		}
		seen[pair] = len(links)
		links = append(links, l)
		after[l.From] = append(after[l.From], l.To)
		waits[l.To]++
	}
	leads := make([]bool, len(d.Boxes)) // something leads there
	var ready []int
	for i := range waits {
		leads[i] = waits[i] > 0
		if !leads[i] {
			ready = append(ready, i)
		}
	}
	done, next := make([]bool, len(d.Boxes)), 0
	for {
		for ; len(ready) > 0; ready = ready[1:] {
			i := ready[0]
			done[i] = true
			for _, to := range after[i] {
				if done[to] {
					continue
				}
				depth[to] = max(depth[to], depth[i]+1)
				if waits[to]--; waits[to] == 0 {
					ready = append(ready, to)
				}
			}
		}
		for next < len(done) && done[next] {
			next++
		}
		if next == len(done) {
			break
		}
		ready, waits[next] = append(ready, next), 0 // in a circle
	}
	kept := links[:0]
	for _, l := range links {
		if depth[l.From] < depth[l.To] {
			kept = append(kept, l)
		}
	}
	for i := range depth {
		first := -1
		for _, to := range after[i] {
			if first < 0 || depth[to] < first {
				first = depth[to]
			}
		}
		if !leads[i] && first > 0 {
			depth[i] = first - 1
		}
	}
	return depth, kept
}

package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestDiagramPlaces: boxes and lines are where hand calculation puts them. A box is 232 wide and without text 32 high, layers are 64
// and boxes 14 apart, a line passes in 4. B and the line beside it, 16 and 14 and 2 below its
// middle, stand around the middle of A, and C in the middle of both.
func TestDiagramPlaces(t *testing.T) {
	d := Diagram{
		Title: "run", Boxes: []Box{{Head: "A", Mark: "0a1b"}, {Head: "B", Color: 1, Strong: true}, {Head: "C", Dashed: true, Text: []string{"x", "y"}}},
		Links: []Link{{From: 0, To: 1, Tip: "a"}, {From: 1, To: 2}, {From: 0, To: 2, Tip: "both"}, {From: 0, To: 2, Tip: "again"}},
	}
	layers := d.layers()
	var got []string
	for _, layer := range layers {
		for _, it := range layer {
			got = append(got, fmt.Sprintf("%d:%d", it.box, it.center-layers[0][0].center))
		}
	}
	// 62 is the height of C: 26 and two lines of 15 and 6.
	if want := []string{"0:0", "1:-16", "-1:16", "2:0"}; !slices.Equal(got, want) || layers[2][0].height != 62 {
		t.Errorf("got %v, want %v", got, want)
	}
	svg := d.SVG()
	for _, want := range []string{
		`width="856" height="123"`, // 16 + 3·232 + 2·64 + 16; B from 44, its middle 16 above that of C, half of C's 62, and 16
		`<rect class="box c1 strong" x="312" y="`, `<rect class="box c0 dashed" x="608" y="`,
		`h232"/>`, `<title>both, again</title>`, `<tspan class="head">A</tspan><tspan class="id" dx="8">0a1b</tspan>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing in\n%s", want, svg)
		}
	}
}

// TestDiagramAlone: one box leads to another on the same height.
func TestDiagramAlone(t *testing.T) {
	svg := Diagram{Boxes: []Box{{Head: "A"}, {Head: "B"}}, Links: []Link{{From: 0, To: 1}}}.SVG()
	for _, want := range []string{
		`<rect class="box c0" x="16" y="44" width="232" height="32" rx="5"/>`, `<rect class="box c0" x="312" y="44" width="232" height="32" rx="5"/>`,
		`<path class="link" d="M248 60C280 60 280 60 312 60"></path>`, `<path class="end" d="M312 60l-7 -3.5v7z"/>`, `height="92"`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing in\n%s", want, svg)
		}
	}
}

// TestDiagramDepths: every link that is kept leads to the right, a box that only late ones follow from stands just before
// them, and a circle loses one link.
func TestDiagramDepths(t *testing.T) {
	for name, tt := range map[string]struct {
		boxes int
		links []Link
		depth []int
		kept  int
	}{
		"chain":        {3, []Link{{From: 2, To: 1}, {From: 1, To: 0}}, []int{2, 1, 0}, 2},
		"longest way":  {4, []Link{{From: 0, To: 3}, {From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}}, []int{0, 1, 2, 3}, 4},
		"late":         {4, []Link{{From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 2}}, []int{0, 1, 2, 1}, 3},
		"circle":       {3, []Link{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}}, []int{0, 1, 2}, 2},
		"to itself":    {1, []Link{{}}, []int{0}, 0},
		"of no box":    {1, []Link{{From: 0, To: 1}, {From: -1, To: 0}}, []int{0}, 0},
		"twice":        {2, []Link{{From: 0, To: 1}, {From: 0, To: 1}}, []int{0, 1}, 1},
		"not together": {2, nil, []int{0, 0}, 0},
	} {
		depth, kept := Diagram{Boxes: make([]Box, tt.boxes), Links: tt.links}.depths()
		if !slices.Equal(depth, tt.depth) || len(kept) != tt.kept {
			t.Errorf("%s: got %v and %v, want %v and %d links", name, depth, kept, tt.depth, tt.kept)
		}
	}
}

// TestDiagramOrder: lines that need not cross do not: two pairs that begin crossed, and a tree in any order.
func TestDiagramOrder(t *testing.T) {
	crossed := Diagram{Boxes: make([]Box, 4), Links: []Link{{From: 0, To: 3}, {From: 1, To: 2}}}
	if n := crossings(crossed.layers()); n != 0 {
		t.Errorf("two pairs: %d crossings, want none", n)
	}
	tree := Diagram{Boxes: make([]Box, 15)}
	for i := 1; i < 15; i++ {
		tree.Links = append(tree.Links, Link{From: (i - 1) / 2, To: i})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		r.Shuffle(len(tree.Links), func(i, j int) { tree.Links[i], tree.Links[j] = tree.Links[j], tree.Links[i] })
		if n := crossings(tree.layers()); n != 0 {
			t.Errorf("a tree: %d crossings, want none", n)
		}
	}
	if n := inversions([]int{3, 1, 2, 2, 0}); n != 7 { // 3 before all four; 1, 2 and 2 before 0
		t.Errorf("got %d inversions, want 7", n)
	}
}

// TestDiagramApart: whatever leads where, no two items of a layer touch, the file is well-formed and the same each time.
func TestDiagramApart(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		d := Diagram{Title: `<&"]]>`, Note: "a\x00b", Boxes: make([]Box, 1+r.IntN(30))}
		for i := range d.Boxes {
			d.Boxes[i] = Box{Head: "</text>", Mark: "\xff", Text: make([]string, r.IntN(3)), Tip: "]]>", Color: i}
		}
		for range r.IntN(60) {
			d.Links = append(d.Links, Link{From: r.IntN(len(d.Boxes)), To: r.IntN(len(d.Boxes)), Tip: "<"})
		}
		for _, layer := range d.layers() {
			for i := 1; i < len(layer); i++ {
				if gap := layer[i].center - layer[i-1].center - (layer[i].height+layer[i-1].height)/2; gap < boxGap {
					t.Fatalf("%d pixels between items, want %d: %+v", gap, boxGap, d)
				}
			}
		}
		svg := d.SVG()
		for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, svg)
			}
		}
		if d.SVG() != svg {
			t.Error("another picture the second time")
		}
	}
	if svg := (Diagram{}).SVG(); !strings.Contains(svg, "</svg>") {
		t.Errorf("nothing: got %s", svg)
	}
}

// TestFit: a text that is too long ends with a sign of it, and no letter is cut in two.
func TestFit(t *testing.T) {
	if got := fit(strings.Repeat("ä", 40)); got != strings.Repeat("ä", 34)+"…" {
		t.Errorf("got %s", got)
	}
	if got := fit("short"); got != "short" {
		t.Errorf("got %s", got)
	}
}

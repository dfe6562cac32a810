package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

// TestInline: a part of a page has neither style nor heading, and says to who cannot see it what it is; a box is a link.
func TestInline(t *testing.T) {
	f := one(Series{Name: "<b>", Line: Plain, Points: []Point{{X: 1, Y: 50}}})
	f.Title, f.Note = `"run"`, "<&>"
	d := Diagram{Title: "<i>", Boxes: []Box{{Head: "</a>", Href: `#"x`}, {Head: "B"}}, Links: []Link{{From: 0, To: 1}}}
	for _, tt := range []struct{ got, want string }{
		{f.Inline(), `<svg class="chart" width="860" height="294" viewBox="0 0 860 294" role="img" aria-label="&#34;run&#34; &lt;&amp;&gt;">`},
		{f.Narrow().Inline(), `width="348" height="294"`},
		{d.Inline(), `<a href="#&#34;x">`},
		{d.Inline(), `role="group" aria-label="&lt;i&gt;"`},
		{Bar(.5, .25, .75, 1, "half"), `<path class="thick c1" d="M36 8H104"/>`}, // 2 and 136 times the share
		{Bar(2, -1, 9, 9, "<"), `<circle class="d2" cx="138" cy="8" r="4"/>`},
		{Spark([]Point{{X: 1, Y: .5}, {X: 3, Y: 1}}, 4, 0, "s"), `<path class="line c0" d="M36 14H104V2H138"/>`},
		{Spark(nil, 0, 0, "none"), `aria-label="none"`},
	} {
		wellFormed(t, tt.got)
		if !strings.Contains(tt.got, tt.want) || strings.Contains(tt.got, "<style") || strings.Contains(tt.got, `class="page"`) {
			t.Errorf("got\n%s\nwant %s in it, and no style", tt.got, tt.want)
		}
	}
	if rows := (Figure{Rows: []Row{{Height: 10, Panels: make([]Panel, 2)}, {Height: 20, Panels: make([]Panel, 1)}}}).Narrow().Rows; len(rows) != 3 || rows[1].Height != 10 {
		t.Errorf("got %+v, want three rows of one panel", rows)
	}
}

package chart

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// Sizes, in pixels.
const (
	Width       = 860 // of a figure that says none
	NarrowWidth = 348 // of a figure for a phone
	left        = 52  // of a plot: for its marks' labels
	right       = 16
	above       = 28 // for the title of its Y
	below       = 46
	heading     = 44 // of the figure
	legendRow   = 20
	perLetter   = 6.4 // of text of 12 pixels: a guess on the wide side
)

// Style is the style of all Inline parts of a page. Its classes are the drawings' own: no other element may have them.
const Style = style + diagramStyle + linkStyle

// style has the palette of Okabe and Ito (2008), which the colour-blind can tell apart, lightened for dark pages.
const style = `.page{fill:#fff}text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#24292f}` +
	`.title{font-size:15px;font-weight:600}.note,.mark{fill:#57606a}.mark{font-size:11px}` +
	`.axis{stroke:#8c959f;stroke-width:1;fill:none}.grid{stroke:#d8dee4;stroke-width:1;fill:none}` +
	`.thin,.line,.thick,.interval{fill:none;stroke-linejoin:round;stroke-linecap:round}` +
	`.thin{stroke-width:1;stroke-opacity:.45}.line{stroke-width:1.5}.thick{stroke-width:2.4}.interval{stroke-width:1.4}` +
	`.ring{stroke-width:1.8}g .ring{fill:#fff}` +
	`.c0{stroke:#57606a}.c1{stroke:#0072b2}.c2{stroke:#d55e00}.c3{stroke:#007a5a}.c4{stroke:#a8558a}.c5{stroke:#946800}.c6{stroke:#1f6f9f}` +
	`.d0{fill:#57606a}.d1{fill:#0072b2}.d2{fill:#d55e00}.d3{fill:#007a5a}.d4{fill:#a8558a}.d5{fill:#946800}.d6{fill:#1f6f9f}` +
	`@media (prefers-color-scheme:dark){.page{fill:#0d1117}text{fill:#e6edf3}.note,.mark{fill:#9198a1}` +
	`.axis{stroke:#656c76}.grid{stroke:#2d333b}g .ring{fill:#0d1117}` +
	`.c0{stroke:#9198a1}.c1{stroke:#56b4e9}.c2{stroke:#ff9349}.c3{stroke:#2fc39a}.c4{stroke:#e59bc9}.c5{stroke:#e69f00}.c6{stroke:#79c0ff}` +
	`.d0{fill:#9198a1}.d1{fill:#56b4e9}.d2{fill:#ff9349}.d3{fill:#2fc39a}.d4{fill:#e59bc9}.d5{fill:#e69f00}.d6{fill:#79c0ff}}`

// colors is how many the palette has.
const colors = 7

type drawing struct{ strings.Builder }

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// text writes a text; a is its anchor: start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, text string) {
	d.put(`<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, px(x), px(y), escape(text))
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}

// px is a pixel's place to a hundredth, as shortly as it is written.
func px(v float64) string {
	text := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

// SVG is the figure as a file.
func (f Figure) SVG() string {
	height := heading + f.height()
	d := &drawing{}
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`, f.width(), height)
	d.put(`<title>%s</title>`, escape(strings.TrimSpace(f.Title+" "+f.Note)))
	d.put(`<style>%s</style>`, style)
	d.put(`<rect class="page" width="%d" height="%d"/>`, f.width(), height)
	d.put(`<text x="%d" y="28"><tspan class="title">%s</tspan><tspan class="note" dx="10">%s</tspan></text>`, right, escape(f.Title), escape(f.Note))
	f.draw(d, heading)
	d.put(`</svg>`)
	return d.String()
}

// Inline is the figure as a part of a page that has Style, without a heading: the title is for who cannot see it.
func (f Figure) Inline() string {
	d := &drawing{}
	d.put(`<svg class="chart" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%s">`, f.width(), f.height(), escape(strings.TrimSpace(f.Title+" "+f.Note)))
	f.draw(d, 0)
	d.put(`</svg>`)
	return d.String()
}

// Narrow is the figure for a phone: its panels one below the other.
func (f Figure) Narrow() Figure {
	rows := f.Rows
	f.Width, f.Rows = NarrowWidth, nil
	for _, r := range rows {
		for _, p := range r.Panels {
			f.Rows = append(f.Rows, Row{Height: r.Height, Panels: []Panel{p}})
		}
	}
	return f
}

func (f Figure) width() int { return cmp.Or(f.Width, Width) }

// height is that of all rows.
func (f Figure) height() (height int) {
	for _, r := range f.Rows {
		height += r.legend(f.width())*legendRow + above + r.Height + below
	}
	return height
}

// draw draws the rows from top on.
func (f Figure) draw(d *drawing, top float64) {
	for _, r := range f.Rows {
		legend := float64(r.legend(f.width()) * legendRow)
		width := float64(f.width()) / float64(max(len(r.Panels), 1))
		for i, p := range r.Panels {
			x := float64(i) * width
			d.legend(p.legend(width-left-right), x+left, top+12)
			p.draw(d, x+left, x+width-right, top+legend+above, float64(r.Height))
		}
		top += legend + above + float64(r.Height) + below
	}
}

// legend is how many rows the legends of a row's panels need in a figure of some width.
func (r Row) legend(width int) int {
	rows := 0
	for _, p := range r.Panels {
		rows = max(rows, len(p.legend(float64(width)/float64(len(r.Panels))-left-right)))
	}
	return rows
}

// legend are the named series by rows, as many in a row as it has room for.
func (p Panel) legend(width float64) [][]Series {
	var rows [][]Series
	used := 0.0
	for _, s := range p.Series {
		if s.Name == "" || len(s.Points) == 0 {
			continue
		}
		need := entryWidth(s.Name)
		if len(rows) == 0 || used+need > width {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], s)
		used += need
	}
	return rows
}

func entryWidth(name string) float64 { return 30 + perLetter*float64(len([]rune(name))) + 16 }

func (d *drawing) legend(rows [][]Series, x, y float64) {
	for _, row := range rows {
		at := x
		for _, s := range row {
			if s.Line != None {
				d.put(`<path class="%s c%d" d="M%s %sh22"/>`, s.Line, s.Color%colors, px(at), px(y-4))
			}
			if s.Mark != NoMark {
				d.put(`<path class="interval c%d" d="M%s %sv12"/>`, s.Color%colors, px(at+11), px(y-10))
				d.mark(s, at+11, y-4)
			}
			d.text("name", "start", at+28, y, s.Name)
			at += entryWidth(s.Name)
		}
		y += legendRow
	}
}

func (d *drawing) mark(s Series, x, y float64) {
	class := fmt.Sprintf("dot c%d d%[1]d", s.Color%colors)
	if s.Mark == Ring {
		class = fmt.Sprintf("ring c%d", s.Color%colors)
	}
	d.put(`<g><circle class="%s" cx="%s" cy="%s" r="3.6"/></g>`, class, px(x), px(y))
}

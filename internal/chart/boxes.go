package chart

import (
	"fmt"
	"strings"
)

// Sizes of a diagram, in pixels.
const (
	boxWidth    = 232
	layerGap    = 64 // between layers, for the lines
	margin      = 16
	headHeight  = 26
	textHeight  = 15
	boxPadding  = 6 // below the text
	smallLetter = 5.9
)

// diagramStyle is style's for diagrams.
const diagramStyle = `.head{font-weight:600}.id{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#57606a}` +
	`.box{stroke-width:1.2}.strong{stroke-width:3}.dashed{stroke-dasharray:5 3}g .box{fill:#fff}` +
	`.link{fill:none;stroke:#8c959f;stroke-width:1.1}.end{fill:#8c959f}` +
	`@media (prefers-color-scheme:dark){.id{fill:#9198a1}g .box{fill:#0d1117}.link{stroke:#656c76}.end{fill:#656c76}}`

// linkStyle is of boxes that are links.
const linkStyle = `a .box{fill:#fff}a:hover .box,a:focus-visible .box{stroke-width:3}a:focus-visible{outline:none}` +
	`@media (prefers-color-scheme:dark){a .box{fill:#0d1117}}`

func (b Box) height() int {
	if len(b.Text) == 0 {
		return headHeight + boxPadding
	}
	return headHeight + textHeight*len(b.Text) + boxPadding
}

// SVG is the diagram as a file. It follows from the diagram alone, byte for byte.
func (d Diagram) SVG() string {
	layers := d.layers()
	width, height, top := extent(layers)
	p := page{dy: heading - top}
	p.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`, width, heading+height)
	p.put(`<title>%s</title>`, escape(strings.TrimSpace(d.Title+" "+d.Note)))
	p.put(`<style>%s%s</style>`, style, diagramStyle)
	p.put(`<rect class="page" width="%d" height="%d"/>`, width, heading+height)
	p.put(`<text x="%d" y="28"><tspan class="title">%s</tspan><tspan class="note" dx="10">%s</tspan></text>`, margin, escape(d.Title), escape(d.Note))
	p.draw(d, layers)
	p.put(`</svg>`)
	return p.String()
}

// Inline is the diagram as a part of a page that has Style, without a heading. Its boxes lead where their Href says.
func (d Diagram) Inline() string {
	layers := d.layers()
	width, height, top := extent(layers)
	p := page{dy: margin - top, links: true}
	p.put(`<svg class="chart" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="group" aria-label="%s">`, width, margin+height, escape(strings.TrimSpace(d.Title+" "+d.Note)))
	p.draw(d, layers)
	p.put(`</svg>`)
	return p.String()
}

// extent is what a diagram takes, with a margin on the right, on the left and below, and where its highest item begins.
func extent(layers [][]*item) (width, height, top int) {
	bottom := 0
	for _, layer := range layers {
		for _, it := range layer {
			top, bottom = min(top, it.center-it.height/2), max(bottom, it.center+it.height-it.height/2)
		}
	}
	return max(2*margin+len(layers)*(boxWidth+layerGap)-layerGap, Width/2), bottom - top + margin, top
}

func (p *page) draw(d Diagram, layers [][]*item) {
	for _, layer := range layers {
		for _, it := range layer {
			p.lines(it)
		}
	}
	for _, layer := range layers {
		for _, it := range layer {
			if it.box >= 0 {
				p.box(d.Boxes[it.box], it)
			}
		}
	}
}

// page is a drawing whose heights begin at dy.
type page struct {
	drawing
	dy    int
	links bool // boxes are links
}

// left is where an item's layer begins.
func (it *item) left() int { return margin + it.layer*(boxWidth+layerGap) }

// lines draws what leads from an item to the next layer.
func (p *page) lines(it *item) {
	y := it.center + p.dy
	from := it.left() + boxWidth
	if it.box < 0 && len(it.after) > 0 {
		p.put(`<path class="link" d="M%d %dh%d"/>`, it.left(), y, boxWidth)
	}
	for _, to := range it.after {
		x, half := to.left(), layerGap/2
		tip := ""
		if text := it.tips[to]; text != "" {
			tip = "<title>" + escape(text) + "</title>"
		}
		p.put(`<path class="link" d="M%d %dC%d %[2]d %[3]d %[4]d %[5]d %[4]d">%[6]s</path>`, from, y, from+half, to.center+p.dy, x, tip)
		if to.box >= 0 {
			p.put(`<path class="end" d="M%d %dl-7 -3.5v7z"/>`, x, to.center+p.dy)
		}
	}
}

func (p *page) box(b Box, it *item) {
	class := fmt.Sprintf("box c%d", b.Color%colors)
	if b.Strong {
		class += " strong"
	}
	if b.Dashed {
		class += " dashed"
	}
	x, y := it.left(), it.center-it.height/2+p.dy
	end := "</g>"
	if p.links && b.Href != "" {
		p.put(`<a href="%s">`, escape(b.Href))
		end = "</a>"
	} else {
		p.put(`<g>`)
	}
	if b.Tip != "" {
		p.put(`<title>%s</title>`, escape(b.Tip))
	}
	p.put(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="5"/>`, class, x, y, boxWidth, it.height)
	p.put(`<path class="d%d" d="M%d %dh4v%dh-4z"/>`, b.Color%colors, x, y+6, it.height-12)
	p.put(`<text x="%d" y="%d"><tspan class="head">%s</tspan><tspan class="id" dx="8">%s</tspan></text>`, x+12, y+19, escape(b.Head), escape(b.Mark))
	for i, text := range b.Text {
		p.put(`<text class="mark" x="%d" y="%d">%s</text>`, x+12, y+headHeight+11+i*textHeight, escape(fit(text)))
	}
	p.put(end)
}

// fit cuts a text that is too long for a box.
func fit(text string) string {
	width := float64(boxWidth - 20)
	most := int(width / smallLetter)
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

package chart

import (
	"fmt"
	"strings"
)

// draw draws a panel whose plot lies between x0 and x1, and has that height from top on.
func (p Panel) draw(d *drawing, x0, x1, top, height float64) {
	x, y := p.scales(x0, x1, top, height)
	d.put(`<g>`)
	for _, v := range y.marks() {
		d.put(`<path class="grid" d="M%s %sH%s"/>`, px(x0), px(y.at(v)), px(x1))
		d.text("mark", "end", x0-7, y.at(v)+4, y.label(v))
	}
	for _, v := range x.marks() {
		d.put(`<path class="axis" d="M%s %sv5"/>`, px(x.at(v)), px(top+height))
		d.text("mark", "middle", x.at(v), top+height+18, x.label(v))
	}
	d.put(`<path class="axis" d="M%s %sV%sH%s"/>`, px(x0), px(top), px(top+height), px(x1))
	d.text("name", "middle", (x0+x1)/2, top+height+36, p.X.Title)
	d.text("name", "start", x0-left+right, top-12, p.Y.Title)
	d.put(`</g>`)
	for _, s := range p.Series {
		s.draw(d, x, y)
	}
}

// scales are the two axes' for what the panel shows.
func (p Panel) scales(x0, x1, top, height float64) (x, y scale) {
	var xs, ys []float64
	for _, s := range p.Series {
		for _, point := range s.Points {
			if drawable(point) {
				xs, ys = append(xs, point.X), append(ys, point.Y)
				if point.High > point.Low {
					ys = append(ys, point.Low, point.High)
				}
			}
		}
	}
	marks := max(3, int(x1-x0)/70)
	horizontal := p.X
	horizontal.Fixed = true // the last step is the end
	return newScale(horizontal, xs, x0, x1, marks), newScale(p.Y, ys, top+height, top, max(3, int(height)/40))
}

func (s Series) draw(d *drawing, x, y scale) {
	d.put(`<g>`)
	if s.Line != None {
		var path strings.Builder
		pen := "M"
		for _, p := range s.Points {
			if !drawable(p) {
				pen = "M"
				continue
			}
			fmt.Fprintf(&path, "%s%s %s", pen, px(x.at(p.X)+s.Shift), px(y.at(p.Y)))
			pen = "L"
		}
		if path.Len() > 0 {
			d.put(`<path class="%s c%d" d="%s"/>`, s.Line, s.Color%colors, &path)
		}
	}
	for _, p := range s.Points {
		if !drawable(p) {
			continue
		}
		at := x.at(p.X) + s.Shift
		if p.High > p.Low {
			d.put(`<path class="interval c%d" d="M%s %sV%s"/>`, s.Color%colors, px(at), px(y.at(p.Low)), px(y.at(p.High)))
		}
		if s.Mark != NoMark {
			d.mark(s, at, y.at(p.Y))
		} else if len(s.Points) == 1 {
			d.put(`<circle class="d%d" cx="%s" cy="%s" r="2"/>`, s.Color%colors, px(at), px(y.at(p.Y))) // a line of one point
		}
	}
	d.put(`</g>`)
}

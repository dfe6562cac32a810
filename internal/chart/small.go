package chart

import "fmt"

// Sizes of what stands in a line of text, in pixels.
const (
	barWidth    = 140
	barHeight   = 16
	sparkWidth  = 140
	sparkHeight = 28
)

// Bar is a share with its interval, all from 0 to 1, as a line's part of a page that has Style. The label says it in words.
func Bar(share, low, high float64, color int, label string) string {
	d := &drawing{}
	at := func(v float64) string { return px(2 + float64((barWidth-4)*min(max(v, 0), 1))) }
	d.put(`<svg class="chart" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%s">`, barWidth, barHeight, escape(label))
	d.put(`<path class="grid" d="M2 %dH%d"/><path class="axis" d="M2 3v10M%[2]d 3v10"/>`, barHeight/2, barWidth-2)
	d.put(`<path class="thick c%d" d="M%s %dH%s"/>`, color%colors, at(low), barHeight/2, at(high))
	d.put(`<circle class="d%d" cx="%s" cy="%d" r="4"/>`, color%colors, at(share), barHeight/2)
	d.put(`</svg>`)
	return d.String()
}

// Spark is values from 0 to 1 over steps, each held until the next, as a line's part of a page that has Style.
func Spark(points []Point, last float64, color int, label string) string {
	d := &drawing{}
	d.put(`<svg class="chart" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%s">`, sparkWidth, sparkHeight, escape(label))
	d.put(`<path class="grid" d="M2 %dH%d"/>`, sparkHeight-2, sparkWidth-2)
	x := func(v float64) string { return px(2 + float64((sparkWidth-4)*v/max(last, 1))) }
	y := func(v float64) string { return px(float64(sparkHeight-2) - float64((sparkHeight-4)*min(max(v, 0), 1))) }
	path := ""
	for _, p := range points {
		if !drawable(p) {
			continue
		}
		if path == "" {
			path = fmt.Sprintf("M%s %s", x(p.X), y(p.Y))
			continue
		}
		path += fmt.Sprintf("H%sV%s", x(p.X), y(p.Y))
	}
	if path != "" {
		d.put(`<path class="line c%d" d="%sH%s"/>`, color%colors, path, x(last))
	}
	d.put(`</svg>`)
	return d.String()
}

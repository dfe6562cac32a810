// Package chart draws lines and points with intervals, and diagrams of boxes, as an SVG file. The file follows from what is
// drawn alone, byte for byte, needs no font metrics, and has colours for light and dark pages.
//
// The well-kept library for it, gonum.org/v1/plot, brings eight modules and 9 MB of fonts and writers of PDF and PNG into
// the binary, and knows neither a page's colour scheme nor classes.
package chart

// Figure is rows of panels under a title.
type Figure struct {
	Title string
	Note  string // small, behind the title
	Width int    // in pixels; 0 is Width
	Rows  []Row
}

// Row is panels side by side, of one width.
type Row struct {
	Height int // of the panels' plots, in pixels
	Panels []Panel
}

// Panel is a plot with axes.
type Panel struct {
	X, Y   Axis
	Series []Series
}

// Axis begins at 0, or below where points are.
type Axis struct {
	Title string
	Max   float64 // ends there, or above where points are
	Fixed bool    // ends at Max and not at the next round number
	Whole bool    // has marks at whole numbers alone
}

// Series is points of one colour.
type Series struct {
	Name   string // in the legend, which a panel has where one of its series has a name
	Color  int    // of the palette, from 0
	Line   Line
	Mark   Mark
	Shift  float64 // pixels to the right, so that intervals at one place stand side by side
	Points []Point // in the order of X; those that are not finite, or beyond 1e15, are left out, and the line breaks there
}

// Point is a place, and where High is above Low an interval around it.
type Point struct{ X, Y, Low, High float64 }

// Line joins a series' points.
type Line string

// The lines.
const (
	None  Line = ""
	Thin  Line = "thin" // and pale
	Plain Line = "line"
	Thick Line = "thick"
)

// Mark stands at each of a series' points.
type Mark string

// The marks.
const (
	NoMark Mark = ""
	Dot    Mark = "dot"
	Ring   Mark = "ring"
)

package chart

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata")

// one is a figure with one panel of 200 pixels, whose plot lies from (52, 72) to (844, 272), without a legend.
func one(series ...Series) Figure {
	return Figure{Title: "run", Rows: []Row{{Height: 200, Panels: []Panel{{
		X: Axis{Title: "step", Max: 10, Whole: true}, Y: Axis{Title: "won (%)", Max: 100, Fixed: true}, Series: series,
	}}}}}
}

// TestPlaces: points, intervals and lines are where hand calculation puts them: 79.2 pixels a step, 2 a per cent.
func TestPlaces(t *testing.T) {
	svg := one(
		Series{Color: 1, Mark: Dot, Points: []Point{{X: 5, Y: 50, Low: 40, High: 60}, {X: 10, Y: 100}}},
		Series{Color: 2, Mark: Ring, Shift: 3, Points: []Point{{X: 0, Y: 25, Low: 20, High: 35}}},
		Series{Color: 0, Line: Thick, Points: []Point{{X: 0, Y: 0}, {X: 1, Y: 10}, {X: 2, Y: math.NaN()}, {X: 3, Y: 30}, {X: 4, Y: 99.5}}},
	).SVG()
	for _, want := range []string{
		`<path class="interval c1" d="M448 192V152"/>`,
		`<circle class="dot c1 d1" cx="448" cy="172" r="3.6"/>`,
		`<circle class="dot c1 d1" cx="844" cy="72" r="3.6"/>`,
		`<path class="interval c2" d="M55 232V202"/>`,
		`<circle class="ring c2" cx="55" cy="222" r="3.6"/>`,
		`<path class="thick c0" d="M52 272L131.2 252M289.6 212L368.8 73"/>`,
		`<path class="axis" d="M52 72V272H844"/>`,
		`<text class="name" text-anchor="middle" x="448" y="308">step</text>`,
		`<text class="name" text-anchor="start" x="16" y="60">won (%)</text>`,
		`<text class="mark" text-anchor="end" x="45" y="276">0</text>`,
		`<text class="mark" text-anchor="end" x="45" y="76">100</text>`,
		`<text class="mark" text-anchor="middle" x="844" y="290">10</text>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing in\n%s", want, svg)
		}
	}
}

// TestAxes: where axes begin and end, and what stands at their marks.
func TestAxes(t *testing.T) {
	for _, tt := range []struct {
		axis   Axis
		values []float64
		marks  int
		want   string
	}{
		{Axis{Max: 100, Fixed: true}, []float64{3, 42}, 5, "0 20 40 60 80 100"},
		{Axis{Max: 23, Fixed: true, Whole: true}, []float64{1, 23}, 11, "0 5 10 15 20"},
		{Axis{Max: 2, Fixed: true, Whole: true}, []float64{1, 2}, 11, "0 1 2"},
		{Axis{Whole: true}, []float64{0, 340}, 3, "0 200 400"},
		{Axis{}, []float64{.5, .61}, 3, "0.0 0.5 1.0"},
		{Axis{}, []float64{.0012}, 3, "0.0000 0.0005 0.0010 0.0015"},
		{Axis{}, []float64{2e-6, 3e-6}, 3, "0 1e-06 2e-06 3e-06"},
		{Axis{}, []float64{-.3, .9}, 3, "-0.5 0.0 0.5 1.0"},
		{Axis{}, []float64{0}, 2, "0.0 0.5 1.0"},
		{Axis{}, nil, 2, "0.0 0.5 1.0"},
		{Axis{}, []float64{3e9}, 3, "0 1e+09 2e+09 3e+09"},
	} {
		s := newScale(tt.axis, tt.values, 0, 1, tt.marks)
		var got []string
		for _, v := range s.marks() {
			got = append(got, s.label(v))
		}
		want := strings.Replace(strings.Replace(tt.want, "0.0000", "0", 1), "0.0 ", "0 ", 1)
		if strings.Join(got, " ") != want {
			t.Errorf("%+v of %v: got %v, want %s", tt.axis, tt.values, got, want)
		}
	}
}

// TestWellFormed: whatever is drawn, it is XML without a number that is none, and the same each time.
func TestWellFormed(t *testing.T) {
	odd := []Point{{X: math.Inf(1)}, {X: 1, Y: math.Inf(-1)}, {X: 2, Y: math.MaxFloat64}, {X: 3, Y: 1, Low: math.NaN(), High: 2}}
	for name, f := range map[string]Figure{
		"nothing":  {},
		"no panel": {Rows: []Row{{Height: 10}}},
		"text":     {Title: `<&"run">`, Note: "a\x00b", Rows: one(Series{Name: "</text>", Line: Thin, Points: []Point{{X: 1, Y: 2}}}).Rows},
		"odd":      one(Series{Name: "x", Line: Thick, Mark: Dot, Color: 99, Points: odd}),
		"alone":    one(Series{Line: Plain, Points: []Point{{X: 1, Y: 2}}}),
	} {
		svg := f.SVG()
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v in\n%s", name, err, svg)
			}
		}
		if found := regexp.MustCompile(`NaN|Inf`).FindString(svg); found != "" {
			t.Errorf("%s: %s in\n%s", name, found, svg)
		}
		if f.SVG() != svg {
			t.Errorf("%s: another picture the second time", name)
		}
	}
}

// TestLegend: names stand in as many rows as they need, and not under a panel that names none.
func TestLegend(t *testing.T) {
	long := strings.Repeat("n", 60)
	points := []Point{{X: 1, Y: 1}}
	p := Panel{Series: []Series{{Name: long, Points: points}, {Points: points}, {Name: "a", Points: points}, {Name: long, Points: points}, {Name: "empty"}}}
	var got []int
	for _, row := range p.legend(Width - left - right) {
		got = append(got, len(row))
	}
	if !slices.Equal(got, []int{2, 1}) {
		t.Errorf("got %v names in a row, want 2 and 1", got)
	}
	if rows := (Row{Panels: []Panel{{}, p}}).legend(Width); rows != 3 {
		t.Errorf("got %d rows beside another panel, want 3", rows)
	}
}

// TestPicture is all that there is, in one picture, to look at.
func TestPicture(t *testing.T) {
	wave := func(color int, line Line, phase, size float64) Series {
		s := Series{Color: color, Line: line}
		for i := range 40 {
			s.Points = append(s.Points, Point{X: float64(i + 1), Y: size * (1 + math.Round(1000*math.Sin(phase+float64(i)/6))/1000)})
		}
		return s
	}
	thin, thick := wave(0, Thin, 1, 40), wave(0, Thick, .5, 40)
	thin.Name, thick.Name = "each step", "mean"
	small := func(color int, title string, size float64) Panel {
		return Panel{X: Axis{Title: "step", Max: 40, Whole: true}, Y: Axis{Title: title}, Series: []Series{wave(color, Plain, 2, size)}}
	}
	f := Figure{Title: "picture", Note: "of everything", Rows: []Row{
		{Height: 260, Panels: []Panel{{X: Axis{Title: "step", Max: 40, Whole: true}, Y: Axis{Title: "won (%)", Max: 100, Fixed: true}, Series: []Series{
			thin, thick,
			{Name: "with", Color: 1, Mark: Dot, Shift: -3, Points: []Point{{X: 0, Y: 30, Low: 20, High: 42}, {X: 20, Y: 50, Low: 40, High: 61}}},
			{Name: "without", Color: 2, Mark: Ring, Shift: 3, Points: []Point{{X: 0, Y: 28, Low: 18, High: 40}, {X: 20, Y: 38, Low: 28, High: 50}}},
		}}}},
		{Height: 110, Panels: []Panel{small(3, "skills", 2500), small(4, "utility", .3)}},
		{Height: 110, Panels: []Panel{small(5, "KL", 1e-5), small(6, "entropy", 1.2)}},
	}}
	const golden = "testdata/picture.svg"
	got := f.SVG()
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(golden, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the picture is another: look at it and rewrite it with -update")
	}
}

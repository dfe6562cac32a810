package page

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/hone-rl/hone/internal/chart"
	"github.com/hone-rl/hone/version"
)

// document is what the page's template shows.
type document struct {
	Title   string
	Version string
	Style   template.CSS
	Script  template.JS
	Policy  string // of content: what a browser may load is what stands in the file

	Comparison *comparison // nil of one run
	Runs       []*run
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

var templates = template.Must(template.New("page").Funcs(template.FuncMap{"counted": counted, "pair": pair}).Parse(pageHTML))

func gather(ctx context.Context, c Config) (*document, error) {
	d := &document{
		Title: "Hone: " + strings.Join(c.Runs, ", "), Version: version.Hone,
		Style:  template.CSS(chart.Style + "\n" + pageCSS), //nolint:gosec // our own
		Script: template.JS(pageJS),                        //nolint:gosec // our own
	}
	d.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; img-src data:; base-uri 'none'; form-action 'none'",
		hashOf(string(d.Style)), hashOf(string(d.Script)))
	budget := &budget{episodes: max(c.Episodes, 0), runs: len(c.Runs), bytes: mostBytes}
	for i, name := range c.Runs {
		r, err := gatherRun(ctx, c.Store, fmt.Sprintf("r%d", i+1), name, budget)
		if err != nil {
			return nil, err
		}
		d.Runs = append(d.Runs, r)
	}
	var err error
	if len(d.Runs) > 1 {
		d.Comparison, err = compare(ctx, c.Store, d.Runs)
	}
	return d, err
}

// hashOf is a text's hash as a content security policy has it.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// table is numbers for people.
type table struct {
	Caption string
	Heads   []string
	Rows    [][]cell
	Note    string // below it
}

// cell is a field of a table: the first of a row says what the row is of.
type cell struct {
	Text    string
	Href    string        // "#…" within the page
	Picture template.HTML // of chart
}

func cells(texts ...string) []cell {
	all := make([]cell, len(texts))
	for i, text := range texts {
		all[i].Text = text
	}
	return all
}

// figure is a picture in two widths, with its numbers.
type figure struct {
	Wide, Narrow template.HTML
	Numbers      []table
}

func newFigure(f chart.Figure, numbers ...table) *figure {
	return &figure{Wide: drawn(f.Inline()), Narrow: drawn(f.Narrow().Inline()), Numbers: numbers}
}

// drawn is what package chart has drawn, which spells out all texts that are in it.
func drawn(svg string) template.HTML { return template.HTML(svg) } //nolint:gosec // see above

// pair is a part of a run for a template that also wants the id of the run.
func pair(id string, of any) any {
	return struct {
		ID string
		Of any
	}{id, of}
}

// counted is "1 game", "2 games".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// clipped is the beginning of a text that is too long, with how much more there is.
func clipped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s … (%d bytes more are left out)", strings.ToValidUTF8(text[:most], ""), len(text)-most)
}

// or is a text, or a dash where there is none.
func or(text string) string { return cmp.Or(text, "–") }

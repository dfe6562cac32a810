package check

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/golden"
)

// Result is what was found.
type Result struct {
	Counts []Count      `json:"counts"`
	First  []Difference `json:"first"` // at most keptDifferences of each kind
}

// keptDifferences is how many differences of a kind are told in full.
const keptDifferences = 5

// Count is how many cases of a kind were compared, and in how many something differs.
type Count struct {
	Kind     Kind `json:"kind"`
	Compared int  `json:"compared"`
	Differ   int  `json:"differ"`
}

// Of is the count of a kind.
func (r *Result) Of(kind Kind) Count {
	for _, c := range r.Counts {
		if c.Kind == kind {
			return c
		}
	}
	return Count{Kind: kind}
}

// Differ is how many cases of all kinds differ.
func (r *Result) Differ() (n int) {
	for _, c := range r.Counts {
		n += c.Differ
	}
	return n
}

// String is the counts on one line.
func (r *Result) String() string {
	list := make([]string, len(r.Counts))
	for i, c := range r.Counts {
		list[i] = fmt.Sprintf("%d %s", c.Compared, c.Kind)
		if c.Differ > 0 {
			list[i] += fmt.Sprintf(" (%d differ)", c.Differ)
		}
	}
	switch n := r.Differ(); {
	case len(list) == 0:
		return "nothing was compared"
	case n == 0:
		return strings.Join(list, ", ") + "; none differs"
	case n == 1:
		return strings.Join(list, ", ") + "; 1 differs"
	default:
		return strings.Join(list, ", ") + fmt.Sprintf("; %d differ", n)
	}
}

// count counts a case.
func (r *Result) count(kind Kind, differs bool) {
	at := -1
	for i, c := range r.Counts {
		if c.Kind == kind {
			at = i
		}
	}
	if at < 0 {
		at = len(r.Counts)
		r.Counts = append(r.Counts, Count{Kind: kind})
	}
	r.Counts[at].Compared++
	if differs {
		r.Counts[at].Differ++
	}
}

// Difference is one thing in which a case and the engine differ.
type Difference struct {
	Kind Kind   `json:"kind"`
	File string `json:"file"`
	Line int    `json:"line"` // counted from 1
	Case string `json:"case"` // on the line, and what of it
	Want string `json:"want"` // recorded
	Got  string `json:"got"`
}

// String is the difference in a few lines.
func (d Difference) String() string {
	return fmt.Sprintf("%s:%d: %s\n  want %s\n  got  %s", d.File, d.Line, d.Case, d.Want, d.Got)
}

// one is a case that is being compared.
type one struct {
	result  *Result
	kind    Kind
	place   golden.Place
	name    string
	differs bool
}

// compare counts a case and notes its first difference. It is false for a case that cannot be compared: that is noted as
// a fault, and others go on.
func (c *checker) compare(kind Kind, place golden.Place, name string, do func(*one) error) bool {
	o := &one{result: &c.result, kind: kind, place: place, name: name}
	if err := do(o); err != nil {
		if !errors.Is(err, errNoted) {
			c.fault(kind, fmt.Errorf("%s: %s: %w", place, name, err))
		}
		return false
	}
	c.result.count(kind, o.differs)
	return true
}

// same compares one thing of the case. It notes the first that differs: what follows one hardly means anything.
func (o *one) same(what string, got, want any) bool {
	g, w := shown(got), shown(want)
	if g == w || o.differs {
		return g == w
	}
	o.differs = true
	if kept := o.result.Of(o.kind).Differ; kept < keptDifferences {
		g, w = apart(g, w)
		what = strings.TrimPrefix(o.name+": "+what, ": ")
		o.result.First = append(o.result.First, Difference{o.kind, o.place.File, o.place.Line, what, w, g})
	}
	return false
}

func shown(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case []string, []webshop.Choice:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprintf("%v", v)
}

// What is shown of long values: so many bytes before the place where they part, and after it.
const shownBefore, shownAfter = 60, 120

// apart are two values as far as a reader needs them to see where they part.
func apart(a, b string) (string, string) {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	from := max(0, at-shownBefore)
	if from < 10 {
		from = 0
	}
	return cut(a, from, at+shownAfter), cut(b, from, at+shownAfter)
}

func cut(s string, from, to int) string {
	to = min(to, len(s))
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	text := s[from:to]
	if from > 0 {
		text = "…" + text
	}
	if to < len(s) {
		text += "…"
	}
	return text
}

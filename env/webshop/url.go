package webshop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// address is the URL of where a session stands. Nothing in it is escaped but what JSON escapes.
func (s *session) address() string {
	number := strconv.Itoa(s.number)
	keywords := strings.Join(s.keywords, "+")
	switch s.at {
	case results:
		return strings.Join([]string{"", "search_results", s.id, keywords, number}, "/")
	case item:
		return strings.Join([]string{"", "item_page", s.id, s.asin(), keywords, number, inJSON(s.options)}, "/")
	case subPage:
		return strings.Join([]string{"", "item_sub_page", s.id, s.asin(), keywords, number, s.sub, inRepr(s.options)}, "/")
	case thanks:
		return strings.Join([]string{"", "done", s.id, s.asin(), inRepr(s.options)}, "/")
	}
	return "/" + s.id
}

// shown is the kind of page that the original takes a URL for: the first of the names that stands anywhere in it, be
// it in the keywords.
func shown(url string) place {
	for _, p := range []struct {
		name string
		at   place
	}{{"search_results", results}, {"item_page", item}, {"item_sub_page", subPage}, {"done", thanks}} {
		if strings.Contains(url, p.name) {
			return p.at
		}
	}
	return front
}

// inJSON is json.dumps of a map of options.
func inJSON(options []Choice) string {
	return inMap(options, python.JSON)
}

// inRepr is repr of a map of options.
func inRepr(options []Choice) string {
	return inMap(options, python.Repr)
}

func inMap(options []Choice, quote func(string) string) string {
	parts := make([]string, len(options))
	for i, c := range options {
		parts[i] = quote(c.Name) + ": " + quote(c.Value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

var markup = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "'", `\u0027`)

// inPage is the JSON that a page shows: names in order, and what is HTML's as escapes.
func inPage(options []Choice) string {
	sorted := slices.SortedFunc(slices.Values(options), func(a, b Choice) int { return cmp.Compare(a.Name, b.Name) })
	return markup.Replace(inJSON(sorted))
}

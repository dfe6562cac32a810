package webshop_test

import (
	"fmt"
	"regexp"
	"strings"
)

var totals = regexp.MustCompile(`Page (\d+) \(Total results: (\d+)\)`)

// fromPages adds searches that are on record as pages only: what is not shown is some product.
func (s table) fromPages() {
	c := golden(s)
	for _, e := range lines[episode](s, "episodes.jsonl") {
		for _, st := range e.Steps {
			m := totals.FindStringSubmatch(st.Text)
			if m == nil {
				continue
			}
			var page, total int
			if _, err := fmt.Sscan(m[1]+" "+m[2], &page, &total); err != nil {
				s.Fatal(err)
			}
			parts := strings.Split(st.URL, "/")
			words := strings.ReplaceAll(strings.Join(parts[3:len(parts)-1], "/"), "+", " ")
			if _, ok := s.found[words]; !ok {
				s.found[words] = []string{}
				for i := range total {
					s.found[words] = append(s.found[words], c.At(i).ASIN)
				}
			}
			n := (page - 1) * 10
			for _, a := range st.Actions.Clickables {
				if p := c.Product(strings.ToUpper(a)); p != nil && n >= 0 {
					s.found[words][n] = p.ASIN
					n++
				}
			}
		}
	}
}

package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// parsed is a page as a browser reads it.
func parsed(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements are those of some names below n, of all without any, in their order.
func elements(n *html.Node, names ...string) (all []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && (len(names) == 0 || slices.Contains(names, d.Data)) {
			all = append(all, d)
		}
	}
	return all
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// text is what stands in n.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// find is the element with an id.
func find(t *testing.T, root *html.Node, id string) *html.Node {
	t.Helper()
	for _, n := range elements(root) {
		if attr(n, "id") == id {
			return n
		}
	}
	t.Fatalf("no element has the id %s", id)
	return nil
}

// rows are the fields of the table of a caption, without its heads.
func rows(t *testing.T, root *html.Node, caption string) (all [][]string) {
	t.Helper()
	for _, table := range elements(root, "table") {
		if text(elements(table, "caption")[0]) != caption {
			continue
		}
		for _, row := range elements(table, "tr")[1:] {
			var fields []string
			for _, cell := range elements(row, "th", "td") {
				fields = append(fields, text(cell))
			}
			all = append(all, fields)
		}
		return all
	}
	t.Fatalf("no table %q", caption)
	return nil
}

// allowed are the elements that pages are made of.
var allowed = strings.Fields(`a article b body button caption circle code dd details div dl dt figure footer g h1 h2 h3 h4 head header html
	input label li link main meta nav ol p path pre rect script section span style summary svg table tbody td text th thead title tr tspan ul`)

// sound checks what holds of every page, whatever is in it: it is made of known elements, ids are there once, links lead to one
// of them, nothing is loaded or run but the page's own style and script, and its policy names these.
func sound(t *testing.T, root *html.Node) {
	t.Helper()
	ids, policy, hashes := map[string]bool{}, "", map[string]string{}
	for _, n := range elements(root) {
		if !slices.Contains(allowed, n.Data) {
			t.Errorf("an element %s: %.200s", n.Data, text(n))
		}
		if id := attr(n, "id"); id != "" && ids[id] {
			t.Errorf("id %s is there twice", id)
		}
		ids[attr(n, "id")] = true
		switch n.Data {
		case "script", "style":
			if hashes[n.Data] != "" {
				t.Errorf("a second %s", n.Data)
			}
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			hashes[n.Data] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		case "meta":
			if attr(n, "http-equiv") == "Content-Security-Policy" {
				policy = attr(n, "content")
			}
		}
	}
	for _, want := range []string{"default-src 'none'; ", "style-src " + hashes["style"] + ";", "script-src " + hashes["script"] + ";"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %s, want %s in it", policy, want)
		}
	}
	for _, n := range elements(root) {
		for _, a := range n.Attr {
			target, within := strings.CutPrefix(a.Val, "#")
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "style", a.Key == "srcdoc":
				t.Errorf("%s has %s=%q", n.Data, a.Key, a.Val)
			case a.Key != "href", n.Data == "link" && a.Val == "data:,":
			case !within || !ids[target]:
				t.Errorf("%s leads to %q, which is not there", n.Data, a.Val)
			}
		}
	}
}

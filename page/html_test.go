package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// element is an element of a page with its attributes.
type element struct {
	name string
	attr map[string]string
	text string // all text in it
}

// elements parses a page as a browser does, and checks what holds of every page: ids are there once, links lead to one of
// them, nothing is loaded, no element runs anything but the page's own script, and the policy names that and the style.
func elements(t *testing.T, page string) []element {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []element
	var walk func(*html.Node) string
	walk = func(n *html.Node) string {
		at := -1
		if n.Type == html.ElementNode {
			e := element{name: n.Data, attr: map[string]string{}}
			for _, a := range n.Attr {
				e.attr[a.Key] = a.Val
			}
			at = len(all)
			all = append(all, e)
		}
		text := ""
		if n.Type == html.TextNode {
			text = n.Data
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			text += walk(c)
		}
		if at >= 0 {
			all[at].text = text
		}
		return text
	}
	walk(root)
	check(t, all)
	return all
}

func check(t *testing.T, all []element) {
	t.Helper()
	known := map[string]bool{"a": true, "article": true, "b": true, "body": true, "button": true, "caption": true, "circle": true, "code": true}
	for _, name := range strings.Fields("dd details div dl dt figure footer g h1 h2 h3 h4 head header html input label li link main meta nav ol p path pre rect script section span style summary svg table tbody td text th thead title tr tspan ul") {
		known[name] = true
	}
	ids, policy, hashes := map[string]bool{}, "", map[string]string{}
	for _, e := range all {
		if !known[e.name] {
			t.Errorf("an element %s: %.200s", e.name, e.text)
		}
		if id := e.attr["id"]; id != "" {
			if ids[id] {
				t.Errorf("id %s is there twice", id)
			}
			ids[id] = true
		}
		switch e.name {
		case "script", "style":
			if hashes[e.name] != "" {
				t.Errorf("a second %s", e.name)
			}
			sum := sha256.Sum256([]byte(e.text))
			hashes[e.name] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		case "meta":
			if e.attr["http-equiv"] == "Content-Security-Policy" {
				policy = e.attr["content"]
			}
		}
	}
	for _, want := range []string{"default-src 'none'; ", "style-src " + hashes["style"] + ";", "script-src " + hashes["script"] + ";"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %s, want %s in it", policy, want)
		}
	}
	for _, e := range all {
		for name, value := range e.attr {
			target, within := strings.CutPrefix(value, "#")
			switch {
			case strings.HasPrefix(name, "on"), name == "src", name == "style", name == "srcdoc":
				t.Errorf("%s has %s=%q", e.name, name, value)
			case name == "href" && e.name == "link" && value == "data:,":
			case name == "href" && (!within || !ids[target]):
				t.Errorf("%s leads to %q, which is not there", e.name, value)
			}
		}
	}
}

// rows are the fields of the table with a caption that ends so.
func rows(t *testing.T, page, caption string) [][]string {
	t.Helper()
	for _, e := range elements(t, page) {
		_ = e
	}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var found [][]string
	var walk func(*html.Node, bool)
	text := func(n *html.Node) string {
		var b strings.Builder
		var in func(*html.Node)
		in = func(n *html.Node) {
			if n.Type == html.TextNode {
				b.WriteString(n.Data)
			}
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				in(c)
			}
		}
		in(n)
		return strings.TrimSpace(b.String())
	}
	walk = func(n *html.Node, in bool) {
		if n.Type == html.ElementNode && n.Data == "table" {
			in = false
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				in = in || c.Data == "caption" && strings.HasSuffix(text(c), caption)
			}
		}
		if in && n.Type == html.ElementNode && n.Data == "tr" {
			var fields []string
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				if c.Type == html.ElementNode {
					fields = append(fields, text(c))
				}
			}
			found = append(found, fields)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, in)
		}
	}
	walk(root, false)
	if len(found) == 0 {
		t.Fatalf("no table %q", caption)
	}
	return found[1:]
}

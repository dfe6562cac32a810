package webshop

import (
	"slices"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// Page is what a player is shown. It never changes.
type Page struct {
	pieces  []piece
	url     string
	visited []string // asins that have been opened
	bar     bool     // there is a search bar
}

// piece is a text on a page.
type piece struct {
	kind pieceKind
	text string
}

type pieceKind byte

const (
	plain  pieceKind = iota
	button           // to be clicked by its text
	link             // to a product, whose asin it shows
	choice           // a value of an option
)

// Available is what may be done on a page.
type Available struct {
	SearchBar bool
	// Clickables are buttons in the page's order, then products, then values of options, in lower case and each once.
	// "search" is among them on the search page, where clicking it does nothing.
	Clickables []string
}

// add puts a text on the page, as a browser's reader keeps it: an empty one is none, and white space is one newline,
// which is not shown, if it holds one, else one blank.
func (p *Page) add(kind pieceKind, text string) {
	if strings.Trim(text, " \t\n\f\r") == "" {
		if text == "" || strings.Contains(text, "\n") {
			return
		}
		text = " "
	}
	p.pieces = append(p.pieces, piece{kind, text})
}

func (p *Page) texts(list ...string) {
	for _, text := range list {
		p.add(plain, text)
	}
}

// URL is the page's address without scheme, host and port.
func (p *Page) URL() string { return p.url }

// Text is the page in plain text: its pieces, trimmed and set off by " [SEP] ".
func (p *Page) Text() string {
	var b strings.Builder
	for i, t := range p.pieces {
		if i > 0 {
			b.WriteString(" [SEP] ")
		}
		b.WriteString(python.Strip(t.text))
	}
	return b.String()
}

// Rich is the page line by line, with buttons marked as such and as clicked: a product that has been opened since the
// search page, and a value that stands quoted in the URL, as chosen options do there but for those with a character
// that JSON escapes. Each such value is also told before everything that stands above it.
func (p *Page) Rich() string {
	var b strings.Builder
	var clicked []string
	for _, t := range p.pieces {
		switch {
		case t.kind == button:
			b.WriteString("[button] " + t.text + " [button_]\n")
		case t.kind == link && slices.Contains(p.visited, t.text):
			b.WriteString("\n[clicked button] " + t.text + " [clicked button_]\n")
		case t.kind == link:
			b.WriteString("\n[button] " + t.text + " [button_]\n")
		case t.kind == choice && strings.Contains(p.url, `"`+t.text+`"`):
			b.WriteString("  [clicked button] " + t.text + " [clicked button_]\n")
			clicked = append(clicked, "You have clicked "+t.text+".\n")
		case t.kind == choice:
			b.WriteString("  [button] " + t.text + " [button_]\n")
		default:
			b.WriteString(t.text + "\n")
		}
	}
	slices.Reverse(clicked)
	return strings.Join(clicked, "") + b.String()
}

// Available is what may be done here.
func (p *Page) Available() Available {
	a := Available{SearchBar: p.bar}
	seen := map[string]bool{}
	for _, kind := range []pieceKind{button, link, choice} {
		for _, t := range p.pieces {
			if t.kind != kind {
				continue
			}
			text := t.text
			if kind != choice { // values are in lower case already
				text = python.Lower(text)
			}
			if !seen[text] {
				seen[text] = true
				a.Clickables = append(a.Clickables, text)
			}
		}
	}
	return a
}

package bazaar

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
)

// maker makes one product after the other.
type maker struct {
	seed   uint64
	titles map[string]bool
}

// made is a product, before it is written.
type made struct {
	kind
	asin         string
	title        string
	nouns        []string
	material     string
	place        string
	traits       []trait
	options      []axis
	price        string
	wanted       []string // attributes of the instruction, nil for none
	instructions []wish   // by people
}

// attempts bounds the draws for one product: titles are not to repeat.
const attempts = 200

func (m *maker) product(index int) (made, error) {
	for attempt := range attempts {
		d := newDraw(m.seed, index, attempt)
		p := made{kind: kinds[index%len(kinds)], asin: d.asin(index)}
		p.name(d)
		if m.titles[p.title] {
			continue
		}
		m.titles[p.title] = true
		for _, name := range d.some(p.kind.traits, 2, 4) {
			p.traits = append(p.traits, traitOf[name])
		}
		for _, a := range p.axes {
			if !d.percent(80) {
				continue
			}
			p.options = append(p.options, axis{a.name, d.some(a.values, 2, 6)})
		}
		p.price = d.price(p.low, p.high)
		p.ask(d)
		return p, nil
	}
	return made{}, fmt.Errorf("bazaar: no new title for product %d in %d draws; expected fewer products", index, attempts)
}

// name makes the title and lists its nouns.
func (p *made) name(d *draw) {
	brand, look := d.one(brands), d.one(p.looks)
	p.material, p.place = d.one(p.made), d.one(p.places)
	p.title = fmt.Sprintf("%s %s %s %s for %s", brand, look, p.material, p.thing, p.place)
	p.nouns = strings.Fields(strings.ToLower(brand + " " + p.material + " " + p.thing + " " + p.place))
	if d.percent(40) {
		model := fmt.Sprintf("Model %c%d", 'A'+d.below(26), 10+d.below(90))
		p.title += ", " + model
		p.nouns = append(p.nouns, strings.Fields(strings.ToLower(model))...)
	}
}

// draw draws for one product.
type draw struct{ *mt19937.Python }

func newDraw(name ...any) *draw {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", name))
	return &draw{mt19937.NewPython(int64(binary.BigEndian.Uint64(sum[:]) >> 1))}
}

func (d *draw) below(n int) int           { return d.Below(n) }
func (d *draw) percent(p int) bool        { return d.Below(100) < p }
func (d *draw) one(list []string) string  { return list[d.Below(len(list))] }
func (d *draw) between(low, high int) int { return low + d.Below(high-low+1) }

// some are from low to high of a list, or all of a shorter one, in the list's order.
func (d *draw) some(list []string, low, high int) []string {
	n := min(d.between(low, high), len(list))
	var drawn []string
	for i, s := range list {
		if d.Below(len(list)-i) < n-len(drawn) {
			drawn = append(drawn, s)
		}
	}
	return drawn
}

// asin is a name of ten characters that no other product has: the place, and letters so that names do not count up.
func (d *draw) asin(index int) string {
	letters := make([]byte, 4)
	for i := range letters {
		letters[i] = 'A' + byte(d.below(26))
	}
	return fmt.Sprintf("H%05d%s", index, letters)
}

// price is a price text: mostly one price, sometimes a range, and now and then none.
func (d *draw) price(low, high float64) string {
	cents := func(from, to float64) float64 { return float64(int(from*100) + d.below(int((to-from)*100)+1)) }
	at := cents(low, high)
	switch n := d.below(100); {
	case n < 3:
		return ""
	case n < 13:
		return fmt.Sprintf("$%.2f - $%.2f", at/100, (at+cents(1, 12))/100)
	}
	return fmt.Sprintf("$%.2f", at/100)
}

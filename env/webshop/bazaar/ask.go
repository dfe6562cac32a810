package bazaar

import (
	"fmt"
	"strings"
)

// wish is an instruction in a person's words.
type wish struct {
	text    string
	traits  []string
	options []string // values
}

// ask makes instructions: one of a form for most products, and for some one in other words.
func (p *made) ask(d *draw) {
	var names []string
	for _, t := range p.traits {
		names = append(names, t.name)
	}
	if d.percent(75) {
		p.wanted = d.some(names, 1, 3)
	}
	if d.percent(20) {
		p.instructions = []wish{p.say(d, d.some(names, 1, 2))}
	}
}

// instruction asks for the product without its options, which the shop adds.
func (p *made) instruction() string {
	return fmt.Sprintf("I would like to buy %s %s", list(p.wanted), p.query)
}

// list is an enumeration: a, b and c.
func list(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// say asks for the product and one value of each option as somebody might who does not know the shop's words.
func (p *made) say(d *draw, names []string) wish {
	w := wish{traits: names}
	thing, place := strings.ToLower(p.thing), strings.ToLower(p.place)
	trait := list(names)
	switch d.below(4) {
	case 0:
		w.text = fmt.Sprintf("please find a %s for %s. it must be %s", thing, place, trait)
	case 1:
		w.text = fmt.Sprintf("my old %s broke and the next one should be %s, it is for %s", thing, trait, place)
	case 2:
		w.text = fmt.Sprintf("looking for %s, %s, made with %s", p.query, trait, strings.ToLower(p.material))
	default:
		w.text = fmt.Sprintf("can you get me something %s in the way of %s? it is meant for %s", trait, p.query, place)
	}
	for _, o := range p.options {
		value := d.one(o.values)
		w.options = append(w.options, value)
		w.text += fmt.Sprintf(", and take the %s %s", value, strings.ToLower(o.name))
	}
	w.text += "."
	return w
}

// describe are the description and the bullets. A search sees the description and the first bullet only, so that most
// of what instructions ask for has to be read.
func (p *made) describe() (description string, bullets []string) {
	bullets = []string{fmt.Sprintf("Made with %s for %s.", strings.ToLower(p.material), strings.ToLower(p.place))}
	for _, t := range p.traits {
		bullets = append(bullets, t.says)
	}
	description = fmt.Sprintf("%s. Among our %s this is the one to take for %s.", p.title, p.query, strings.ToLower(p.place))
	return description, bullets
}

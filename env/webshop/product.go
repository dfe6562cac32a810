package webshop

import "slices"

// Product is one product of a catalogue, as the shop knows it. It never changes.
type Product struct {
	ASIN        string
	Title       string
	Description string
	Bullets     []string
	Options     []Option // in the file's order
	Attributes  []string // that the goals are about

	Category     string // one of a few, such as "fashion"
	Query        string // what one would search for it with, in lower case
	CategoryPath string // the shop's tree, its parts set off by " › "

	Prices []float64 // in dollars: one, or two to draw one between
	Tag    string    // the price as pages show it

	Instruction *Instruction  // of the attribute file, nil where it has none
	Human       []Instruction // written by people
}

// Option is something to be chosen. Values may repeat.
type Option struct {
	Name   string // in lower case
	Values []string
}

// Instruction asks for a product, without a price.
type Instruction struct {
	Text       string
	Attributes []string
	Options    []string // values that are wanted, without names; for instructions by people only
}

// asks reports whether two instructions ask for the same.
func (i *Instruction) asks(other *Instruction) bool {
	return i.Text == other.Text && slices.Equal(i.Attributes, other.Attributes) && slices.Equal(i.Options, other.Options)
}

// Choice is a value of an option. Where only the value is known, as in what people ask for, the name is empty.
type Choice struct {
	Name, Value string
}

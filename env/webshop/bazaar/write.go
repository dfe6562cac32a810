package bazaar

import (
	"bytes"
	"encoding/json"
)

// writer collects products in the order of their making. Objects are written member by member, so that the files do
// not depend on a map's order.
type writer struct {
	products, attributes, instructions, nouns members
	err                                       error
}

// value and item are a value of an option and a product in WebShop's products file.
type value struct {
	Value string `json:"value"`
}

type item struct {
	ASIN         string          `json:"asin"`
	Name         string          `json:"name"`
	Description  string          `json:"full_description"`
	Bullets      []string        `json:"small_description"`
	Pricing      string          `json:"pricing"`
	Options      json.RawMessage `json:"customization_options"`
	Category     string          `json:"category"`
	Query        string          `json:"query"`
	CategoryPath string          `json:"product_category"`
	Images       []string        `json:"images"`
}

type attributes struct {
	Attributes            []string `json:"attributes"`
	Instruction           string   `json:"instruction,omitempty"`
	InstructionAttributes []string `json:"instruction_attributes,omitempty"`
}

type instruction struct {
	ASIN        string   `json:"asin"`
	Instruction string   `json:"instruction"`
	Attributes  []string `json:"instruction_attributes"`
	Options     []string `json:"instruction_options"`
}

func (w *writer) add(p made) {
	i := item{
		ASIN: p.asin, Name: p.title, Pricing: p.price, Options: json.RawMessage(`""`),
		Category: p.category, Query: p.query, CategoryPath: p.path, Images: []string{},
	}
	i.Description, i.Bullets = p.describe()
	if len(p.options) > 0 {
		var options members
		for _, o := range p.options {
			list := make([]value, len(o.values))
			for k, v := range o.values {
				list[k] = value{v}
			}
			options.put(w, o.name, list)
		}
		i.Options = options.object("")
	}
	w.products.put(w, "", i)
	a := attributes{Attributes: []string{}, InstructionAttributes: p.wanted}
	for _, t := range p.traits {
		a.Attributes = append(a.Attributes, t.name)
	}
	if p.wanted != nil {
		a.Instruction = p.instruction()
	}
	w.attributes.put(w, p.asin, a)
	w.nouns.put(w, p.asin, p.nouns)
	var wishes []instruction
	for _, s := range p.instructions {
		wishes = append(wishes, instruction{p.asin, s.text, s.traits, append([]string{}, s.options...)})
	}
	if wishes != nil {
		w.instructions.put(w, p.asin, wishes)
	}
}

func (w *writer) files() (Files, error) {
	return Files{
		Products: w.products.list("\n"), Attributes: w.attributes.object("\n"),
		Instructions: w.instructions.object("\n"), Nouns: w.nouns.object("\n"),
	}, w.err
}

// members are of a JSON object or list that is being written.
type members struct{ text bytes.Buffer }

// put adds a member, or an element where name is empty.
func (m *members) put(w *writer, name string, v any) {
	data, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	if m.text.Len() > 0 {
		m.text.WriteString(",\n")
	}
	if name != "" {
		quoted, _ := json.Marshal(name) // a string always can be
		m.text.Write(append(quoted, ": "...))
	}
	m.text.Write(data)
}

func (m *members) object(end string) []byte { return m.wrap("{", "}", end) }
func (m *members) list(end string) []byte   { return m.wrap("[", "]", end) }

func (m *members) wrap(open, shut, end string) []byte {
	return []byte(open + m.text.String() + shut + end)
}

package catalogue

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// What entries have that is not searched is as long as in WebShop's thousand products: 4 bullets of 161 bytes beside the first, a path
// of five parts, 415 of 1,000 with an instruction, and one of 98 with one by people (12,087 of the full catalogue).
const (
	furtherBullets = 4
	bulletBytes    = 161
	queries        = 5000
	paths          = 1000
	perPeople      = 98
)

// entry is a product as WebShop's file has it.
type entry struct {
	ASIN        string              `json:"asin"`
	Name        string              `json:"name"`
	Description string              `json:"full_description"`
	Bullets     []string            `json:"small_description"`
	Pricing     string              `json:"pricing"`
	Options     map[string][]option `json:"customization_options"`
	Category    string              `json:"category"`
	Query       string              `json:"query"`
	Path        string              `json:"product_category"`
	Images      []string            `json:"images"`
}

type option struct {
	Value string `json:"value"`
	Image string `json:"image"`
}

// image is a link that nobody reads.
func image(asin string, k int) string {
	return fmt.Sprintf("https://images.example.org/images/I/%s/%d/%s.jpg", asin, k, strings.Repeat("a", 64))
}

// entry is product i. Its index text has the terms of Document, in their order: a seventh of the words make the title,
// then come the description, a bullet and, in every second product, an option.
func (c Catalogue) entry(i int) entry {
	asin, text := c.Document(i)
	words := strings.Split(text, " ")
	n := len(words)
	title, described, bullet := n/7+1, max(n/7+1, n*4/5), n
	options := map[string][]option{}
	if i%2 == 0 && n > 40 {
		bullet = n - 5
		name := strings.Trim(words[bullet], ",")
		for _, word := range words[bullet+1:] {
			options[name] = append(options[name], option{strings.Trim(word, ","), image(asin, len(options[name]))})
		}
	}
	e := entry{
		ASIN: asin, Name: strings.Join(words[:title], " "), Description: strings.Join(words[title:described], " "),
		Bullets: []string{strings.Join(words[described:bullet], " ")}, Pricing: price(i), Options: options,
		Category: [...]string{"beauty", "electronics", "fashion", "garden", "grocery"}[i%5], Query: word(uint32(i%queries)) + " " + word(uint32(i%7)),
	}
	for k := range furtherBullets {
		e.Bullets = append(e.Bullets, strings.Repeat(word(uint32(i+k))+" ", bulletBytes/4))
		e.Images = append(e.Images, image(asin, k))
	}
	path := make([]string, 5)
	for k := range path {
		path[k] = word(uint32(i%paths*(k+1))) + " & " + word(uint32(k))
	}
	e.Path = strings.Join(path, " › ")
	return e
}

// price is a price, or for 93 of 1,000 a range.
func price(i int) string {
	low := float64(i%997)/10 + 1
	if i%1000 < 93 {
		return fmt.Sprintf("$%.2f - $%.2f", low, low+7)
	}
	return fmt.Sprintf("$%.2f", low)
}

// Products is the file of the first so many products.
func (c Catalogue) Products(count int) io.Reader {
	return &file{count: count, open: "[", shut: "]", entry: func(i int) (string, any) { return "", c.entry(i) }}
}

// Attributes is their file of attributes.
func (c Catalogue) Attributes(count int) io.Reader {
	return &file{count: count, open: "{", shut: "}", entry: func(i int) (string, any) {
		of := []string{word(uint32(i%911)) + " " + word(uint32(i%13)), word(uint32(i % 541))}
		one := map[string]any{"attributes": of}
		if i%1000 < 415 {
			one["instruction"], one["instruction_attributes"] = "Find me "+word(uint32(i%queries))+" with "+of[0], of[:1]
		}
		return asin(i), one
	}}
}

// Instructions is their file of instructions by people.
func (c Catalogue) Instructions(count int) io.Reader {
	return &file{count: (count + perPeople - 1) / perPeople, open: "{", shut: "}", entry: func(i int) (string, any) {
		i *= perPeople
		return asin(i), []map[string]any{{
			"instruction": "i am looking for " + word(uint32(i%queries)) + ".", "instruction_attributes": []string{word(uint32(i % 541))},
			"instruction_options": []string{},
		}}
	}}
}

// file is JSON of so many entries, an entry a line, made as it is read.
type file struct {
	count, next int
	open, shut  string
	entry       func(i int) (name string, value any)
	left        []byte
}

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	for len(f.left) == 0 {
		if f.next > f.count {
			return 0, io.EOF
		}
		if err := f.more(); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.left)
	f.left = f.left[n:]
	return n, nil
}

// more makes the next line.
func (f *file) more() error {
	begin := ",\n"
	if f.next == 0 {
		begin = f.open + "\n"
	}
	if f.next == f.count {
		f.left = []byte("\n" + f.shut + "\n")
		f.next++
		return nil
	}
	name, value := f.entry(f.next)
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if name != "" {
		begin += fmt.Sprintf("%q: ", name)
	}
	f.left = append([]byte(begin), text...)
	f.next++
	return nil
}

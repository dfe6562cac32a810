package catalogue_test

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/internal/catalogue"
	"github.com/hone-rl/hone/env/webshop/search"
)

// TestFiles: the files are a catalogue whose index texts have the terms of the documents, and its entries are as long as
// real ones (2,719 bytes).
func TestFiles(t *testing.T) {
	c := catalogue.Catalogue{Seed: 3}
	const count = 1000
	read, err := webshop.Read(webshop.Sources{Products: c.Products(count), Attributes: c.Attributes(count), Instructions: c.Instructions(count)})
	if err != nil {
		t.Fatal(err)
	}
	if read.Len() != count || read.Passed() != (webshop.Passed{}) {
		t.Errorf("%d products, passed over %+v", read.Len(), read.Passed())
	}
	i, asked, people, ranged, chosen := 0, 0, 0, 0, 0
	for doc, err := range read.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		id, text := c.Document(i)
		if got, want := search.Terms(doc.Text), search.Terms(text); doc.ID != id || !slices.Equal(got, want) {
			t.Fatalf("product %d is %s with %q, want %s with %q", i, doc.ID, got, id, want)
		}
		p, err := read.At(i)
		if err != nil {
			t.Fatal(err)
		}
		if p.Instruction != nil {
			asked++
		}
		if len(p.Prices) == 2 {
			ranged++
		}
		if len(p.Options) > 0 {
			chosen++
		}
		people += len(p.Human)
		i++
	}
	if asked != 415 || ranged != 93 || people != 11 || chosen < 400 || chosen > 500 {
		t.Errorf("%d with an instruction, %d with a range of prices, %d by people, %d with options, want 415, 93, 11 and 477", asked, ranged, people, chosen)
	}
	size, err := io.Copy(io.Discard, c.Products(count))
	if err != nil || math.Abs(float64(size)/count-2719) > 300 {
		t.Errorf("%d bytes a product, %v, want some 2,719", size/count, err)
	}
}

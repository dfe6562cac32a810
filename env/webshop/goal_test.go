package webshop_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop"
)

// TestBadShop: shops that cannot be.
func TestBadShop(t *testing.T) {
	plain, err := read("["+entry()+"]", `{}`, "")
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Repeat(`{"value": "x"},`, 300) + `{"value": "y"}`
	huge, err := read("["+entry(`"Color": null`, `"a": [`+values+`], "b": [`+values+`], "c": [`+values+`], "d": [`+values+`]`)+"]",
		`{"B01": {"instruction": "x", "instruction_attributes": ["a"]}}`, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cfg  webshop.Config
		want string
	}{
		{webshop.Config{}, "expected a catalogue"},
		{webshop.Config{Catalogue: plain, Searcher: inTitle{plain}, Judge: right{}}, "no instruction of the kind"},
		{webshop.Config{Catalogue: huge, Searcher: inTitle{plain}, Judge: right{}}, `product "B01": its options bring the catalogue over 33554432 goals`},
	} {
		if _, err := webshop.New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestPriceOf: what is not sold has no price.
func TestPriceOf(t *testing.T) {
	if price, ok := small(t).Price("none"); ok {
		t.Errorf("a product that is not there costs %v", price)
	}
}

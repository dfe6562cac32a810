package webshop_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/envtest"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/internal/outside"
)

func sources(products, attributes, human string) webshop.Sources {
	s := webshop.Sources{Products: strings.NewReader(products), Attributes: strings.NewReader(attributes)}
	if human != "" {
		s.Instructions = strings.NewReader(human)
	}
	return s
}

// stored is a catalogue on disk.
func stored(t testing.TB, dir string) *webshop.Stored {
	t.Helper()
	s, err := webshop.OpenStored(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestStored: every product, price and goal of a catalogue on disk is what it is in memory, and so is what was passed
// over. Lists may be empty on one side and missing on the other.
func TestStored(t *testing.T) {
	dir := t.TempDir()
	const attributes = `{"B01": {"attributes": []}, "B02": {"instruction": "x", "instruction_attributes": ["a"]}, "B03": {}, "B09": {}}`
	const human = `{"B02": [{"instruction": "a", "instruction_attributes": ["b"], "instruction_options": ["c", ""]}], "B01": []}`
	products := "[" + entry() + ",\n" + entry("B01", "B02", `{"value": "L"}`, `{"value": "L"}, {"value": "l"}`) + "," + entry(`"B01"`, `"nan"`) + "," + entry("B01", "B03", "$9.99 - $12", "") + "]"
	var told webshop.StoreProgress
	err := webshop.Store(t.Context(), dir, sources(products, attributes, human), webshop.StoreOptions{Progress: func(p webshop.StoreProgress) { told = p }})
	if err != nil {
		t.Fatal(err)
	}
	want, err := read(products, attributes, human)
	if err != nil {
		t.Fatal(err)
	}
	s := stored(t, dir)
	if s.Catalogue.Len() != 3 || s.Catalogue.Passed() != want.Passed() || want.Passed() != (webshop.Passed{Unnamed: 1, Unknown: 1}) {
		t.Errorf("%d products, passed over %+v, want 3 and %+v", s.Catalogue.Len(), s.Catalogue.Passed(), want.Passed())
	}
	if told.Products != 3 || told.Postings == 0 || told.Written != told.Postings || told.Read != int64(len(products)) {
		t.Errorf("told %+v of 3 products and %d bytes", told, len(products))
	}
	for i := range want.Len() {
		got := *at(t, s.Catalogue, i)
		if i == 0 {
			got.Attributes, got.Human = []string{}, []webshop.Instruction{} // "[]" in the files
		}
		if w := at(t, want, i); !reflect.DeepEqual(&got, w) {
			t.Errorf("product %d is\n%+v, want\n%+v", i, got, *w)
		}
		if p, err := s.Catalogue.Product(got.ASIN); err != nil || p.Title != got.Title {
			t.Errorf("%s is %+v, %v", got.ASIN, p, err)
		}
	}
	again := t.TempDir()
	if err := webshop.Store(t.Context(), again, sources(products, attributes, human), webshop.StoreOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"products", "search"} {
		a, errA := os.ReadFile(filepath.Join(dir, name))
		b, errB := os.ReadFile(filepath.Join(again, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %v, %v, expected the same bytes twice", name, errA, errB)
		}
	}
}

// TestStoreFails: an error of the sources names file and line, and leaves what was there before.
func TestStoreFails(t *testing.T) {
	dir := t.TempDir()
	good := "[" + entry() + "]"
	if err := webshop.Store(t.Context(), dir, sources(good, "{}", ""), webshop.StoreOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ products, attributes, by, want string }{
		{good + "x", "{}", "", "products:3: entry 1: invalid character 'x'"},
		{"[" + entry() + ",\n" + entry("B01", "B02", `"$9.99 - $12"`, `"12 dollars"`) + "]", "{}", "", `products:4: entry 2: product "B02": pricing "12 dollars" has no "$"`},
		{"[]", "{}", "", "products has no product"},
		{good, "{\n\"B01\": 5}", "", "attributes:2: entry 1"},
		{good, "{}", "[", "instructions:1: the file begins with"},
	} {
		err := webshop.Store(t.Context(), dir, sources(c.products, c.attributes, c.by), webshop.StoreOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, env.ErrBadGame) {
			t.Errorf("%.60q: %v, want %q", c.products, err, c.want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
			t.Errorf("%.60q leaves %v, %v", c.products, entries, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := webshop.Store(ended, dir, sources(good, "{}", ""), webshop.StoreOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
	if s := stored(t, dir); s.Catalogue.Len() != 1 {
		t.Errorf("%d products, want the one from before", s.Catalogue.Len())
	}
}

// TestBadStore: files that are damaged, missing or of two catalogues are no catalogue; a record that is damaged is told
// once its product is asked for, and ends an episode.
func TestBadStore(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	const asked = `{"B01": {"attributes": ["a"], "instruction": "x", "instruction_attributes": ["a"]}}`
	for to, text := range map[string]string{dir: "[" + entry() + "," + entry("B01", "B02", "Red Lamp", "Blue Table") + "]", other: "[" + entry() + "]"} {
		if err := webshop.Store(t.Context(), to, sources(text, asked, ""), webshop.StoreOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	products, index := filepath.Join(dir, "products"), filepath.Join(dir, "search")
	good, err := os.ReadFile(products)
	if err != nil {
		t.Fatal(err)
	}
	fails := func(want string) {
		t.Helper()
		if _, err := webshop.OpenStored(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	bad := bytes.Clone(good)
	bad[bytes.Index(bad, []byte("Blue Table"))] = 'X'
	if err := os.WriteFile(products, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	s := stored(t, dir)
	shop, err := webshop.New(webshop.Config{Catalogue: s.Catalogue, Searcher: webshop.NewSearcher(s.Index), Judge: right{}})
	if err != nil {
		t.Fatal(err)
	}
	ep := start(t, shop, 0)
	if _, err := ep.Step(t.Context(), "search[table]"); !errors.Is(err, webshop.ErrBadStore) || !strings.Contains(err.Error(), "product 2") {
		t.Errorf("a page with a damaged product: %v, want %v", err, webshop.ErrBadStore)
	}
	for i := range good {
		if i%7 > 0 { // a part of them will do
			continue
		}
		if err := os.WriteFile(products, good[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := webshop.OpenStored(dir); !errors.Is(err, webshop.ErrBadStore) {
			t.Errorf("cut after %d bytes: %v", i, err)
		}
	}
	if err := os.WriteFile(products, good, 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(other, "search"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, data, 0o600); err != nil {
		t.Fatal(err)
	}
	fails("belongs to other products (hone webshop index makes it again)")
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	fails("search: no such file")
	dir = filepath.Join(dir, "none")
	fails("none/products: no such file")
}

// TestConformanceOnDisk plays goals of a catalogue on disk.
func TestConformanceOnDisk(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return outside.Shared(t, "webshop-golden", "data", name) }
	s, closed, err := webshop.Files{Products: at("items_shuffle_1000.json"), Attributes: at("items_ins_v2_1000.json")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer closed()
	if err := webshop.Store(t.Context(), dir, s, webshop.StoreOptions{}); err != nil {
		t.Fatal(err)
	}
	c := stored(t, dir)
	shops := newShops(t)
	shops.base.Catalogue, shops.base.Searcher = c.Catalogue, webshop.NewSearcher(c.Index)
	shop := shops.shop(t, webshop.Config{Seed: webshop.FixedSeed})
	envtest.Run(t, suite(t, shop, []env.PlanKind{env.Straight, env.Search}, 0, 3000))
	games, err := shop.Games(webshop.Test)
	if err != nil || len(games) != 500 {
		t.Errorf("%d games of the test split, %v, want 500", len(games), err)
	}
}

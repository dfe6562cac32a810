package webshop

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/shelf"
	"github.com/hone-rl/hone/env/webshop/search"
)

// twoProducts is a folder with a catalogue of two, and that catalogue in memory.
func twoProducts(t *testing.T) (dir string, want *Catalogue) {
	t.Helper()
	const text = `[{"asin": "B01", "name": "Red Lamp", "full_description": "", "small_description": [], "pricing": "$5", "customization_options": "",
"category": "garden", "query": "lamps", "product_category": "Home"}, {"asin": "B02", "name": "Blue Table", "full_description": "", "small_description": [],
"pricing": "$7 - $8", "customization_options": "", "category": "garden", "query": "tables", "product_category": "Home"}]`
	const attributes = `{"B01": {"attributes": ["a"], "instruction": "x", "instruction_attributes": ["a"]}, "B02": {"attributes": ["b"]}}`
	const human = `{"B02": [{"instruction": "y", "instruction_attributes": ["b"], "instruction_options": []}]}`
	sources := func() Sources {
		return Sources{Products: strings.NewReader(text), Attributes: strings.NewReader(attributes), Instructions: strings.NewReader(human)}
	}
	dir = t.TempDir()
	if err := Store(t.Context(), dir, sources(), StoreOptions{}); err != nil {
		t.Fatal(err)
	}
	want, err := Read(sources())
	if err != nil {
		t.Fatal(err)
	}
	return dir, want
}

// otherwise says how a folder's catalogue and searches are other than they should be: "" for nothing, and for an error that is
// ErrBadStore where one is expected.
func otherwise(t *testing.T, dir string, want *Catalogue) (says string, err error) {
	t.Helper()
	s, err := OpenStored(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.Catalogue.Len() != want.Len() {
		return "another number of products", nil
	}
	for i := range want.Len() {
		got, err := s.Catalogue.At(i)
		if err != nil {
			return "", err
		}
		w, _ := want.At(i) // in memory
		if !reflect.DeepEqual(*got, withEmpty(*w)) {
			return "another product", nil
		}
	}
	for query, asin := range map[string]string{"red": "B01", "table": "B02"} {
		hits, err := s.Index.Search(query, search.MostHits)
		if err != nil {
			return "", err
		}
		if len(hits) != 1 || hits[0].ID != asin {
			return "another hit", nil
		}
	}
	if s.Catalogue.passed != want.passed || !reflect.DeepEqual(s.Catalogue.byCategory, want.byCategory) || !reflect.DeepEqual(s.Catalogue.byQuery, want.byQuery) {
		return "another table", nil
	}
	return "", nil
}

// withEmpty has no list where a file has an empty one.
func withEmpty(p Product) Product {
	if len(p.Bullets) == 0 {
		p.Bullets = nil
	}
	human := append([]Instruction(nil), p.Human...)
	for i := range human {
		if len(human[i].Options) == 0 {
			human[i].Options = nil
		}
	}
	p.Human = human
	return p
}

// TestEveryByte: a folder with any byte of its files changed, or either cut short anywhere, is an error or the same.
func TestEveryByte(t *testing.T) {
	dir, want := twoProducts(t)
	if says, err := otherwise(t, dir, want); says != "" || err != nil {
		t.Fatalf("%s, %v, want the same", says, err)
	}
	for _, name := range []string{productsName, indexName} {
		path := filepath.Join(dir, name)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i := range good {
			for _, data := range [][]byte{good[:i], append(append(append([]byte(nil), good[:i]...), good[i]^0x21), good[i+1:]...)} {
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
				says, err := otherwise(t, dir, want)
				if says != "" || err != nil && !errors.Is(err, ErrBadStore) && !errors.Is(err, search.ErrBadIndex) {
					t.Errorf("%s, byte %d of %d: %s, %v", name, i, len(good), says, err)
				}
				if err != nil {
					found++
				}
			}
		}
		if found < 2*len(good)-8 { // four bytes of a header are spare
			t.Errorf("%s: %d of %d found", name, found, 2*len(good))
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDoctored: a register that is whole and says otherwise than the records is found at the product that it is about,
// before a shop makes goals of it.
func TestDoctored(t *testing.T) {
	dir, _ := twoProducts(t)
	path := filepath.Join(dir, productsName)
	s, data, err := shelf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // only read
	for name, change := range map[string]func(*register){
		"asked":           func(r *register) { r.rows[1].asked = true },
		"not asked":       func(r *register) { r.rows[0].asked = false },
		"by people":       func(r *register) { r.rows[0].byPeople = true },
		"not by people":   func(r *register) { r.rows[1].byPeople = false },
		"price":           func(r *register) { r.rows[0].low = 4 },
		"asin":            func(r *register) { r.rows[0].asin = "B03" },
		"another's":       func(r *register) { r.places[0].product = r.places[1].product },
		"no attributes":   func(r *register) { r.places[0].described = 0 },
		"another's asked": func(r *register) { r.places[0].described = r.places[1].described },
		"no record":       func(r *register) { r.places[0].product = 1 << 40 },
		"of another kind": func(r *register) { r.places[0].product = r.places[0].described },
	} {
		r, err := readRegister(data)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		doctored := t.TempDir()
		if err := os.CopyFS(doctored, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(doctored, productsName)); err != nil {
			t.Fatal(err)
		}
		w, err := shelf.Create(filepath.Join(doctored, productsName))
		if err != nil {
			t.Fatal(err)
		}
		before, err := readRegister(data)
		if err != nil {
			t.Fatal(err)
		}
		a, b := before.places[0], before.places[1]
		for _, at := range []uint64{a.product, b.product, a.described, b.described, b.human} { // the same records in their places
			record, err := s.Read(at)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := w.Append(record); got != at || err != nil {
				t.Fatalf("at %d, %v, want %d", got, err, at)
			}
		}
		if err := w.Finish(r.pack()); err != nil {
			t.Fatal(err)
		}
		c, err := OpenStored(doctored)
		if err != nil {
			t.Fatal(err)
		}
		_, first := c.Catalogue.At(0)
		_, second := c.Catalogue.At(1)
		if err := errors.Join(first, second); !errors.Is(err, ErrBadStore) {
			t.Errorf("%s: %v, want %v", name, err, ErrBadStore)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

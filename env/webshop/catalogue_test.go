package webshop_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/internal/outside"
)

// entry is a product with some members put in the place of others.
func entry(replace ...string) string {
	const text = `{"asin": "B01", "name": "Red Lamp", "full_description": "A lamp.", "small_description": ["red", "bright"],
"pricing": "$9.99 - $12", "customization_options": {"Size": [{"value": " 3/4 Inch "}, {"value": "L"}], "Color": null},
"category": "garden", "query": " Table Lamps ", "product_category": "Home › Lamps", "images": ["x"]}`
	return strings.NewReplacer(replace...).Replace(text)
}

func read(products, attributes, human string) (*webshop.Catalogue, error) {
	s := webshop.Sources{Products: strings.NewReader(products), Attributes: strings.NewReader(attributes)}
	if human != "" {
		s.Instructions = strings.NewReader(human)
	}
	return webshop.Read(s)
}

// TestProduct reads a product with everything that is put into another form.
func TestProduct(t *testing.T) {
	c, err := read("["+entry()+"]", `{"B01": {"attributes": ["easy clean"], "instruction": "Find me lamps", "instruction_attributes": ["easy clean"]}, "B02": {}}`,
		`{"B01": [{"instruction": "a lamp.", "instruction_attributes": [], "instruction_options": ["l"]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Product("B01")
	if _, none := c.Product("B02"); err != nil || c.Len() != 1 || at(t, c, 0) != p || !errors.Is(none, webshop.ErrNoProduct) {
		t.Fatalf("%d products, B01 is %v", c.Len(), p)
	}
	for _, x := range []struct{ what, got, want string }{
		{"title", p.Title, "Red Lamp"},
		{"query", p.Query, "table lamps"},
		{"tag", p.Tag, "$9.99 to $12.0"},
		{"bullets", strings.Join(p.Bullets, ","), "red,bright"},
		{"attributes", strings.Join(p.Attributes, ","), "easy clean"},
		{"instruction", p.Instruction.Text, "Find me lamps"},
		{"human instruction", p.Human[0].Text, "a lamp."},
	} {
		if x.got != x.want {
			t.Errorf("%s %q, want %q", x.what, x.got, x.want)
		}
	}
	if len(p.Options) != 1 || p.Options[0].Name != "size" || !slices.Equal(p.Options[0].Values, []string{"3 | 4 inch", "l"}) {
		t.Errorf("options %q", p.Options)
	}
	if got := c.Passed(); got != (webshop.Passed{Unknown: 1}) {
		t.Errorf("passed over: %+v", got)
	}
}

// TestPassedOver: what the original leaves out is counted, and need not be right.
func TestPassedOver(t *testing.T) {
	c, err := read(`[{"asin": "nan"}, `+entry()+`, {"asin": "B0123456789"}, {"asin": "B01", "name": 5}, `+
		entry(`"B01"`, `"B02"`, `["red", "bright"]`, `"one"`, `"$9.99 - $12"`, `null`)+"]", `{}`, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Passed(), (webshop.Passed{Unnamed: 1, Long: 1, Repeated: 1}); c.Len() != 2 || got != want {
		t.Errorf("%d products, passed over %+v, want 2 and %+v", c.Len(), got, want)
	}
	p := at(t, c, 1)
	if p.Tag != "$100.0" || !slices.Equal(p.Attributes, []string{"DUMMY_ATTR"}) || !slices.Equal(p.Bullets, []string{"one"}) {
		t.Errorf("B02 with tag %q, attributes %q, bullets %q", p.Tag, p.Attributes, p.Bullets)
	}
}

// TestPrices: what a price text is worth.
func TestPrices(t *testing.T) {
	for text, want := range map[string]string{
		`""`: "$100.0", `"$877.80"`: "$877.8", `"$18"`: "$18.0", `"$1,847.00"`: "$1847.0", `"$5.5 - $7"`: "$5.5 to $7.0",
		`"from $3.50 to $4 or $5"`: "$3.5 to $4.0", `"$-5"`: "$5.0", `"US$ 3"`: "$3.0", `"$12345678901234567890"`: "$1.2345678901234567e+19",
	} {
		c, err := read("["+entry(`"$9.99 - $12"`, text)+"]", `{}`, "")
		if err != nil {
			t.Errorf("pricing %s: %v", text, err)
			continue
		}
		if got := at(t, c, 0).Tag; got != want {
			t.Errorf("pricing %s is %s, want %s", text, got, want)
		}
	}
}

// TestBadCatalogue: every error names the file, the line and what was expected.
func TestBadCatalogue(t *testing.T) {
	const ok = `{}`
	for _, c := range []struct{ products, attributes, human, want string }{
		{"", ok, "", "products:1: unexpected EOF"},
		{"{}", ok, "", `products:1: the file begins with "{", expected "["`},
		{"[]", ok, "", "products has no product"},
		{"\xef\xbb\xbf[" + entry() + "]", ok, "", "products:1: the file begins with a byte order mark, expected UTF-8 without one"},
		{"\xff\xfe[\x00]\x00", ok, "", "products:1: the file begins with a byte order mark"},
		{"[" + entry() + "]", "\xef\xbb\xbf{}", "", "attributes:1: the file begins with a byte order mark"},
		{entry() + "\n" + entry("B01", "B02"), ok, "", `products:1: the file begins with "{", expected "["`},
		{"[\r\n" + entry() + ",\r\n{}]", ok, "", `products:5: entry 2: no "asin"`},
		{"[" + entry() + ",\n]", ok, "", "products:4: entry 2: invalid character ']'"},
		{"[" + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "]", ok, "", "products:1: entry 1: invalid character '[' exceeded max depth"},
		{"[" + entry() + ",\n" + entry("Red Lamp", strings.Repeat("x", 17<<20)) + "]", ok, "", "products:4: entry 2: an entry of more than 16777216 bytes"},
		{"[" + entry("Red Lamp", "a\x01b") + "]", ok, "", `entry 1: invalid character '\x01' in string literal`},
		{"[" + entry(`"name"`, `"name": "x", "name"`) + "]", ok, "", `products:1: entry 1: "name" stands twice`},
		{"[" + entry(`"$9.99 - $12"`, `NaN`) + "]", ok, "", "entry 1: invalid character 'N'"},
		{"[" + entry(`"$9.99 - $12"`, `"$"`) + "]", ok, "", `pricing "$": "" after "$" is no number`},
		{"[" + entry(`"$9.99 - $12"`, `"$NaN"`) + "]", ok, "", `pricing "$NaN": "NaN" after "$" is no number`},
		{"[\n{}]", ok, "", `products:2: entry 1: no "asin", expected a text`},
		{"[" + entry() + ",\n\n{\"asin\": 5}]", ok, "", `products:5: entry 2: asin is "5", expected a text`},
		{"[" + entry() + ",\n{\"asin\": ", ok, "", "products:4: entry 2: unexpected EOF"},
		{"[" + entry() + "] {", ok, "", "products:3: entry 1: something stands after the end"},
		{"[" + entry() + " x", ok, "", "products:3: entry 2: expected comma after array element"},
		{"[" + entry(`"Red Lamp"`, `"`+"\xff"+`"`) + "]", ok, "", "entry 1: not UTF-8"},
		{"[" + entry(`"name"`, `"Name"`) + "]", ok, "", `product "B01": no "name", expected a text`},
		{"[" + entry(`"query"`, `"Query"`) + "]", ok, "", `no "query", expected a text`},
		{"[" + entry(`"B01"`, `""`) + "]", ok, "", `asin is empty`},
		{"[" + entry(`"A lamp."`, `null`) + "]", ok, "", `full_description is "null", expected a text`},
		{"[" + entry(`"red", `, `5, `) + "]", ok, "", `small_description: "[5, \"bright\"]", expected a text or a list of texts`},
		{"[" + entry(`["red", "bright"]`, `null`) + "]", ok, "", `small_description: "null", expected a text or a list`},
		{"[" + entry(`"$9.99 - $12"`, `"12 dollars"`) + "]", ok, "", `pricing "12 dollars" has no "$"`},
		{"[" + entry(`"$9.99 - $12"`, `"$1.2.3"`) + "]", ok, "", `pricing "$1.2.3": "1.2.3" after "$" is no number`},
		{"[" + entry(`"$9.99 - $12"`, `"$`+strings.Repeat("9", 400)+`"`) + "]", ok, "", "is no number"},
		{"[" + entry(`"$9.99 - $12"`, `"$٣"`) + "]", ok, "", "is no number"},
		{"[" + entry(`"$9.99 - $12"`, `9.99`) + "]", ok, "", `pricing is "9.99", expected a text`},
		{"[" + entry(`"value": "L"`, `"name": "L"`) + "]", ok, "", `customization_options: "Size": value 2: no "value", expected a text`},
		{"[" + entry(`[{"value": " 3/4 Inch "}, {"value": "L"}]`, `"L"`) + "]", ok, "", `customization_options: "Size": expected a JSON list`},
		{"[" + entry(`{"Size"`, `"x", "o": {"Size"`) + "]", ok, "", `customization_options: "\"x\"", expected an object of lists`},
		{"[" + entry() + "]", `[]`, "", `attributes:1: the file begins with "["`},
		{"[" + entry() + "]", "", "", "attributes:1: unexpected EOF"},
		{"[" + entry() + "]", "{\n\"B01\": null}", "", `attributes:2: entry 1: "B01": null, expected an object`},
		{"[" + entry() + "]", `{"B01": {"attributes": null}}`, "", `"B01": attributes is null, expected a list of texts`},
		{"[" + entry() + "]", `{"B09": {"attributes": null}}`, "", `"B09": attributes is null, expected a list of texts`},
		{"[" + entry() + "]", `{"B09": 5}`, "", `attributes:1: entry 1: "B09": `},
		{"[" + entry() + "]", `{"B01": {},}`, "", "attributes:1: entry 2: invalid character '}'"},
		{"[" + entry() + "]", ok, "{\n\n\"B01\": null}", `instructions:3: entry 1: "B01": null, expected a list of instructions`},
		{"[" + entry() + "]", ok, `{"B01": [null]}`, `instructions:1: entry 1: "B01": [0]: null`},
		{"[" + entry() + "]", `{"B01": {"attributes": [5]}}`, "", `attributes:1: entry 1: "B01": `},
		{"[" + entry() + "]", `{"B01": {"instruction": "x"}}`, "", `an "instruction" without "instruction_attributes"`},
		{"[" + entry() + "]", ok, `{"B01": [{"instruction": "x", "instruction_options": []}]}`, `instructions:1: entry 1: "B01": instruction 1: expected`},
		{"[" + entry() + "]", ok, `{"B01": {}}`, `instructions:1: entry 1: "B01"`},
		{"[" + entry() + "]", `{"B01": {}`, "", "unexpected EOF"},
		{"[" + strings.Repeat(" ", 17<<20) + entry() + "]", ok, "", "an entry of more than 16777216 bytes"},
	} {
		_, err := read(c.products, c.attributes, c.human)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, env.ErrBadGame) {
			t.Errorf("%.80q, %.40q, %.40q: got %v, want %q", c.products, c.attributes, c.human, err, c.want)
		}
	}
}

// TestPieces: a catalogue that comes byte by byte is the same, and so are its errors.
func TestPieces(t *testing.T) {
	text := "[" + entry() + ",\n" + entry("B01", "B02") + ",\n" + entry("B01", "B03", `"name"`, `"no name"`) + "]"
	_, want := read(text, `{}`, "")
	_, got := webshop.Read(webshop.Sources{Products: iotest.OneByteReader(strings.NewReader(text)), Attributes: strings.NewReader(`{}`)})
	if want == nil || got == nil || got.Error() != want.Error() || !strings.Contains(got.Error(), "products:7:") {
		t.Errorf("in pieces: %v, want %v on line 7", got, want)
	}
	// An entry that is no JSON is on its own line, not on that of the comma before it.
	text = "[" + entry() + ",\n\n " + entry(`"B01"`, `B02`) + "]"
	_, want = read(text, `{}`, "")
	_, got = webshop.Read(webshop.Sources{Products: iotest.OneByteReader(strings.NewReader(text)), Attributes: strings.NewReader(`{}`)})
	if want == nil || got == nil || got.Error() != want.Error() || !strings.Contains(got.Error(), "products:5: entry 2: invalid character 'B'") {
		t.Errorf("in pieces: %v, want %v on line 5", got, want)
	}
}

// TestOpen: errors name the files that are there, and those that are not.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/items.json", []byte("[5]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files webshop.Files
		want  string
	}{
		{webshop.Files{Products: dir + "/none.json"}, "none.json: no such file"},
		{webshop.Files{Products: dir}, "a folder, expected a regular file"},
		{webshop.Files{Products: dir + "/items.json", Attributes: dir + "/items.json"}, "items.json:1: entry 1: expected a JSON object"},
	} {
		if _, err := webshop.Open(c.files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.files, err, c.want)
		}
	}
}

// at is the product at a place.
func at(t testing.TB, c *webshop.Catalogue, i int) *webshop.Product {
	t.Helper()
	p, err := c.At(i)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// thousand is the 1,000 products.
func thousand(t testing.TB) *webshop.Catalogue {
	t.Helper()
	c, err := webshop.Open(webshop.Files{
		Products:     outside.Shared(t, "webshop-golden", "data", "items_shuffle_1000.json"),
		Attributes:   outside.Shared(t, "webshop-golden", "data", "items_ins_v2_1000.json"),
		Instructions: outside.Shared(t, "webshop-golden", "data", "items_human_ins.json"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestGoldenCatalogue counts what the specification and the data's own description say of the 1,000 products.
func TestGoldenCatalogue(t *testing.T) {
	c := thousand(t)
	var ranges, instructions, human, untitled int
	for i := range c.Len() {
		p := at(t, c, i)
		if len(p.Prices) == 2 {
			ranges++
		}
		if p.Instruction != nil {
			instructions++
		}
		if p.Title == "" {
			untitled++
		}
		human += len(p.Human)
	}
	if c.Len() != 1000 || ranges != 93 || instructions != 415 || human != 13 || untitled != 1 || c.Passed() != (webshop.Passed{}) {
		t.Errorf("%d products, %d with a range of prices, %d instructions, %d by people, %d without title, passed %+v; want 1000, 93, 415, 13, 1, none",
			c.Len(), ranges, instructions, human, untitled, c.Passed())
	}
}

func FuzzCatalogue(f *testing.F) {
	f.Add("["+entry()+"]", `{"B01": {"attributes": ["a"], "instruction": "x", "instruction_attributes": ["a"]}}`, `{"B01": [{"instruction": "a.", "instruction_attributes": ["a"], "instruction_options": ["l"]}]}`)
	f.Add("[{\"asin\": \"nan\"}]", "{", "[")
	f.Add("["+entry(`"$9.99 - $12"`, `"$1.2.3"`)+"]", `{"B01": {"attributes": [5]}}`, "")
	f.Add("["+entry(`{"Size"`, `"x", "o": {"Size"`)+"]", "{}", "{}")
	f.Fuzz(func(t *testing.T, products, attributes, human string) {
		c, err := read(products, attributes, human)
		if err != nil {
			if !errors.Is(err, env.ErrBadGame) {
				t.Errorf("%v, expected env.ErrBadGame", err)
			}
			return
		}
		for i := range c.Len() {
			p := at(t, c, i)
			if same, err := c.Product(p.ASIN); err != nil || same != p || len(p.Prices) == 0 || p.Prices[0] < 0 || !strings.HasPrefix(p.Tag, "$") {
				t.Errorf("product %+v", p)
			}
		}
	})
}

// TestOddCatalogue: what looks wrong and is taken, as the original takes it, makes these goals.
func TestOddCatalogue(t *testing.T) {
	const asked = `{"attributes": ["a"], "instruction": "Find me x", "instruction_attributes": ["a"]}`
	const options = `{"Size": [{"value": " 3/4 Inch "}, {"value": "L"}], "Color": null}`
	of := func(asin string) string { return `{"` + asin + `": ` + asked + `}` }
	for name, c := range map[string]struct {
		product, attributes, human string
		asin, tag                  string
		goals, byPeople            int
		passed                     webshop.Passed
	}{
		"plain":                            {entry(), of("B01"), "", "B01", "$9.99 to $12.0", 2, 0, webshop.Passed{}},
		"negative prices":                  {entry("$9.99 - $12", "$-9 - $-12"), of("B01"), "", "B01", "$9.0 to $12.0", 2, 0, webshop.Passed{}},
		"a range the wrong way":            {entry("$9.99 - $12", "$90 - $12"), of("B01"), "", "B01", "$90.0 to $12.0", 2, 0, webshop.Passed{}},
		"a huge price":                     {entry("$9.99 - $12", "$"+strings.Repeat("9", 300)), of("B01"), "", "B01", "$1e+300", 2, 0, webshop.Passed{}},
		"no price":                         {entry("$9.99 - $12", "$0"), of("B01"), "", "B01", "$0.0", 2, 0, webshop.Passed{}},
		"an option without values":         {entry(options, `{"Size": []}`), of("B01"), "", "B01", "$9.99 to $12.0", 0, 0, webshop.Passed{}},
		"no option":                        {entry(options, `{}`), of("B01"), "", "B01", "$9.99 to $12.0", 1, 0, webshop.Passed{}},
		"a value without text":             {entry(`"L"`, `" "`), of("B01"), "", "B01", "$9.99 to $12.0", 2, 0, webshop.Passed{}},
		"an unknown field":                 {entry(`"name"`, `"color": {"x": [1]}, "name"`), of("B01"), "", "B01", "$9.99 to $12.0", 2, 0, webshop.Passed{}},
		"deep in what nobody reads":        {entry(`["x"]`, strings.Repeat("[", 9000)+strings.Repeat("]", 9000)), of("B01"), "", "B01", "$9.99 to $12.0", 2, 0, webshop.Passed{}},
		"15 MB of title":                   {entry("Red Lamp", strings.Repeat("x", 15<<20)), of("B01"), "", "B01", "$9.99 to $12.0", 2, 0, webshop.Passed{}},
		"half a surrogate pair":            {entry("Red Lamp", `\ud800 Lamp`), of("B01"), "", "B01", "$9.99 to $12.0", 2, 0, webshop.Passed{}},
		"an asin with a slash":             {entry(`"B01"`, `"a/b"`), of("a/b"), "", "a/b", "$9.99 to $12.0", 2, 0, webshop.Passed{}},
		"an asin of 10 letters of 2 bytes": {entry(`"B01"`, `"ÄÖÜÄÖÜÄÖÜÄ"`), of("ÄÖÜÄÖÜÄÖÜÄ"), "", "ÄÖÜÄÖÜÄÖÜÄ", "$9.99 to $12.0", 2, 0, webshop.Passed{}},
		"lines of DOS":                     {strings.ReplaceAll(entry(), "\n", "\r\n"), of("B01"), "", "B01", "$9.99 to $12.0", 2, 0, webshop.Passed{}},
		"an instruction of null":           {entry(), `{"B01": {"attributes": ["a"], "instruction": null}}`, "", "B01", "$9.99 to $12.0", 0, 0, webshop.Passed{}},
		"people ask for what is not there": {entry(), `{"B02": ` + asked + `}`, `{"B09": [{"instruction": "x", "instruction_attributes": ["a"], "instruction_options": []}]}`, "B01", "$9.99 to $12.0", 0, 0, webshop.Passed{Unknown: 2}},
		"people ask for no attribute":      {entry(), `{}`, `{"B01": [{"instruction": "x", "instruction_attributes": [], "instruction_options": []}]}`, "B01", "$9.99 to $12.0", 0, 0, webshop.Passed{}},
		"people ask for an unknown option": {entry(), `{}`, `{"B01": [{"instruction": "x", "instruction_attributes": ["a"], "instruction_options": ["none", ""]}]}`, "B01", "$9.99 to $12.0", 0, 1, webshop.Passed{}},
		"an asin twice among instructions": {entry(), `{}`, `{"B01": [], "B01": [{"instruction": "x", "instruction_attributes": ["a"], "instruction_options": []}]}`, "B01", "$9.99 to $12.0", 0, 1, webshop.Passed{}},
	} {
		t.Run(name, func(t *testing.T) {
			cat, err := read("["+c.product+"]", c.attributes, c.human)
			if err != nil {
				t.Fatal(err)
			}
			if p, err := cat.Product(c.asin); err != nil || p.Tag != c.tag || cat.Passed() != c.passed {
				t.Errorf("%+v, %v, passed over %+v, want %s of %s and %+v", p, err, cat.Passed(), c.asin, c.tag, c.passed)
			}
			for human, want := range map[bool]int{false: c.goals, true: c.byPeople} {
				shop, err := webshop.New(webshop.Config{Catalogue: cat, Searcher: inTitle{cat}, Judge: right{}, Human: human})
				if want == 0 {
					if !errors.Is(err, env.ErrBadGame) || !strings.Contains(err.Error(), "no instruction of the kind asked for") {
						t.Errorf("human %v: %v, want no shop", human, err)
					}
					continue
				}
				if err != nil || shop.Goals() != want {
					t.Fatalf("human %v: %v, want %d goals", human, err, want)
				}
				games, err := shop.Games(webshop.Train)
				if err != nil || len(games) == 0 {
					t.Fatalf("%d games, %v", len(games), err)
				}
				for _, g := range games {
					if same, err := shop.Find(g.ID()); err != nil || same.ID() != g.ID() {
						t.Errorf("%s is found as %v, %v", g.ID(), same, err)
					}
				}
			}
		})
	}
	many := `{`
	for i := range 26 {
		many += `"o` + string(rune('a'+i)) + `": [{"value": "1"}, {"value": "2"}],`
	}
	cat, err := read("["+entry(`{"Size"`, many+`"Size"`)+"]", of("B01"), "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = webshop.New(webshop.Config{Catalogue: cat, Searcher: inTitle{cat}, Judge: right{}})
	if !errors.Is(err, env.ErrBadGame) || !strings.Contains(err.Error(), `product "B01": its options bring the catalogue over 33554432 goals`) {
		t.Errorf("2 to the 27th goals: %v", err)
	}
}

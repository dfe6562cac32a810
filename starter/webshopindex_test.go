package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWebShopIndex: a folder is written and says what was left out; what is wrong is told by file and line.
func TestWebShopIndex(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const product = `{"asin": "B01", "name": "Red Lamp", "full_description": "", "small_description": "", "customization_options": "", "category": "", "query": "", "product_category": ""}`
	writeFile(t, at("products.json"), []byte("["+product+",\n"+product+",\n"+strings.Replace(product, "B01", "nan", 1)+"]"))
	writeFile(t, at("attributes.json"), []byte(`{"B01": {"attributes": ["a"]}, "B02": {}, "B03": {}}`))
	writeFile(t, at("wrong.json"), []byte("["+product+",\n{\"asin\": 5}]"))
	const want = `left out, as WebShop does: 1 product of the asin "nan", 1 product whose asin had come before, 2 entries of products that are not there` + "\n"
	code, out, err := hone(t, "webshop", "index", at("products.json"), at("attributes.json"), "--out", at("shop"))
	if code != 0 || out != "1 product with 2 postings of 2 distinct terms in "+at("shop")+"\n"+want {
		t.Errorf("code %d, %v, %q", code, err, out)
	}
	if code, out, err = hone(t, "webshop", "index", at("products.json"), at("attributes.json"), "--out", at("shop"), "--json"); code != 0 || !strings.Contains(out, `"Unknown": 2`) {
		t.Errorf("again, in JSON: code %d, %v, %q", code, err, out)
	}
	for says, args := range map[string][]string{
		"expected a file of products":              {at("products.json")},
		"expected --out":                           {at("products.json"), at("attributes.json")},
		"none.json: no such file":                  {at("products.json"), at("none.json"), "--out", at("none")},
		`wrong.json:2: entry 2: asin is "5"`:       {at("wrong.json"), at("attributes.json"), "--out", at("none")},
		`wrong.json:1: the file begins with "["`:   {at("products.json"), at("attributes.json"), at("wrong.json"), "--out", at("shop")},
		"expected files, got an empty argument":    {at("products.json"), "", "--out", at("none")},
		"attributes.json:1: the file begins with ": {at("attributes.json"), at("products.json"), "--out", at("none")},
	} {
		code, out, err := hone(t, append([]string{"webshop", "index"}, args...)...)
		if code != exitUsage || err == nil || !strings.Contains(err.Error(), says) || out != "" {
			t.Errorf("%q: code %d, %v, %q, want %q", args, code, err, out, says)
		}
	}
	if entries, err := os.ReadDir(at("none")); len(entries) > 0 {
		t.Errorf("what failed leaves %v, %v", entries, err)
	}
}

package webshop

import (
	"reflect"
	"strings"
	"testing"
)

// TestPack: what was packed is unpacked, and what is cut short is not.
func TestPack(t *testing.T) {
	long := strings.Repeat("x", 300)
	want := Product{
		ASIN: "B01", Title: "t", Description: long, Bullets: []string{"", "b"}, Options: []Option{{"size", []string{"1", long}}, {"none", nil}},
		Category: "c", Query: "q", CategoryPath: "a › b", Prices: []float64{1.5, 1e300}, Tag: "$1.5 to $1e+300",
	}
	var p packer
	p.product(&want)
	for cut := range len(p) + 1 {
		u, got := unpacker{left: string(p[:cut])}, Product{}
		u.product(&got)
		if whole := cut == len(p); (u.err == nil) != whole || whole && (u.left != "" || !reflect.DeepEqual(got, want)) {
			t.Errorf("of %d bytes %d: %+v, %v", len(p), cut, got, u.err)
		}
	}
}

// FuzzUnpack: whatever stands in a record, it is a product that is packed the same, or an error.
func FuzzUnpack(f *testing.F) {
	var p packer
	p.product(&Product{ASIN: "B01", Bullets: []string{"a"}, Options: []Option{{"o", []string{"v"}}}, Prices: []float64{1}})
	f.Add([]byte(p))
	r := register{rows: []row{{asin: "B01", asked: true}}, queries: []string{"q"}, places: []places{{32, 0, 99}}, categories: []string{"c"}, index: 1 << 31}
	f.Add(r.pack())
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		u, got := unpacker{left: string(data)}, Product{}
		u.product(&got)
		u.described(&got)
		u.human(&got)
		if r, err := readRegister(data); err == nil {
			again, err := readRegister(r.pack())
			if err != nil || len(again.rows) != len(r.rows) || !reflect.DeepEqual(again.places, r.places) {
				t.Errorf("register %+v, packed and read again %+v, %v", r, again, err)
			}
		}
	})
}

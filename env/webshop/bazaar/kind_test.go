package bazaar

import (
	"slices"
	"testing"
)

// TestTables: kinds have traits that are known, and every trait and brand is of use.
func TestTables(t *testing.T) {
	used := map[string]bool{}
	for _, k := range kinds {
		for _, name := range k.traits {
			used[name] = true
			if traitOf[name].says == "" {
				t.Errorf("%s: trait %q is not in the table", k.query, name)
			}
		}
		if len(k.traits) < 5 || len(k.axes) == 0 || k.low <= 0 || k.high <= k.low || len(k.looks) < 4 || len(k.made) < 4 || len(k.places) < 4 {
			t.Errorf("%s: too little to draw from", k.query)
		}
		for _, a := range k.axes {
			if len(a.values) < 2 || len(slices.Compact(slices.Sorted(slices.Values(a.values)))) != len(a.values) {
				t.Errorf("%s: values %q of %s, want different ones", k.query, a.values, a.name)
			}
		}
	}
	for _, trait := range traits {
		if !used[trait.name] {
			t.Errorf("no product has %q", trait.name)
		}
	}
	if len(traitOf) != len(traits) || len(slices.Compact(slices.Sorted(slices.Values(brands)))) != len(brands) {
		t.Error("a trait or a brand stands twice")
	}
}

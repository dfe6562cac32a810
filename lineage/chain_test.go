package lineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
)

// TestTextOfChain: of nine updates, one after the other, the three newest are drawn and the oldest, with what it began from.
func TestTextOfChain(t *testing.T) {
	store := mem.New()
	start := lineagetest.Store(t, store, artifacts.KindModel, nil, map[string][]byte{"config.json": []byte("{}")})
	var all []artifacts.Digest
	before := start
	for k := range 9 {
		before = lineagetest.Store(t, store, artifacts.KindUpdate, []artifacts.Input{{Role: "policy", Digest: before}, {Role: "start", Digest: start}},
			map[string][]byte{"update.json": fmt.Appendf(nil, "{\"step\":%d}", k+1)})
		all = append(all, before)
	}
	g, err := lineage.Trace(t.Context(), store, before)
	if err != nil {
		t.Fatal(err)
	}
	text := g.Text()
	for i, d := range all {
		drawn := strings.Contains(text, "update "+d.Short())
		if want := i == 0 || i > 5; drawn != want {
			t.Errorf("update %d is drawn: %v, want %v", i+1, drawn, want)
		}
	}
	for _, want := range []string{"policy: … 5 more of kind update, in --json, and before them\n", "model " + start.Short()} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

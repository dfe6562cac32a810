package search_test

import (
	"testing"

	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/check/checktest"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/env/webshop/search"
	"github.com/hone-rl/hone/internal/outside"
)

func goldenQueries(t testing.TB) []golden.At[golden.Search] {
	t.Helper()
	queries, err := golden.Folder(outside.Shared(t, "webshop-golden")).Searches()
	if err != nil {
		t.Fatal(err)
	}
	return queries
}

// TestGolden: Lucene's hits, order and scores, and as many documents and terms as its index has.
func TestGolden(t *testing.T) {
	compareGolden(t, inMemory(t, products(t)))
}

func compareGolden(t *testing.T, x *search.Index) {
	t.Helper()
	checktest.Golden(t, check.Config{Kinds: []check.Kind{check.Searches, check.Tables}, Index: x}, checktest.Want{check.Searches: 1108, check.Tables: 2})
}

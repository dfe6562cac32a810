// Package checktest holds the shop against the golden data in tests.
package checktest

import (
	"testing"

	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/internal/outside"
)

// Want is how many cases of each kind there are.
type Want map[check.Kind]int

// Golden compares what cfg asks for with the golden data, where nothing may differ, and counts it.
func Golden(t *testing.T, cfg check.Config, want Want) {
	t.Helper()
	cfg.Folder = golden.Folder(outside.Shared(t, "webshop-golden"))
	r, err := check.Run(t.Context(), cfg)
	if err != nil {
		t.Error(err)
	}
	for _, d := range r.First {
		t.Error(d)
	}
	for kind, n := range want {
		if got := r.Of(kind); got != (check.Count{Kind: kind, Compared: n}) {
			t.Errorf("%d %s compared and %d of them differ, want %d and none", got.Compared, kind, got.Differ, n)
		}
	}
	if len(r.Counts) != len(want) {
		t.Errorf("counted %s, want %d kinds", r.String(), len(want))
	}
}

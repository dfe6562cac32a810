package mt19937_test

import (
	"testing"

	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/check/checktest"
)

// TestRecorded repeats the draws of Python 3.11.7, of seven seeds, and NumPy 1.26.4, of two.
func TestRecorded(t *testing.T) {
	checktest.Golden(t, check.Config{Kinds: []check.Kind{check.Draws}}, checktest.Want{check.Draws: 9})
}

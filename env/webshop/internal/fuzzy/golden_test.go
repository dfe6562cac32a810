package fuzzy_test

import (
	"testing"

	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/check/checktest"
)

// TestRecorded compares with what thefuzz 0.19.0 gave.
func TestRecorded(t *testing.T) {
	checktest.Golden(t, check.Config{Kinds: []check.Kind{check.Scores}}, checktest.Want{check.Scores: 600})
}

package decode

import (
	"math"
	"testing"

	"github.com/hone-rl/hone/gpu"
)

// A log-probability that is not finite is an error at every node, also at one whose only child nothing else is asked of.
func TestScoringNotFinite(t *testing.T) {
	for _, p := range []float64{math.NaN(), math.Inf(-1), math.Inf(1)} {
		for at := range 3 {
			root, err := trie([][]int32{{1, 2}, {3}}) // the root has two children, 1 has one
			if err != nil {
				t.Fatal(err)
			}
			s := newScoring(gpu.Choice{Score: gpu.ScoreSequence})
			s.plan(root)
			a := answers{ids: []int{0, 1}, products: []float64{1, 2}, probs: []float64{-1, -2, -0.5}}
			a.probs[at] = p
			if _, _, err := s.next(nil, a); err == nil {
				t.Errorf("%v as number %d: no error", p, at)
			}
		}
	}
}

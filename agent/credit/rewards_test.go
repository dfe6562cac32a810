package credit_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
)

// near is for numbers that are written down with six digits.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-6) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestNDCG(t *testing.T) {
	for name, c := range map[string]struct {
		utilities []float64
		order     []int
		want      float64
	}{
		// DCG 0.1 + 0.9/log2 3 + 0.5/2 = 0.917837, ideal 0.9 + 0.5/log2 3 + 0.1/2 = 1.265465
		"worked":               {[]float64{0.9, 0.5, 0.1}, []int{2, 0, 1}, 0.725296},
		"best":                 {[]float64{0.9, 0.5, 0.1}, []int{0, 1, 2}, 1},
		"best of unsorted":     {[]float64{0.1, 0.9, 0.5}, []int{1, 2, 0}, 1},
		"worst":                {[]float64{0.9, 0.5, 0.1}, []int{2, 1, 0}, (0.1 + 0.5/math.Log2(3) + 0.45) / 1.2654648767857288},
		"two, right":           {[]float64{1, 0}, []int{0, 1}, 1},
		"two, wrong":           {[]float64{1, 0}, []int{1, 0}, 0.630930}, // 1/log2 3
		"equal":                {[]float64{0.5, 0.5, 0.5}, []int{2, 1, 0}, 1},
		"all new":              {[]float64{0.525, 0.5}, []int{1, 0}, (0.5 + 0.525/math.Log2(3)) / (0.525 + 0.5/math.Log2(3))},
		"one candidate":        {[]float64{0.9}, []int{0}, 0},
		"none":                 {nil, nil, 0},
		"not read":             {[]float64{0.9, 0.5}, nil, 0},
		"worthless":            {[]float64{0, 0, 0}, []int{0, 1, 2}, 0},
		"below the least":      {[]float64{5e-9, 0}, []int{0, 1}, 0},
		"just above the least": {[]float64{2e-8, 0}, []int{0, 1}, 1},
	} {
		got, err := credit.NDCG(c.utilities, c.order)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		near(t, name, got, c.want)
	}
	for says, c := range map[string]struct {
		utilities []float64
		order     []int
	}{
		"expected each of 0 to 1 once": {[]float64{1, 2}, []int{0, 0}},
		"expected all of them":         {[]float64{1, 2, 3}, []int{0, 1}},
		"expected each of 0 to 2 once": {[]float64{1, 2, 3}, []int{1, 2, 3}},
		"utility NaN of candidate 1":   {[]float64{1, math.NaN()}, []int{0, 1}},
	} {
		if _, err := credit.NDCG(c.utilities, c.order); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want an error with %q", err, says)
		}
	}
}

func TestDistilReward(t *testing.T) {
	for name, c := range map[string]struct {
		won       bool
		utilities []float64
		by        credit.Expect
		want      float64
	}{
		"won beyond the best":    {true, []float64{0.2, 0.6, 0.4}, credit.ByMax, 0.4},
		"won beyond the mean":    {true, []float64{0.2, 0.6, 0.4}, credit.ByMean, 0.6},
		"lost":                   {false, []float64{0.2, 0.6, 0.4}, credit.ByMax, -0.6},
		"lost, by the mean":      {false, []float64{0.2, 0.6, 0.4}, credit.ByMean, -0.4},
		"won, nothing retrieved": {true, nil, credit.ByMax, 1},
		"lost, nothing":          {false, nil, credit.ByMean, 0},
		"new skill":              {true, []float64{0.5}, credit.ByMax, 0.5},
	} {
		got, err := credit.DistilReward(c.won, c.utilities, c.by)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		near(t, name, got, c.want)
	}
	if _, err := credit.Expected([]float64{0.5}, "median"); err == nil {
		t.Error("an expectation by the median: no error")
	}
	if _, err := credit.Expected([]float64{0.5, math.Inf(1)}, credit.ByMax); err == nil || !strings.Contains(err.Error(), "skill 1") {
		t.Errorf("an infinite utility: %v", err)
	}
}

func TestReflection(t *testing.T) {
	for name, c := range map[string]struct {
		read, predicted, won bool
		want                 float64
	}{
		"right of a win":   {true, true, true, 10},
		"right of a loss":  {true, false, false, 10},
		"wrong of a win":   {true, false, true, 0},
		"wrong of a loss":  {true, true, false, 0},
		"not read, a loss": {false, false, false, 0},
	} {
		near(t, name, credit.Reflection(10, c.read, c.predicted, c.won), c.want)
	}
}

func TestIntrinsic(t *testing.T) {
	for name, c := range map[string]struct {
		shares []float64
		won    []bool
		before float64
		bonus  []float64
		after  float64
	}{
		"first":          {[]float64{0.5, 0.25}, []bool{false, false}, 0, []float64{0.5, 0.25}, 0},
		"a win is whole": {[]float64{0.5, 0.25, 0.75, 0}, []bool{true, false, false, false}, 0.5, []float64{0.5, 0, 0.25, 0}, 0.5},
		"raised":         {[]float64{1, 1, 0, 0.5}, []bool{true, true, false, true}, 0.25, []float64{0.75, 0.75, 0, 0.75}, 0.75},
		"never lowered":  {[]float64{0, 0}, []bool{false, false}, 0.75, []float64{0, 0}, 0.75},
		"nobody":         {nil, nil, 0.25, nil, 0.25},
	} {
		bonus, after, err := credit.Intrinsic(c.shares, c.won, c.before)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		near(t, name, after, c.after)
		for i := range c.bonus {
			near(t, name, bonus[i], c.bonus[i])
		}
	}
	if _, _, err := credit.Intrinsic([]float64{1.5}, []bool{false}, 0); err == nil {
		t.Error("a share of 1.5: no error")
	}
}

func TestContrastive(t *testing.T) {
	for name, c := range map[string]struct {
		won, library []bool
		want         float64
	}{
		"half a group":   {[]bool{true, true, true, false}, []bool{true, true, false, false}, 0.5},
		"worse with it":  {[]bool{false, false, true, false}, []bool{true, true, false, false}, -0.5},
		"no control":     {[]bool{true, false, false, true}, []bool{true, true, true, true}, 0.5},
		"only a control": {[]bool{true, false}, []bool{false, false}, -0.5},
		"uneven halves":  {[]bool{true, false, true}, []bool{true, true, false}, -0.5},
		"nobody":         {nil, nil, 0},
	} {
		got, err := credit.Contrastive(c.won, c.library)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		near(t, name, got, c.want)
	}
}

package mt19937_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
)

// TestSeeds: seeds of other sizes. From Python 3.11.7: r = random.Random(seed), then r.getrandbits(k) for k of 32, 32,
// 40, 64 and 33, and r.randrange(2**40+1).
func TestSeeds(t *testing.T) {
	for seed, want := range map[int64][]uint64{
		-7:            {1390851128, 4071050724, 434439589175, 890727360438182992, 4606078771, 208460025899},
		1 << 32:       {485306839, 1508871100, 1028291745030, 420988764530468635, 6922290953, 32005304388},
		math.MinInt64: {2377109768, 1691753470, 231673175080, 17878840250213816042, 7951217179, 782048070965},
		math.MaxInt64: {1359979423, 2819855560, 144445158859, 9056195549320297252, 1947612296, 366255766504},
	} {
		p := mt19937.NewPython(seed)
		var got []uint64
		for _, k := range []int{32, 32, 40, 64, 33} {
			got = append(got, p.Bits(k))
		}
		got = append(got, uint64(p.Below(1<<40+1)))
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}

// TestSampleBothWays: on either side of the size from which a sample no longer draws from a list of all, with seeds for
// which the two ways differ. From Python 3.11.7: random.Random(seed).sample(range(n), k).
func TestSampleBothWays(t *testing.T) {
	for _, tt := range []struct {
		seed int64
		n, k int
		want []int
	}{
		{2, 21, 5, []int{1, 2, 19, 11, 5}},
		{2, 22, 5, []int{1, 2, 11, 5, 21}},
		{5, 85, 6, []int{79, 32, 45, 67, 3, 59}},
		{2, 86, 6, []int{7, 11, 10, 46, 21, 85}},
		{0, 85, 21, []int{49, 53, 5, 33, 65, 62, 51, 38, 61, 45, 74, 27, 64, 17, 36, 71, 12, 32, 18, 39, 68}},
		{0, 86, 21, []int{49, 53, 5, 33, 65, 62, 51, 38, 61, 45, 74, 27, 64, 17, 36, 12, 79, 32, 68, 77, 18}},
		{0, 277, 22, []int{197, 215, 20, 132, 261, 248, 207, 155, 244, 183, 111, 258, 71, 144, 264, 48, 128, 75, 158, 50, 37, 169}},
		{0, 278, 22, []int{197, 215, 20, 132, 261, 248, 207, 155, 244, 183, 111, 258, 71, 144, 48, 128, 272, 75, 158, 50, 37, 169}},
	} {
		if got, err := mt19937.NewPython(tt.seed).Sample(tt.n, tt.k); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("seed %d, %d of %d: got %v, %v, want %v", tt.seed, tt.k, tt.n, got, err, tt.want)
		}
	}
}

// TestOddSizes: sizes that mean nothing are errors, or draw nothing; none of them moves the generator.
func TestOddSizes(t *testing.T) {
	python, numpy, fresh := mt19937.NewPython(1), mt19937.NewNumPy(1), mt19937.NewPython(1)
	for name, tt := range map[string]struct {
		err  error
		says string
	}{
		"sample of fewer":   {second(python.Sample(3, 4)), "sample 4 of 3"},
		"sample below none": {second(python.Sample(3, -1)), "sample -1 of 3"},
		"sample too large":  {second(python.Sample(math.MaxInt, math.MaxInt)), "expected 0 to 1048576"},
		"choices of none":   {second(python.Choices(0, 1)), "choose 1 of 0"},
		"choices too many":  {second(python.Choices(1, 1<<21)), "expected 0 to 1048576"},
		"choice of fewer":   {second(numpy.Choice(5, 8, 4)), "choose 4 of the 3 numbers from 5: expected 0 to 3"},
		"choice below none": {second(numpy.Choice(5, 8, -1)), "choose -1"},
		"choice backwards":  {second(numpy.Choice(8, 5, 0)), "choose of 8 to 5"},
		"choice too large":  {second(numpy.Choice(0, math.MaxInt, 1)), "at most 16777216 numbers"},
		"choice overflows":  {second(numpy.Choice(math.MinInt, math.MaxInt, 1)), "from 0 up"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.says) {
			t.Errorf("%s: got %v, want an error with %q", name, tt.err, tt.says)
		}
	}
	if python.Below(0) != 0 || python.Below(-3) != 0 || python.Bits(0) != 0 || python.Bits(-1) != 0 {
		t.Errorf("a draw of nothing is not 0")
	}
	python.Shuffle(1, func(int, int) { t.Error("one thing was swapped") })
	python.Shuffle(-1, nil)
	for name, f := range map[string]func(n, k int) ([]int, error){"sample": python.Sample, "choices": python.Choices} {
		if got, err := f(3, 0); err != nil || len(got) != 0 {
			t.Errorf("%s of none: got %v, %v", name, got, err)
		}
	}
	if got, want := python.Bits(100), fresh.Bits(64); got != want {
		t.Errorf("after all that: got %d, want %d", got, want)
	}
	if got, err := numpy.Choice(4, 5, 1); err != nil || !slices.Equal(got, []int{4}) {
		t.Errorf("one of one: got %v, %v", got, err)
	}
}

func second(_ []int, err error) error { return err }

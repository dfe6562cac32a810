package mt19937_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
	"github.com/hone-rl/hone/internal/outside"
)

// recorded reads a golden file of WebShop.
func recorded(t *testing.T, name string, out any) {
	t.Helper()
	data, err := os.ReadFile(outside.Shared(t, "webshop-golden", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestPythonRecorded repeats the draws of Python 3.11.7, all from one generator in the order recorded.
func TestPythonRecorded(t *testing.T) {
	var seeds []struct {
		Seed     int64       `json:"seed"`
		Floats   []float64   `json:"random"`
		Bits     [][2]uint64 `json:"getrandbits"`
		Below    [][2]int    `json:"randbelow"`
		Uniform  []float64   `json:"uniform"`
		Of4      [][]float64 `json:"sample_2_of_4"`
		Of3      [][]float64 `json:"sample_2_of_3"`
		Letters  string      `json:"choices_10_lowercase"`
		Shuffled []int       `json:"shuffle_20"`
		Of1000   []int       `json:"sample_50_of_1000"`
		Next     float64     `json:"next_random"`
	}
	recorded(t, "python_random.json", &seeds)
	if len(seeds) != 7 {
		t.Errorf("%d seeds, want 7", len(seeds))
	}
	for _, s := range seeds {
		p := mt19937.NewPython(s.Seed)
		same := func(what string, got, want any) {
			t.Helper()
			if got != want {
				t.Errorf("seed %d, %s: got %v, want %v", s.Seed, what, got, want)
			}
		}
		for _, want := range s.Floats {
			same("random", p.Float(), want)
		}
		for _, b := range s.Bits {
			same("getrandbits", p.Bits(int(b[0])), b[1])
		}
		for _, b := range s.Below {
			same("randbelow", p.Below(b[0]), b[1])
		}
		for _, want := range s.Uniform {
			same("uniform", p.Uniform(10.5, 99.25), want)
		}
		tens(t, p, 4, s.Of4)
		tens(t, p, 3, s.Of3)
		letters, err := p.Choices(26, 10)
		if err != nil {
			t.Fatal(err)
		}
		var word []byte
		for _, i := range letters {
			word = append(word, byte('a'+i))
		}
		same("choices", string(word), s.Letters)
		list := make([]int, 20)
		for i := range list {
			list[i] = i
		}
		p.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if !slices.Equal(list, s.Shuffled) {
			t.Errorf("seed %d, shuffle: got %v, want %v", s.Seed, list, s.Shuffled)
		}
		if got, err := p.Sample(1000, 50); err != nil || !slices.Equal(got, s.Of1000) {
			t.Errorf("seed %d, sample of 1000: got %v, %v, want %v", s.Seed, got, err, s.Of1000)
		}
		same("next", p.Float(), s.Next)
	}
}

// tens draws two of 10, 20, … as WebShop draws the bound of a price.
func tens(t *testing.T, p *mt19937.Python, n int, samples [][]float64) {
	t.Helper()
	for _, want := range samples {
		got, err := p.Sample(n, 2)
		if err != nil || len(want) != 2 || float64(10*got[0]+10) != want[0] || float64(10*got[1]+10) != want[1] {
			t.Errorf("sample of %d tens: got places %v, %v, want %v", n, got, err, want)
		}
	}
}

// TestNumPyRecorded repeats the draws of tasks with NumPy 1.26.4: training from one generator, validation from another.
func TestNumPyRecorded(t *testing.T) {
	var seeds []struct {
		Seed  uint32 `json:"seed"`
		Calls []struct {
			Range  [2]int `json:"range"`
			Size   int    `json:"size"`
			Result []int  `json:"result"`
		} `json:"calls"`
		Validation [][]int `json:"val"`
	}
	recorded(t, "numpy_choice.json", &seeds)
	if len(seeds) != 2 {
		t.Errorf("%d seeds, want 2", len(seeds))
	}
	for _, s := range seeds {
		train, validation := mt19937.NewNumPy(s.Seed), mt19937.NewNumPy(s.Seed)
		for i, c := range s.Calls {
			if got, err := train.Choice(c.Range[0], c.Range[1], c.Size); err != nil || !slices.Equal(got, c.Result) {
				t.Errorf("seed %d, call %d: got %v, %v, want %v", s.Seed, i, got, err, c.Result)
			}
		}
		for i, want := range s.Validation {
			if got, err := validation.Choice(0, 500, len(want)); err != nil || !slices.Equal(got, want) {
				t.Errorf("seed %d, validation %d: got %v, %v, want %v", s.Seed, i, got, err, want)
			}
		}
		if len(s.Calls) == 0 || len(s.Validation) == 0 {
			t.Errorf("seed %d: no calls", s.Seed)
		}
	}
}

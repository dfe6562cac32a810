package nn_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

var small = gpu.ModelConfig{
	Hidden: 32, Layers: 2, Heads: 2, KVHeads: 1, Intermediate: 48, Vocabulary: 40, Positions: 64, RopeTheta: 10000,
	InitStd: 0.1, TieEmbedding: true,
}

// withModel runs f with a new small model.
func withModel(t *testing.T, dtype torch.DType, f func(e *torch.Engine, m *qwen2.Model)) {
	t.Helper()
	dir := t.TempDir()
	if err := qwen2.Init(small, 1, dir); err != nil {
		t.Fatal(err)
	}
	e := torchtest.Engine(t)
	torchtest.Do(t, e, func() {
		m, err := qwen2.Load(e, dir, nn.Options{DType: dtype})
		if err != nil {
			panic(err)
		}
		defer m.Free()
		f(e, m)
	})
}

// trained gives an adapter a B that is not zero.
func trained(e *torch.Engine, a *nn.Adapter, seed uint64) {
	for _, p := range a.Parameters() {
		if strings.Contains(p.Name, "lora_B") {
			rng := nn.Generator(seed, p.Name)
			values := make([]float32, p.Tensor.Elements())
			for i := range values {
				values[i] = float32(rng.NormFloat64()) * 0.2
			}
			p.Tensor.Copy(e.FromFloats(values, p.Tensor.Shape()...))
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Several adapters on one base: each gives its own logits whenever it is active, and with none the logits are those
// of the base, bit for bit, in fp32 and in bf16.
func TestSeveralAdapters(t *testing.T) {
	for _, dtype := range []torch.DType{torch.Float32, torch.BFloat16} {
		withModel(t, dtype, func(e *torch.Engine, m *qwen2.Model) {
			values := func() []float32 {
				return e.Scope1(func() *torch.Tensor { return m.Logits(nn.Forward(m, tokens(), nil)).To(torch.Float32) }).Floats()
			}
			base := values()
			set := nn.NewAdapters(e, m)
			want := map[string][]float32{"": base}
			for i, name := range []string{"one", "two"} {
				a, err := set.New(name, gpu.LoRA{Rank: 4, Alpha: 8, Targets: [][]string{{"q_proj", "down_proj"}, {"all-linear"}}[i]}, uint64(i))
				must(err)
				trained(e, a, uint64(i))
				want[name] = values()
				if difference(want[name], base) < 1e-2 {
					t.Errorf("%s changes nothing", name)
				}
			}
			for _, name := range []string{"one", "", "two", "one", ""} {
				must(set.Use(name))
				if set.Active() != name || !slices.Equal(values(), want[name]) {
					t.Errorf("%q gives other logits the second time", name)
				}
			}
			for says, err := range map[string]error{
				`"three"`: set.Use("three"), `"four"`: set.Remove("four"),
				`"one"`: second(set.New("one", gpu.LoRA{Rank: 1, Alpha: 1}, 1)),
				`"w"`:   second(set.New("five", gpu.LoRA{Rank: 1, Alpha: 1, Targets: []string{"w"}}, 1)),
			} {
				if err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("got %v, want an error with %s", err, says)
				}
			}
			must(set.Use("two"))
			must(set.Remove("one"))
			must(set.Remove("two"))
			if !slices.Equal(values(), base) {
				t.Error("without adapters the base differs")
			}
		})
	}
}

func second(_ *nn.Adapter, err error) error { return err }

// Merged, a model gives what it gave with the adapter beside, to rounding; taken out again, its weights are the same
// bits as before, and so are the logits with and without the adapter.
func TestUnmergeIsExact(t *testing.T) {
	for dtype, tolerance := range map[torch.DType]float64{torch.Float32: 1e-5, torch.BFloat16: 0.1} {
		withModel(t, dtype, func(e *torch.Engine, m *qwen2.Model) {
			values := func() []float32 { return m.Logits(nn.Forward(m, tokens(), nil)).To(torch.Float32).Floats() }
			weights := func() (all []byte) {
				for _, p := range m.Parameters() {
					all = append(all, p.Tensor.Bytes()...)
				}
				return all
			}
			base, before := values(), weights()
			a, err := nn.NewAdapter(e, m, gpu.LoRA{Rank: 4, Alpha: 8}, 7)
			must(err)
			defer a.Free()
			trained(e, a, 7)
			beside := values()
			for range 3 {
				must(a.MergeKept())
				if slices.Equal(weights(), before) {
					t.Error("merging changed nothing")
				}
				if d := difference(values(), beside); d > tolerance {
					t.Errorf("merged logits differ by %v", d)
				}
				if a.MergeKept() == nil || a.Merge() == nil {
					t.Error("merged twice: no error")
				}
				must(a.Unmerge())
				if !slices.Equal(weights(), before) || !slices.Equal(values(), beside) {
					t.Error("taken out, the weights or the logits are others")
				}
			}
			if a.Unmerge() == nil {
				t.Error("taken out twice: no error")
			}
			a.Off()
			if !slices.Equal(values(), base) {
				t.Error("off, the logits are not the base's")
			}
			if a.Merge() == nil {
				t.Error("merged while off: no error")
			}
		})
	}
}

// Targets are read as PEFT reads them. The layers that an adapter has are those whose A it names.
func TestTargets(t *testing.T) {
	all := []string{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
	for name, c := range map[string]struct {
		targets []string
		want    []string // ends of paths; nil: refused
	}{
		"default":    {nil, ends("", all...)},
		"all":        {[]string{"all-linear"}, ends("", all...)},
		"names":      {[]string{"q_proj", "self_attn.v_proj"}, ends("", "q_proj", "v_proj")},
		"path":       {[]string{"model.layers.1.mlp.up_proj"}, ends("1.", "up_proj")},
		"expression": {[]string{`regexp:.*layers\.0\..*\.(q|up)_proj`}, ends("0.", "q_proj", "up_proj")},
		"part":       {[]string{`regexp:q_proj`}, nil}, // the whole path must match
		"end":        {[]string{"proj"}, nil},          // an end begins after a dot
		"head":       {[]string{"lm_head"}, nil},       // not a layer of the blocks
		"wrong":      {[]string{`regexp:(q_proj`}, nil},
		"not alone":  {[]string{"all-linear", "q_proj"}, nil},
	} {
		withModel(t, torch.Float32, func(e *torch.Engine, m *qwen2.Model) {
			a, err := nn.NewAdapter(e, m, gpu.LoRA{Rank: 2, Alpha: 4, Targets: c.targets}, 1)
			if err != nil {
				if c.want != nil {
					t.Errorf("%s: %v", name, err)
				}
				return
			}
			defer a.Free()
			var got []string
			for _, p := range a.Parameters() {
				if path, is := strings.CutSuffix(p.Name, ".lora_A.weight"); is {
					parts := strings.Split(path, ".")
					got = append(got, parts[4]+"."+parts[len(parts)-1])
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		})
	}
}

// ends are layer.name for the layers of the small model, sorted.
func ends(layer string, names ...string) (all []string) {
	for i := range small.Layers {
		for _, n := range names {
			if at := fmt.Sprintf("%d.", i); layer == "" || layer == at {
				all = append(all, at+n)
			}
		}
	}
	slices.Sort(all)
	return all
}

// Rank-stabilised scaling and patterns of ranks and alphas decide each layer's share; what is saved says so, and is
// read back to the same logits. The share is measured: with A and B of ones a layer adds scale·rank·sum(x).
func TestScales(t *testing.T) {
	const text = `{"peft_type":"LORA","r":4,"lora_alpha":8,"use_rslora":%v,"target_modules":%s,
		"rank_pattern":{"layers.1.mlp.up_proj":2},"alpha_pattern":{"up_proj":3,"mlp.*":1}}`
	for _, stable := range []bool{false, true} {
		for _, modules := range []string{`["up_proj","q_proj","absent"]`, `".*\\.(up|q)_proj"`} {
			withModel(t, torch.Float32, func(e *torch.Engine, m *qwen2.Model) {
				dir := t.TempDir()
				first, err := nn.NewAdapter(e, m, gpu.LoRA{Rank: 4, Alpha: 8, Targets: []string{"up_proj", "q_proj"}}, 1)
				must(err)
				var ones []nn.Parameter
				for _, p := range first.Parameters() {
					shape := p.Tensor.Shape()
					if strings.Contains(p.Name, "layers.1.mlp.up_proj") {
						shape[slices.Index(shape, 4)] = 2
					}
					values := slices.Repeat([]float32{1}, int(shape[0]*shape[1]))
					ones = append(ones, nn.Parameter{Name: p.Name, Tensor: e.FromFloats(values, shape...)})
				}
				first.Off()
				first.Free()
				must(nn.SaveTensors(filepath.Join(dir, nn.AdapterWeightsName), ones))
				config := fmt.Appendf(nil, text, stable, modules)
				must(os.WriteFile(filepath.Join(dir, nn.AdapterConfigName), config, 0o600))
				a, err := nn.LoadAdapter(e, m, dir)
				must(err)
				root := func(x float64) float64 {
					if stable {
						return math.Sqrt(x)
					}
					return x
				}
				for path, want := range map[string]float64{
					"model.layers.0.self_attn.q_proj": 8 / root(4) * 4, "model.layers.0.mlp.up_proj": 3 / root(4) * 4,
					"model.layers.1.mlp.up_proj": 3 / root(2) * 2,
				} {
					x := e.FromFloats(slices.Repeat([]float32{1}, small.Hidden), 1, int64(small.Hidden))
					m.Linears(func(at string, slot *nn.Linear) {
						if at != path {
							return
						}
						with := (*slot).Forward(x).Floats()[0]
						without := (*slot).(*nn.LoRA).Base.Forward(x).Floats()[0]
						if got := float64(with - without); math.Abs(got-want*float64(small.Hidden)) > 1e-3 {
							t.Errorf("%s, stable %v: adds %v, want %v", path, stable, got, want*float64(small.Hidden))
						}
					})
				}
				want, out := logits(e, m), t.TempDir()
				must(a.Save(out))
				a.Off()
				a.Free()
				var saved map[string]any
				data, err := os.ReadFile(filepath.Join(out, nn.AdapterConfigName))
				must(err)
				must(json.Unmarshal(data, &saved))
				if _, text := saved["target_modules"].(string); text != strings.HasPrefix(modules, `"`) {
					t.Errorf("saved target_modules %v of %s", saved["target_modules"], modules)
				}
				again, err := nn.LoadAdapter(e, m, out)
				must(err)
				defer again.Free()
				if !slices.Equal(logits(e, m), want) {
					t.Error("read back, the adapter gives other logits")
				}
			})
		}
	}
}

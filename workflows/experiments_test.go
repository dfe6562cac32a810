package workflows_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/workflows"
)

// experiment reads one of the shipped specs.
func experiment(t *testing.T, name string) *workflows.Spec {
	t.Helper()
	file := filepath.Join("..", "experiments", name+".yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := workflows.ParseSpec(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// trainings are the experiments in learning from rewards, each with a twin in small.
var trainings = []string{
	"skill1", "skill1-released", "skill-only", "grpo", "gigpo", "skillrl", "retroagent", "no-library", "no-selection", "no-distillation",
	"lambda1-zero", "lambda2-zero", "cap-50", "cap-500", "cap-5000",
	"skill1-webshop", "grpo-webshop", "gigpo-webshop", "skillrl-webshop", "retroagent-webshop", "retroagent-in-context-webshop",
}

// sizes are what a twin differs in: how large things are and how often things are done, the model that is trained and where
// it comes from, and in what wording and form it is asked, and with how many skills, which a small one is taught in a few tokens. All else is the same.
var sizes = []string{
	"answer", "chat", "checkpoint", "group", "max_steps", "optimiser.dtype", "optimiser.rate", "optimiser.recompute", "optimiser.save",
	"prompts", "start", "steps", "tasks", "validate", "validation_show",
}

// flat has the leaves of a value by their path.
func flat(path string, v any, to map[string]string) {
	if m, ok := v.(map[string]any); ok {
		for k, one := range m {
			flat(strings.TrimPrefix(path+"."+k, "."), one, to)
		}
		return
	}
	text, _ := json.Marshal(v)
	to[path] = string(text)
}

func leavesOf(t *testing.T, g *workflows.GRPOSpec) map[string]string {
	t.Helper()
	raw, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	flat("", v, all)
	return all
}

// TestTwins: a twin is its big experiment but for sizes.
func TestTwins(t *testing.T) {
	for _, name := range trainings {
		big, tiny := experiment(t, name), experiment(t, name+"-tiny")
		if big.GRPO == nil || tiny.GRPO == nil || !big.Does("grpo") || !tiny.Does("grpo") {
			t.Fatalf("%s does not learn from rewards", name)
		}
		a, b := leavesOf(t, big.GRPO), leavesOf(t, tiny.GRPO)
		for path := range a {
			if _, there := b[path]; !there {
				b[path] = "nothing"
			}
		}
		for path, small := range b {
			large, there := a[path]
			if !there {
				large = "nothing"
			}
			size := slices.ContainsFunc(sizes, func(s string) bool { return path == s || strings.HasPrefix(path, s+".") })
			if large != small && !size {
				t.Errorf("%s: grpo.%s is %s, in the twin %s", name, path, large, small)
			}
		}
	}
}

// TestTrainingsByReward: each is what its name says, and no other.
func TestTrainingsByReward(t *testing.T) {
	seen := map[string]string{}
	for _, name := range trainings {
		g := experiment(t, name).GRPO
		want := map[string]string{"skill1": "skill1-paper", "skill1-released": "skill1-released", "skill-only": "skill-only", "grpo": "grpo", "gigpo": "gigpo", "skillrl": "skillrl", "retroagent": "retroagent", "retroagent-in-context": "retroagent"}[strings.TrimSuffix(name, "-webshop")]
		if want == "" {
			want = "skill1-paper"
		}
		ablation := ""
		if slices.Contains(workflows.Ablations, name) {
			ablation = name
		}
		if g.Method != want || g.Ablation != ablation {
			t.Errorf("%s is %s %s, want %s %s", name, g.Method, g.Ablation, want, ablation)
		}
		if rest, capped := strings.CutPrefix(name, "cap-"); capped {
			raw, _ := json.Marshal(g.Library.Capacity)
			if string(raw) != rest {
				t.Errorf("%s keeps %d skills", name, g.Library.Capacity)
			}
		}
		all := leavesOf(t, g)
		raw, _ := json.Marshal(all)
		if other := seen[string(raw)]; other != "" && name != "cap-5000" { // which is skill1, as published
			t.Errorf("%s is %s", name, other)
		}
		seen[string(raw)] = name
	}
	for _, file := range []string{"skill1", "skill-only"} {
		g := experiment(t, file).GRPO
		for what, ok := range map[string]bool{
			"16 tasks a step":        g.Tasks == 16,
			"rate 1e-6":              g.Optimiser.Rate == 1e-6,
			"KL 0.01":                g.Learn.KL == 0.01,
			"temperature 0.4":        g.Validate.Temperature == 0.4,
			"one bf16 file":          g.Optimiser.Save == "bfloat16",
			"EMA 0.05":               g.Library.Rate == 0.05,
			"groups of 16 or 8":      g.Group == map[string]int{"skill1": 16, "skill-only": 8}[file],
			"150 or 40 steps":        g.Steps == map[string]int{"skill1": 150, "skill-only": 40}[file],
			"top-k 5 or 3":           g.Retrieval.TopK == map[string]int{"skill1": 5, "skill-only": 3}[file],
			"thinking off":           g.Chat != nil && !g.Chat.Thinking,
			"64 games are validated": experiment(t, file).Evaluation.Panels[0].Games == 64,
		} {
			if !ok {
				t.Errorf("%s: expected %s", file, what)
			}
		}
	}
	g := experiment(t, "skill-only").GRPO
	if g.Checkpoint != 10 || g.Learn.Credit.Gamma != 0.95 || !slices.Equal(g.Learn.Credit.Train, []credit.Phase{credit.Query, credit.Rank}) {
		t.Errorf("skill-only: %+v", g)
	}
}

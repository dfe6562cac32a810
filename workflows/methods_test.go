package workflows_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
	"github.com/hone-rl/hone/workflows"
)

// column is a column of the table of knobs, by which the published ways differ, in its words.
type column struct {
	returns, norm, library, admit, score, shown, asks, extra, group string
}

// The table of knobs, cell by cell. γ is 0.95 and ω 1 where they are used.
var knobs = map[string]column{
	"grpo":  {"util: episode", "samples, std", "none", "-", "-", "-", "act", "start model", "none"},
	"gigpo": {"util: anchored γ .95 ω 1", "samples, std", "none", "-", "-", "-", "act", "start model", "none"},
	"skillrl": {
		"util: episode", "samples, std", "never retired below 5000", "none", "type", "1000 of 5 / 1000 of 5", "act", "start cold_start", "all",
	},
	"retroagent": {
		"util: discounted γ .95, reflect: own γ .95", "samples, std; none, none", "never retired below 100000", "predicted", "simutil_ucb w 0.7 / greedy w 0.7",
		"1 of 1 / 3 of 3", "act distil", "start model, reflect × 1, intrinsic × 1", "half",
	},
	"skill1-paper": {
		"util: episode, rank: own, distil: own", "rollouts, std; none, none; rollouts, std", "selected_log above 5000", "won", "ucb w 0.6 / greedy w 0.6",
		"1 of 5 / 1 of 5", "query rank act distil", "start model, rank × 0.3, distil × 0.3", "all",
	},
	"skill1-released": {
		"util: discounted γ .95", "samples, std", "utility_log above 5000", "won", "ucb w 1 / greedy w 1", "1 of 3 / 3 of 3",
		"query rank act distil", "start model, own query × 0.3, own rank × 0.3", "all",
	},
	"skill-only": {
		"util: discounted γ .95", "samples, std", "utility_log above 5000", "won", "ucb w 1 / greedy w 1", "1 of 3 / 3 of 3",
		"query rank act distil", "start model, own distil × 0.3, own query × 0.3, own rank × 0.3, only query rank", "all",
	},
}

func columnOf(g workflows.GRPOSpec) (c column) {
	var returns, norms, asks []string
	how := g.Learn.Credit
	extra := []string{"start " + g.Start}
	for _, p := range how.Parts {
		text := p.Name + ": " + string(p.Signal)
		if how.Gamma == 0.95 {
			text += " γ .95"
		}
		if how.StepWeight == 1 {
			text += " ω 1"
		}
		returns = append(returns, text)
		norms = append(norms, string(p.Baseline)+", "+string(p.Scale))
		if p.Name != "util" {
			extra = append(extra, fmt.Sprintf("%s × %v", p.Name, p.Weight))
		}
	}
	c.returns, c.norm = strings.Join(returns, ", "), strings.Join(norms, "; ")
	var own []string
	for phase, weight := range how.Own {
		own = append(own, fmt.Sprintf("own %s × %v", phase, weight))
	}
	slices.Sort(own)
	extra = append(extra, own...)
	if how.Intrinsic != 0 {
		extra = append(extra, fmt.Sprintf("intrinsic × %v", how.Intrinsic))
	}
	if len(how.Train) > 0 {
		extra = append(extra, "only "+strings.Trim(fmt.Sprint(how.Train), "[]"))
	}
	c.extra = strings.Join(extra, ", ")
	for _, a := range []struct {
		phase string
		asked bool
	}{{"query", g.Query}, {"rank", g.Rank}, {"act", true}, {"distil", g.Distil}} {
		if a.asked {
			asks = append(asks, a.phase)
		}
	}
	c.asks = strings.Join(asks, " ")
	c.library, c.admit, c.score, c.shown, c.group = "none", "-", "-", "-", "none"
	if g.Library == nil {
		return c
	}
	rules := g.Library.WithDefaults()
	c.library = fmt.Sprintf("%s above %d", rules.Retire, rules.Capacity)
	if g.Library.Retire == "" {
		c.library = fmt.Sprintf("never retired below %d", rules.Capacity)
	}
	c.admit, c.group = string(rules.Admit), "all"
	if g.Half {
		c.group = "half"
	}
	train, eval := g.Retrieval.WithDefaults(), g.ValidationRetrieval.WithDefaults()
	c.score = string(train.Mode)
	if train.Mode != skills.ModeType {
		c.score = fmt.Sprintf("%s w %v / %s w %v", train.Mode, *train.Weight, eval.Mode, *eval.Weight)
	}
	c.shown = fmt.Sprintf("%d of %d / %d of %d", g.Show, train.TopK, g.ValidationShow, eval.TopK)
	return c
}

func TestMethods(t *testing.T) {
	if len(knobs) != len(workflows.Methods) {
		t.Fatalf("%d columns of %d methods", len(knobs), len(workflows.Methods))
	}
	for _, method := range workflows.Methods {
		got, want := reflect.ValueOf(columnOf(workflows.DefaultGRPO(method, "", ""))), reflect.ValueOf(knobs[method])
		for i := range got.NumField() {
			if g, w := got.Field(i).String(), want.Field(i).String(); g != w {
				t.Errorf("%s, %s: got %q, want %q", method, got.Type().Field(i).Name, g, w)
			}
		}
	}
}

// Sizes as published for ALFWorld.
func TestMethodSizes(t *testing.T) {
	for method, want := range map[string][]int{ // tasks, group, steps, validation, response, mini-batch
		"skill1-paper":    {16, 16, 150, 20, 2048, 256},
		"skill1-released": {16, 8, 150, 20, 2048, 256},
		"skill-only":      {16, 8, 40, 10, 2048, 256},
		"grpo":            {16, 8, 150, 5, 512, 256},
		"gigpo":           {16, 8, 150, 5, 512, 256},
		"skillrl":         {16, 8, 150, 5, 1024, 128},
		"retroagent":      {16, 8, 150, 5, 2048, 256},
	} {
		g := workflows.DefaultGRPO(method, "", "")
		if got := []int{g.Tasks, g.Group, g.Steps, g.Validate.Every, g.Answer.Act, g.Learn.MiniBatch}; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", method, got, want)
		}
		o := g.Optimiser
		if o.Rate != 1e-6 || o.Beta1 != .9 || o.Beta2 != .999 || o.WeightDecay != .01 || o.Clip != 1 || o.Flat != 1 || o.Floor != 1 || o.Warmup != 0 ||
			g.Learn.KL != .01 || g.Validate.Temperature != .4 || g.Draw.Temperature != 1 || g.History != 2 || g.MaxSteps != 50 {
			t.Errorf("%s: got %+v", method, g)
		}
	}
}

func TestAblations(t *testing.T) {
	for _, method := range []string{"skill1-paper", "skill1-released"} {
		whole := workflows.DefaultGRPO(method, "", "")
		for name, change := range map[string]func(*workflows.GRPOSpec){
			"no-library": func(g *workflows.GRPOSpec) {
				g.Library, g.Retrieval, g.ValidationRetrieval, g.Show, g.ValidationShow = nil, nil, nil, 0, 0
				g.Query, g.Rank, g.Distil = false, false, false
			},
			"no-selection":    func(g *workflows.GRPOSpec) { g.Query, g.Rank = false, false },
			"no-distillation": func(g *workflows.GRPOSpec) { g.Distil, g.Trajectories = false, true },
			"lambda1-zero": func(g *workflows.GRPOSpec) {
				if method == "skill1-paper" {
					g.Learn.Credit.Parts[1].Weight = 0
				} else {
					g.Learn.Credit.Own = map[credit.Phase]float64{credit.Query: 0, credit.Rank: 0}
				}
			},
			"lambda2-zero": func(g *workflows.GRPOSpec) {
				if method == "skill1-paper" {
					g.Learn.Credit.Parts[2].Weight = 0
				}
			},
		} {
			want := workflows.DefaultGRPO(method, "", "")
			change(&want)
			want.Ablation = name
			if got := workflows.DefaultGRPO(method, name, ""); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: got\n%+v\nwant\n%+v", method, name, got, want)
			}
		}
		if !reflect.DeepEqual(workflows.DefaultGRPO(method, "", ""), whole) {
			t.Errorf("%s: an ablation changed the method", method)
		}
	}
	for _, name := range workflows.Ablations { // RetroAgent's bonus goes by lessons
		g := workflows.DefaultGRPO("retroagent", name, "")
		if (g.Learn.Credit.Intrinsic == 1) != g.Distil {
			t.Errorf("%s: lessons %t, intrinsic reward × %v", name, g.Distil, g.Learn.Credit.Intrinsic)
		}
	}
}

const grpoSpec = goodSpec + `stages: [cold_start, grpo]
tokenizer: {split: word, vocabulary: 512}
hints: {prompt: turns/1, history: 50}
model:
  qwen2: {hidden: 32, layers: 1, heads: 2, kv_heads: 1, intermediate: 64, vocabulary: 512, positions: 4096,
          rope_theta: 10000, init_std: 0.06, tie_embedding: true}
cold_start: {steps: 20, skilled: 0.25}
grpo:
  start: cold_start
  prompts: skill-turns/1
  steps: 4
  validate: {panel: unseen}
`

func TestGRPOSpec(t *testing.T) {
	spec, err := workflows.ParseSpec("a.yaml", []byte(grpoSpec+`  learn:
    credit:
      parts:
        - {name: rank, weight: 0.5}
        - {name: more, phases: [query], signal: own, baseline: none, scale: none, loss: reinforce, weight: 1}
        - {name: util, phases: [act]}
  retrieval: {top_k: 2}
  answer: {act: 64}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := workflows.DefaultGRPO("skill1-paper", "", "")
	want.Start, want.Prompts, want.Steps, want.Validate.Panel = "cold_start", "skill-turns/1", 4, "unseen"
	want.Retrieval.TopK, want.Answer.Act = 2, 64
	parts := want.Learn.Credit.Parts
	parts[0].Phases, parts[1].Weight = []credit.Phase{credit.Act}, 0.5
	want.Learn.Credit.Parts = append(parts, credit.Part{
		Name: "more", Phases: []credit.Phase{credit.Query}, Signal: credit.OwnReward, Baseline: credit.NoBaseline, Scale: credit.Unscaled, Loss: credit.Reinforce, Weight: 1,
	})
	if !reflect.DeepEqual(*spec.GRPO, want) {
		t.Errorf("got\n%+v\nwant\n%+v", *spec.GRPO, want)
	}
	if spec.ColdStart.Steps != 20 || spec.ColdStart.Skilled != 0.25 || spec.ColdStart.Warmup != 2 || spec.ColdStart.Rate != 2e-3 {
		t.Errorf("cold start: got %+v", spec.ColdStart)
	}
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	var again workflows.Spec
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if twice, err := json.Marshal(again); err != nil || string(twice) != string(raw) {
		t.Errorf("read back: %v\n%s\n%s", err, raw, twice)
	}
	if id, err := spec.RunID("1"); err != nil || !strings.HasPrefix(id, "tiny-") {
		t.Errorf("run %s, %v", id, err)
	}
}

// Nothing of what a spec may now say stands in one that does not.
func TestSpecBefore(t *testing.T) {
	spec, err := workflows.ParseSpec("a.yaml", []byte(goodSpec))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"stages", "cold_start", "grpo"} {
		if strings.Contains(string(raw), field) {
			t.Errorf("%s stands in %s", field, raw)
		}
	}
}

// Runs that ask for other forms begin with the same policy where they are taught the same.
func TestColdStartForms(t *testing.T) {
	cold := func(method, forms string) string {
		spec, err := workflows.ParseSpec("a.yaml", []byte(strings.Replace(grpoSpec, "{steps: 20,", "{steps: 20, "+forms, 1)+"  method: "+method+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		if err := spec.Walk("", func(p workflows.Planned) (artifacts.Digest, error) {
			if p.Name == "untrained" || p.Name == "cold_start" {
				found += string(p.Stage.Parameters)
			}
			return artifacts.Of([]byte(p.Name)), nil
		}); err != nil {
			t.Fatal(err)
		}
		return found
	}
	const same = "forms: [query, rank, distil],"
	all := cold("skill1-paper", same)
	if all != cold("skill1-paper", "") || all != cold("gigpo", same) || all == cold("gigpo", "") || all == cold("skill1-paper", "forms: [query],") {
		t.Errorf("a cold start of all forms has the parameters %s", all)
	}
	if none := cold("skill1-paper", "forms: [],"); none != cold("gigpo", "") {
		t.Errorf("without forms: %s", none)
	}
}

func TestGRPOSpecRefuses(t *testing.T) {
	without := strings.Split(grpoSpec, "grpo:\n")[0]
	for name, c := range map[string]struct {
		spec string
		want []string
	}{
		"unknown stage":       {goodSpec + "stages: [teacher, lunch]\n", []string{`bad.yaml:7: stages[1] "lunch": expected one of teacher, student, distilled, cold_start, grpo, evaluation`}},
		"a stage twice":       {goodSpec + "stages: [teacher, teacher]\n", []string{`stages[1] "teacher": stands there twice`}},
		"said of nothing":     {goodSpec + "stages: [teacher, evaluation]\nstudent: {steps: 5}\n", []string{"bad.yaml:8: student: expected it among stages, or left out"}},
		"grpo of nothing":     {goodSpec + "grpo: {validate: {panel: unseen}}\n", []string{"bad.yaml:7: grpo: expected it among stages, or left out"}},
		"no grpo":             {goodSpec + "stages: [grpo]\n", []string{"grpo: expected it, since stages has it"}},
		"no cold start":       {goodSpec + "stages: [cold_start]\n", []string{"cold_start: expected it, since stages has it", "grpo: expected it beside cold_start"}},
		"nothing to evaluate": {strings.Replace(grpoSpec, "[cold_start, grpo]", "[cold_start, grpo, evaluation]", 1), []string{"stages: expected no evaluation without teacher or student"}},
		"start":               {strings.Replace(grpoSpec, "start: cold_start", "start: base", 1), []string{`grpo.start "base": expected model, teacher, student or cold_start`}},
		"start not done":      {strings.Replace(grpoSpec, "start: cold_start", "start: teacher", 1), []string{"grpo.start teacher: expected it among stages"}},
		"start an adapter":    {strings.Replace(grpoSpec, "{steps: 20,", "{steps: 20, lora: {rank: 2, alpha: 4},", 1), []string{"grpo.start cold_start: expected it without lora"}},
		"skilled":             {strings.Replace(grpoSpec, "0.25", "1.25", 1), []string{"cold_start.skilled 1.25: expected 0 to 1"}},
		"forms":               {strings.Replace(grpoSpec, "{steps: 20,", "{steps: 20, beside: 2, games: -1, forms: [rank, act, rank],", 1), []string{`cold_start.forms[1] "act": expected one of ["query" "rank" "distil"], each once`, "cold_start.forms[2]", "cold_start.beside 2", "cold_start.games -1"}},
		"cold start's own":    {strings.Replace(grpoSpec, "{steps: 20,", "{steps: 0, max_tokens: 9999,", 1), []string{"cold_start.steps 0", "cold_start.max_tokens 9999: expected at most model.qwen2.positions, 4096"}},
		"panel":               {strings.Replace(grpoSpec, "panel: unseen", "panel: seen", 1), []string{`bad.yaml:18: grpo.validate.panel "seen": expected the name of one of evaluation.panels`}},
		"panel left out":      {strings.Replace(grpoSpec, "{panel: unseen}", "{every: 5}", 1), []string{`grpo.validate.panel ""`}},
		"panel train":         {strings.ReplaceAll(strings.ReplaceAll(grpoSpec, "name: unseen", "name: train"), "panel: unseen", "panel: train"), []string{"evaluation.panels[0].name train: expected another"}},
		"method":              {grpoSpec + "  method: ppo\n", []string{`grpo.method "ppo": expected one of [skill1-paper`}},
		"ablation":            {grpoSpec + "  ablation: no-luck\n", []string{`grpo.ablation "no-luck"`}},
		"ablation of nothing": {grpoSpec + "  method: gigpo\n  ablation: no-library\n", []string{"grpo.ablation no-library: expected a method with a library, not gigpo"}},
		"sizes":               {grpoSpec + "  tasks: 0\n  group: -1\n  history: 0\n  chain: 1000\n", []string{"grpo.tasks 0: expected 1 to 4096", "grpo.history 0: expected 1 to", "grpo.group -1", "grpo.chain 1000: expected 1 to 100"}},
		"prompts":             {strings.Replace(grpoSpec, "skill-turns/1", "turns/1", 1), []string{`grpo.prompts "turns/1": expected skill/1`}},
		"world":               {grpoSpec + "  world: shop\n", []string{"grpo.world shop: expected household"}},
		"greedy":              {grpoSpec + "  draw: {temperature: 0}\n", []string{"grpo.draw.temperature 0: expected"}},
		"temperatures":        {grpoSpec + "  learn: {temperature: 0.5}\n", []string{"grpo.learn.temperature 0.5: expected none"}},
		"library taken":       {grpoSpec + "  library:\n", []string{"grpo.retrieval: expected it with a library, and none without", "grpo.query: expected a library", "grpo.distil: expected a library"}},
		"library":             {grpoSpec + "  library: {rate: 2, admit: all}\n", []string{"grpo.library.rate: 2, expected above 0", "grpo.library.admit"}},
		"zeros":               {grpoSpec + "  library: {capacity: 0, rate: 0}\n  retrieval: {top_k: 0}\n", []string{"grpo.library.capacity 0: expected above 0, or left out", "grpo.library.rate 0", "grpo.retrieval.top_k 0"}},
		"retrieval":           {grpoSpec + "  retrieval: {weight: 2}\n", []string{"grpo.retrieval.weight: 2, expected 0 to 1"}},
		"bank":                {grpoSpec + "  bank: abc\n", []string{"grpo.bank", "sha256:"}},
		"a bonus":             {grpoSpec + "  method: retroagent\n  distil: false\n", []string{"grpo.learn.credit.intrinsic 1: expected distil beside it"}},
		"a bonus below 0":     {grpoSpec + "  learn: {credit: {intrinsic: -1}}\n", []string{"grpo.learn.credit.intrinsic -1: expected 0 or more"}},
		"commands predict":    {grpoSpec + "  method: retroagent\n  ablation: no-distillation\n", []string{"grpo.library.admit predicted: expected another rule beside trajectories"}},
		"half of one":         {grpoSpec + "  half_group: true\n  group: 1\n", []string{"grpo.half_group: expected a group above 1"}},
		"credit":              {grpoSpec + "  learn: {credit: {gamma: 2, parts: [{name: rank, signal: luck}]}}\n", []string{"grpo.learn.credit.gamma 2", `grpo.learn.credit.parts[1].signal "luck"`}},
		"loss":                {grpoSpec + "  learn: {kl: -1, entropy: -0.001, aggregate: sum, loss: {dual: 0.5}}\n", []string{"grpo.learn.kl -1", "grpo.learn.entropy -0.001: expected 0 to", `grpo.learn.aggregate "sum"`, "grpo.learn.loss.dual 0.5"}},
		"optimiser":           {grpoSpec + "  optimiser: {rate: 0}\n", []string{"grpo.optimiser.rate 0"}},
		"a rate that changes": {grpoSpec + "  optimiser: {schedule: cosine}\n", []string{"grpo.optimiser.steps 0: expected the optimiser's steps in all"}},
		"layers":              {grpoSpec + "  optimiser: {lora: {rank: 2, alpha: 4, targets: [w]}}\n", []string{"grpo.optimiser.lora.targets"}},
		"no chat template":    {grpoSpec + "  chat: {thinking: false}\n", []string{"bad.yaml:19: grpo.chat: expected none with model.qwen2"}},
		"answers too long":    {grpoSpec + "  answer: {act: 5000}\n", []string{"grpo.answer.act 5000: expected below model.qwen2.positions, 4096"}},
		"seeds":               {grpoSpec + "  seed: 4\nseeds: [1]\n", []string{"grpo.seed: seeds take its place"}},
		"unknown field":       {grpoSpec + "  luck: 4\n", []string{"bad.yaml:19: grpo.luck: unknown field"}},
		"wrong type":          {grpoSpec + "  tasks: 1.5\n", []string{"bad.yaml:19: grpo.tasks 1.5: expected a whole number"}},
		"text for it":         {without + "grpo: fast\n", []string{"grpo fast: expected fields"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := workflows.ParseSpec("bad.yaml", []byte(c.spec))
			if err == nil {
				t.Fatal("it was accepted")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
		})
	}
}

package workflows_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

const shopSpec = `name: shop
stages: [cold_start, grpo]
games:
  shop: {train: 20, validation: 6}
tokenizer: {vocabulary: 300}
model: {qwen2: {hidden: 8, layers: 1, heads: 2, kv_heads: 1, intermediate: 8, vocabulary: 300, positions: 4096, rope_theta: 10000, init_std: 0.06, tie_embedding: true}}
cold_start: {steps: 10}
grpo: {method: grpo, start: cold_start, validate: {panel: unseen}}
evaluation:
  panels: [{name: unseen, splits: [validation]}]
`

// TestShopSpec: a run in a shop takes the method's numbers for WebShop, and says nothing of a shop where there is none.
func TestShopSpec(t *testing.T) {
	spec, err := workflows.ParseSpec("shop.yaml", []byte(shopSpec))
	if err != nil {
		t.Fatal(err)
	}
	g := spec.GRPO
	if g.World != ask.Shop || g.MaxSteps != 15 || g.History != 2 || g.Projection != (workflows.ProjectionSpec{Tail: 20, Literal: true}) {
		t.Errorf("got world %s, %d steps, history %d, projection %+v", g.World, g.MaxSteps, g.History, g.Projection)
	}
	listed := strings.Replace(shopSpec, "shop: {train: 20, validation: 6}", "list: "+string(artifacts.Of(nil)), 1)
	if spec, err = workflows.ParseSpec("shop.yaml", []byte(listed)); err != nil || spec.GRPO.MaxSteps != 50 {
		t.Errorf("of a list: %v, want ALFWorld's 50 steps", err)
	}
	listed = strings.Replace(listed, "grpo: {", "grpo: {world: shop, ", 1)
	if spec, err = workflows.ParseSpec("shop.yaml", []byte(listed)); err != nil || spec.GRPO.MaxSteps != 15 {
		t.Errorf("of a list of goals: %v, want 15 steps", err)
	}
	home, err := workflows.ParseSpec("tiny.yaml", []byte(goodSpec))
	if err != nil {
		t.Fatal(err)
	}
	if id, err := home.RunID("0.1.0"); err != nil || id != homeRun {
		t.Errorf("got the run %s, %v, want %s as before there were shops", id, err, homeRun)
	}
}

// homeRun is the run of goodSpec.
const homeRun = "tiny-18a81d0f89"

func TestShopComplaints(t *testing.T) {
	swap := func(from, to string) string { return strings.Replace(shopSpec, from, to, 1) }
	const games = "shop: {train: 20, validation: 6}"
	for name, tt := range map[string]struct {
		text string
		want string
	}{
		"two sources":         {swap(games, games+"\n  household: {train: 20}"), "s.yaml:3: games: expected either list, household or shop"},
		"none":                {swap(games, "list: \"\""), "s.yaml:3: games: expected either list, household or shop"},
		"nothing to train on": {swap("train: 20, ", ""), "s.yaml:4: games.shop.train 0, validation 6, test 0: expected train above 0"},
		"a negative count":    {swap("validation: 6", "validation: 6, test: -1"), "expected train above 0, no count below 0"},
		"too many":            {swap("train: 20", "train: 10000001"), "expected at most 10000000 games a split"},
		"too large":           {swap("train: 20", "train: 20, products: 100001"), "s.yaml:4: games.shop.products 100001: expected 0, for 900, to 100000"},
		"no digest":           {swap("train: 20", "train: 20, catalogue: sha256:1"), "s.yaml:4: games.shop.catalogue: "},
		"two catalogues":      {swap("train: 20", "train: 20, products: 60, catalogue: "+string(artifacts.Of(nil))), "s.yaml:4: games.shop.catalogue: expected no products and seed beside it"},
		"no groups":           {swap("train: 20", "train: 20, groups: {count: 0}"), "s.yaml:4: games.shop.groups.count 0: expected 1 to 128"},
		"a long seed":         {swap("train: 20", "train: 20, groups: {count: 16, seed: 4294967296}"), "s.yaml:4: games.shop.groups.seed 4294967296: expected at most"},
		"tested in groups":    {swap("train: 20", "train: 20, test: 5, groups: {count: 16}"), "s.yaml:4: games.shop.test 5: expected none with groups"},
		"validated in groups": {swap("validation: 6", "validation: 600, groups: {count: 16}"), "s.yaml:4: games.shop.validation 600: expected at most 128"},
		"an unknown split":    {swap("[validation]", "[valid_unseen]"), `splits "valid_unseen": expected one of train, validation, test`},
		"an empty split":      {swap("[validation]", "[test]"), "s.yaml:10: evaluation.panels[0].splits [test]: games.shop has no game of them: expected games.shop.test above 0"},
		"a teacher":           {swap("[cold_start, grpo]", "[teacher, grpo]"), "s.yaml:2: stages: expected no teacher with games.shop"},
		"no stages":           {swap("stages: [cold_start, grpo]\n", ""), "expected no student with games.shop"},
		"another plan":        {shopSpec + "hints: {plan: explore}\n", "s.yaml:11: hints.plan explore, hints.walkthrough false: expected search or straight"},
		"another world":       {swap("method: grpo", "method: grpo, world: household"), "s.yaml:8: grpo.world household: expected shop, as the games are"},
		"an unknown field":    {swap("train: 20", "train: 20, valid_seen: 3"), "s.yaml:4: "},
		"a household's world": {strings.Replace(grpoSpec, "grpo:\n", "grpo:\n  world: shop\n", 1), "grpo.world shop: expected household, as the games are"},
	} {
		_, err := workflows.ParseSpec("s.yaml", []byte(tt.text))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

// TestShopMethods: each method's numbers for WebShop (rl-spec, A2, B6, C2 to C5).
func TestShopMethods(t *testing.T) {
	for method, want := range map[string]struct {
		win, penalty  float64
		tasks, answer int
		mini          int
		scale         credit.Scale
		own           float64 // of query and rank
	}{
		"skill1-paper":    {10, 0.5, 32, 2048, 256, credit.ByStd, 0},
		"skill1-released": {10, 0.5, 16, 2048, 256, credit.ByStd, 1},
		"skill-only":      {10, 0.5, 16, 2048, 256, credit.ByStd, 1},
		"grpo":            {10, 0.1, 16, 512, 64, credit.ByStd, 0},
		"gigpo":           {10, 0.1, 16, 512, 64, credit.Unscaled, 0},
		"skillrl":         {10, 0.1, 16, 1024, 64, credit.ByStd, 0},
		"retroagent":      {10, 0.1, 16, 2048, 256, credit.ByStd, 0},
	} {
		g := workflows.DefaultGRPO(method, "", ask.Shop)
		c := g.Learn.Credit
		if c.Win != want.win || c.Penalty != want.penalty || g.Tasks != want.tasks || g.Answer.Act != want.answer || g.Learn.MiniBatch != want.mini ||
			c.Parts[0].Scale != want.scale || c.Own[credit.Query] != want.own || c.Own[credit.Rank] != want.own || c.Check() != nil {
			t.Errorf("%s: got %+v", method, g)
		}
		if g.World != ask.Shop || g.MaxSteps != 15 || g.History != 2 || g.Projection.Tail != 20 || !g.Projection.Literal {
			t.Errorf("%s: got %+v", method, g)
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(workflows.Methods)), slices.Sorted(slices.Values([]string{
		"skill1-paper", "skill1-released", "skill-only", "grpo", "gigpo", "skillrl", "retroagent",
	}))) {
		t.Error("a method has no numbers for WebShop here")
	}
	// Ablations come after, and the household's numbers are as they were.
	if g := workflows.DefaultGRPO("skill1-released", "lambda1-zero", ask.Shop); g.Learn.Credit.Own[credit.Query] != 0 || g.Learn.Credit.Own[credit.Rank] != 0 {
		t.Errorf("lambda1-zero: own rewards %v", g.Learn.Credit.Own)
	}
	if g := workflows.DefaultGRPO("skill1-released", "", ""); g.Learn.Credit.Own[credit.Query] != 0.3 || g.Learn.Credit.Penalty != 0.1 {
		t.Errorf("ALFWorld's: %+v", g.Learn.Credit)
	}
	for name, penalty := range map[string]float64{
		"skill1": 0.5, "retroagent-in-context": 0.5, "retroagent": 0.1, "grpo": 0.1, "gigpo": 0.1, "skillrl": 0.1,
	} {
		for _, name := range []string{name + "-webshop", name + "-webshop-tiny"} {
			if got := experiment(t, name).GRPO.Learn.Credit.Penalty; got != penalty {
				t.Errorf("%s: penalty %v, want %v", name, got, penalty)
			}
		}
	}
}

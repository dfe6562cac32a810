package workflows_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/workflows"
)

const goodSpec = `name: tiny
games:
  household: {seed: 1, train: 20, valid_seen: 6, valid_unseen: 6}
evaluation:
  panels:
    - {name: unseen, splits: [valid_unseen]}
`

func TestParseSpec(t *testing.T) {
	spec, err := workflows.ParseSpec("tiny.yaml", []byte(goodSpec))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := spec.Games.Household.Train, 20; got != want {
		t.Errorf("train games: got %d, want %d", got, want)
	}
	if got, want := spec.Teacher.Rate, workflows.DefaultSpec().Teacher.Rate; got != want {
		t.Errorf("teacher rate left out: got %v, want the default %v", got, want)
	}
	if got, want := spec.Model.Qwen2.Hidden, 192; got != want {
		t.Errorf("model left out: got hidden %d, want %d", got, want)
	}
}

// Every kind of plan can be learnt and compared with; detours that are asked for take the other defaults.
func TestParseSpecChoices(t *testing.T) {
	for _, kind := range env.PlanKinds {
		text := strings.Replace(goodSpec, "evaluation:\n", fmt.Sprintf("hints: {plan: %s}\nevaluation:\n  oracle: %s\n", kind, kind), 1)
		spec, err := workflows.ParseSpec("tiny.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if spec.Hints.Plan != kind || spec.Evaluation.Oracle != kind || spec.Hints.Recovery.PerGame != 0 {
			t.Errorf("%s: got %+v, oracle %s", kind, spec.Hints, spec.Evaluation.Oracle)
		}
	}
	spec, err := workflows.ParseSpec("tiny.yaml", []byte(goodSpec+"hints: {recovery: {per_game: 2}}\n"))
	if want := (hints.Recovery{PerGame: 2, Commands: 3, Share: 1000, Seed: 1}); err != nil || spec.Hints.Recovery != want {
		t.Errorf("got %+v, %v, want %+v", spec.Hints.Recovery, err, want)
	}
}

// What the checks for lines must not refuse: anchors, merged mappings, one document between marks, numbers as YAML
// writes them.
func TestParseSpecYAML(t *testing.T) {
	spec, err := workflows.ParseSpec("tiny.yaml", []byte("---\n"+goodSpec+`teacher: &stage {steps: 0x10, batch: 1_0, rate: 1, clip: 1e1, warmup: 1}
student:
  <<: *stage
  order: +12
hints: {deadline: 90s}
...
`))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := spec.Teacher, spec.Student; a.Steps != 16 || a.Batch != 10 || a.Rate != 1 || a.Clip != 10 || b.Steps != 16 || b.Batch != 10 || b.Order != 12 {
		t.Errorf("teacher %+v, student %+v", a, b)
	}
}

// The default warm-up is for the default's steps: of fewer it is a tenth.
func TestParseSpecWarmup(t *testing.T) {
	for steps, want := range map[int]int{3000: 100, 100: 100, 99: 9, 60: 6, 9: 0} {
		spec, err := workflows.ParseSpec("tiny.yaml", []byte(goodSpec+fmt.Sprintf("teacher: {steps: %d}\n", steps)))
		if err != nil || spec.Teacher.Warmup != want {
			t.Errorf("%d steps: warm-up %d, %v, want %d", steps, spec.Teacher.Warmup, err, want)
		}
	}
	// How many steps epochs come to is not known yet.
	for text, want := range map[string][2]float64{
		"teacher: {epochs: 1}\n":                    {0, 0.1},
		"teacher: {epochs: 1, warmup: 7}\n":         {7, 0},
		"teacher: {epochs: 1, warmup_ratio: 0.3}\n": {0, 0.3},
	} {
		spec, err := workflows.ParseSpec("tiny.yaml", []byte(goodSpec+text))
		if err != nil {
			t.Fatal(err)
		}
		if c := spec.Teacher; float64(c.Warmup) != want[0] || c.WarmupRatio != want[1] {
			t.Errorf("%s: got %d and %v", text, c.Warmup, c.WarmupRatio)
		}
	}
}

// A field takes the place of the merged one, all of it.
func TestParseSpecMerge(t *testing.T) {
	spec, err := workflows.ParseSpec("tiny.yaml", []byte(goodSpec+`teacher: &stage {steps: 900, rate: 0.25, lora: {rank: 4, alpha: 8}}
student:
  <<: *stage
  steps: 500
  lora: {rank: 2, alpha: 6}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, want := spec.Student, spec.Teacher
	want.Steps, want.LoRA = 500, &gpu.LoRA{Rank: 2, Alpha: 6}
	if spec.Teacher.Steps != 900 || got.Rate != 0.25 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParseSpecRefuses(t *testing.T) {
	tests := map[string]struct {
		spec string
		want []string // all in the error
	}{
		"unknown field":        {goodSpec + "colour: red\n", []string{"bad.yaml", "colour", "7"}},
		"unknown inner field":  {strings.Replace(goodSpec, "seed: 1", "sede: 1", 1), []string{"bad.yaml", "sede", "3"}},
		"wrong type":           {strings.Replace(goodSpec, "train: 20", "train: many", 1), []string{"bad.yaml", "3"}},
		"wrong duration":       {goodSpec + "hints: {deadline: soon}\n", []string{"soon"}},
		"no name":              {strings.Replace(goodSpec, "name: tiny", "name: Tiny Run", 1), []string{"name", "lower-case"}},
		"both kinds of games":  {strings.Replace(goodSpec, "games:\n", "games:\n  list: sha256:ab\n", 1), []string{"games", "either"}},
		"no panel":             {strings.Split(goodSpec, "evaluation")[0], []string{"evaluation.panels"}},
		"learning from panel":  {strings.Replace(goodSpec, "[valid_unseen]", "[train]", 1), []string{"panels[0].splits", "train"}},
		"seed beyond JSON":     {goodSpec + "model: {seed: 9007199254740993}\n", []string{"model.seed 9007199254740993", "at most 9007199254740991"}},
		"unknown plan":         {goodSpec + "hints: {plan: zigzag}\n", []string{"hints.plan", "zigzag", "walkthrough straight search planner explore"}},
		"unknown oracle":       {strings.Replace(goodSpec, "evaluation:\n", "evaluation:\n  oracle: zigzag\n", 1), []string{"evaluation.oracle", "zigzag", "planner explore"}},
		"unknown prompt":       {goodSpec + "hints: {prompt: turns}\n", []string{"bad.yaml:7: hints.prompt", "turns/1"}},
		"prompt forgets":       {goodSpec + "hints: {prompt: turns/1}\n", []string{"bad.yaml:7: hints.history 2: expected evaluation.max_steps, 50"}},
		"rename by phrases":    {goodSpec + "teacher: {rename: 0.5}\n", []string{"bad.yaml:7: teacher.rename 0.5: expected tokenizer.split word, where a thing is one token, got phrase"}},
		"warmup said":          {goodSpec + "teacher: {steps: 50, warmup: 60}\n", []string{"bad.yaml:7: teacher.warmup 60: expected from 0 to steps"}},
		"a split of no game":   {strings.Replace(goodSpec, ", valid_unseen: 6", "", 1), []string{"bad.yaml:6: evaluation.panels[0].splits [valid_unseen]: games.household has no game of them: expected games.household.valid_unseen above 0"}},
		"rename more than all": {goodSpec + "teacher: {rename: 1.5}\n", []string{"bad.yaml:7: teacher.rename 1.5: expected from 0 to 1"}},
		"prompts beyond all":   {goodSpec + "teacher: {prompt_loss: -0.5}\n", []string{"bad.yaml:7: teacher.prompt_loss -0.5: expected from 0 to 1"}},
		"unknown candidates":   {strings.Replace(goodSpec, "evaluation:\n", "evaluation:\n  candidates: new\n", 1), []string{"evaluation.candidates \"new\"", "admissible or untried"}},
		"unknown decoding":     {strings.Replace(goodSpec, "evaluation:\n", "evaluation:\n  decoding: beam\n", 1), []string{"evaluation.decoding \"beam\"", "greedy, likeliest or drawn"}},
		"seed without draws":   {strings.Replace(goodSpec, "evaluation:\n", "evaluation:\n  seed: 3\n", 1), []string{"evaluation.seed 3: expected none where decoding is not drawn"}},
		"drawn too hot":        {strings.Replace(goodSpec, "evaluation:\n", "evaluation:\n  decoding: drawn\n  temperature: 1.0e+9\n", 1), []string{"evaluation.temperature 1e+09: expected 0 or 0.0001 to 10000"}},
		"detours below 0":      {goodSpec + "hints: {recovery: {per_game: -1}}\n", []string{"hints.recovery.per_game -1", "from 0 to 1000"}},
		"detours of nothing":   {goodSpec + "hints: {recovery: {per_game: 1, commands: 0}}\n", []string{"hints.recovery.commands 0", "from 1 to 1000"}},
		"detours of no game":   {goodSpec + "hints: {recovery: {per_game: 1, share_per_mille: 0}}\n", []string{"hints.recovery.share_per_mille 0", "1 to 1000"}},
		"unknown in recovery":  {goodSpec + "hints: {recovery: {share: 5}}\n", []string{"bad.yaml", "share", "7"}},
		"heads do not divide":  {goodSpec + "model: {qwen2: {hidden: 100, layers: 1, heads: 3, kv_heads: 1, intermediate: 8, vocabulary: 2048, positions: 64, rope_theta: 10000, init_std: 0.1}}\n", []string{"hidden 100", "heads 3"}},
		"endless layers":       {goodSpec + "model: {qwen2: {hidden: 96, layers: 1000000000, heads: 3, kv_heads: 1, intermediate: 8, vocabulary: 2048, positions: 9223372036854775807, rope_theta: 10000, init_std: 0.1, tie_embedding: true}}\n", []string{"model.qwen2.layers 1000000000: expected at most 4096", "model.qwen2.positions 9223372036854775807: expected at most 16777216"}},
		"weights too wide":     {goodSpec + "model: {qwen2: {hidden: 96, layers: 1, heads: 3, kv_heads: 1, intermediate: 8, vocabulary: 2048, positions: 4096, rope_theta: 10000, init_std: 1e308, tie_embedding: true}}\n", []string{"bad.yaml:7: model.qwen2.init_std 1e+308: expected 1e-06 to 10"}},
		"weights of nothing":   {goodSpec + "model: {qwen2: {hidden: 96, layers: 1, heads: 3, kv_heads: 1, intermediate: 8, vocabulary: 2048, positions: 4096, rope_theta: 10000, init_std: 0, tie_embedding: true}}\n", []string{"model.qwen2.init_std 0: expected"}},
		"theta":                {goodSpec + "model: {qwen2: {hidden: 96, layers: 1, heads: 3, kv_heads: 1, intermediate: 8, vocabulary: 2048, positions: 4096, rope_theta: 1e300, init_std: 0.1, tie_embedding: true}}\n", []string{"model.qwen2.rope_theta 1e+300: expected 1 to 1e+12"}},
		"rate":                 {goodSpec + "teacher: {rate: 1e308}\n", []string{"bad.yaml:7: teacher.rate 1e+308: expected 1e-12 to 1"}},
		"decay":                {goodSpec + "teacher: {weight_decay: 1e300}\n", []string{"bad.yaml:7: teacher.weight_decay 1e+300: expected 0 to 100 and to 0.5/rate"}},
		"epsilon":              {goodSpec + "teacher: {epsilon: 1e-300}\n", []string{"bad.yaml:7: teacher.epsilon 1e-300: expected 1e-30 to 1"}},
		"clip":                 {goodSpec + "teacher: {clip: 1e300}\n", []string{"bad.yaml:7: teacher.clip 1e+300: expected 0.001 to 1e+06"}},
		"alpha":                {goodSpec + "teacher: {lora: {rank: 4, alpha: 1e308}}\n", []string{"bad.yaml:7: teacher.lora.alpha 1e+308: expected above 0 to 1048576"}},
		"half a shape":         {goodSpec + "model:\n  qwen2: {hidden: 192, layers: 3}\n", []string{"bad.yaml:8: model.qwen2: expected all of its fields: heads, kv_heads, intermediate, vocabulary, positions, rope_theta, init_std, tie_embedding left out"}},
		"fraction":             {goodSpec + "teacher:\n  steps: 3\n  batch: 8.9\n", []string{"bad.yaml:9: teacher.batch 8.9: expected a whole number"}},
		"fraction of a seed":   {goodSpec + "student: {order: 1.0}\n", []string{"bad.yaml:7: student.order 1.0: expected a whole number"}},
		"power of ten":         {goodSpec + "student: {steps: 1e3}\n", []string{"bad.yaml:7: student.steps 1e3: expected a whole number"}},
		"beyond 64 bits":       {goodSpec + "student: {seed: 18446744073709551616}\n", []string{"bad.yaml:7: student.seed 18446744073709551616: expected a whole number"}},
		"base eight":           {goodSpec + "student: {steps: 010}\n", []string{"bad.yaml:7: student.steps 010: expected a whole number"}},
		"number in quotes":     {goodSpec + "student: {steps: '8'}\n", []string{"bad.yaml:7: student.steps", "expected a whole number"}},
		"rate in quotes":       {goodSpec + "student: {rate: '0.1'}\n", []string{"bad.yaml:7: student.rate", "expected a number"}},
		"nothing":              {goodSpec + "student:\n  steps:\n", []string{"bad.yaml:8: student.steps", "expected a whole number"}},
		"fraction, by alias":   {goodSpec + "teacher: {rate: &r 0.5}\nstudent: {steps: *r}\n", []string{"student.steps 0.5: expected a whole number"}},
		"merged below":         {goodSpec + "teacher: &t {steps: 9}\nstudent:\n  steps: 5\n  <<: *t\n", []string{"bad.yaml:10: student: expected << before the other fields"}},
		"merged, twice":        {goodSpec + "teacher: &t {steps: 9}\nstudent:\n  <<: *t\n  steps: 5\n  steps: 6\n", []string{"bad.yaml:11: mapping key \"steps\" already defined"}},
		"merged, wrong below":  {goodSpec + "teacher: &t {steps: 9}\nstudent:\n  <<: *t\n  steps: 2.5\n", []string{"bad.yaml:10: student.steps 2.5: expected a whole number"}},
		"fraction, merged":     {goodSpec + "teacher: &t {steps: 2.5}\nstudent:\n  <<: *t\n", []string{"bad.yaml:7: teacher.steps 2.5", "student.steps 2.5"}},
		"fraction in a panel":  {strings.Replace(goodSpec, "[valid_unseen]", "[valid_unseen], per_family: 1.5", 1), []string{"bad.yaml:6: evaluation.panels[0].per_family 1.5"}},
		"second document":      {goodSpec + "---\nname: other\n", []string{"bad.yaml:7: document 2 begins: expected one spec in a file"}},
		"line of a value":      {goodSpec + "hints:\n  # the plan\n  plan: zigzag\n", []string{"bad.yaml:9: hints.plan \"zigzag\""}},
		"line of a panel":      {goodSpec + "    - name: Seen\n      splits: [valid_seen]\n", []string{"bad.yaml:7: evaluation.panels[1].name \"Seen\""}},
		"line of its parent":   {goodSpec + "hints:\n  recovery: {per_game: 1}\n  limits: {work: -1}\n", []string{"bad.yaml:9: hints.limits: expected each"}},
		"no line":              {strings.Split(goodSpec, "evaluation")[0], []string{"bad.yaml: evaluation.panels: expected at least one"}},
		"a line each":          {goodSpec + "teacher: {steps: 0}\nstudent: {batch: 0}\n", []string{"bad.yaml:7: teacher.steps 0", "\nbad.yaml:8: student.batch 0"}},
		"everything at once":   {goodSpec + "teacher: {steps: 0, batch: 0}\n", []string{"teacher.steps", "teacher.batch"}},
		"beyond any use":       {goodSpec + "teacher: {batch: 9000000000000000000}\n", []string{"teacher.", "batch", "10000000"}},
		"fewer than none":      {goodSpec + "tokenizer: {games: -4}\n", []string{"tokenizer.games -4"}},
		"not a number":         {goodSpec + "teacher: {weight_decay: .nan}\n", []string{"bad.yaml:7: teacher.weight_decay NaN: expected"}},
		"empty":                {" \n", []string{"bad.yaml", "empty"}},
		"prompts too long":     {goodSpec + "student: {max_tokens: 600}\n", []string{"student.max_tokens 600", "512"}},
		"dataset no digest":    {goodSpec + "hints: {dataset: abc}\n", []string{"hints.dataset", "sha256:"}},
		"not even yaml":        {"name: [", []string{"bad.yaml"}},
		"epochs and steps":     {goodSpec + "teacher:\n  epochs: 2\n  steps: 10\n", []string{"bad.yaml:9: teacher.steps: epochs takes its place"}},
		"epochs, steps merged": {goodSpec + "teacher: &t {steps: 9}\nstudent:\n  <<: *t\n  epochs: 2\n", []string{"bad.yaml:7: student.steps: epochs takes its place"}},
		"no epoch":             {goodSpec + "student: {epochs: 0}\n", []string{"bad.yaml:7: student.steps 0"}},
		"epochs below 0":       {goodSpec + "student: {epochs: -1}\n", []string{"bad.yaml:7: student.epochs -1"}},
		"warm-up twice":        {goodSpec + "student: {warmup: 3, warmup_ratio: 0.1}\n", []string{"bad.yaml:7: student.warmup: warmup_ratio takes its place"}},
		"warm-up beyond all":   {goodSpec + "student: {warmup_ratio: 1.1}\n", []string{"bad.yaml:7: student.warmup_ratio 1.1: expected from 0 to 1"}},
		"unknown schedule":     {goodSpec + "student: {schedule: zigzag}\n", []string{"bad.yaml:7: student.schedule \"zigzag\": expected linear or cosine"}},
		"linear and flat":      {goodSpec + "student: {schedule: linear, flat: 0.5}\n", []string{"bad.yaml:7: student.flat: schedule linear takes its place"}},
		"unknown dtype":        {goodSpec + "student: {dtype: float16}\n", []string{"bad.yaml:7: student.dtype \"float16\": expected float32 or bfloat16"}},
		"played in what":       {strings.Replace(goodSpec, "evaluation:\n", "evaluation:\n  dtype: int8\n", 1), []string{"bad.yaml:5: evaluation.dtype \"int8\""}},
		"unknown attention":    {goodSpec + "student: {attention: flash}\n", []string{"bad.yaml:7: student.attention \"flash\": expected fused or eager"}},
		"recompute what":       {goodSpec + "student: {recompute: blocks}\n", []string{"bad.yaml:7: student.recompute blocks: expected true or false"}},
		"too many devices":     {goodSpec + "student: {devices: 2000}\n", []string{"bad.yaml:7: student.devices 2000: expected from 1 to 1024"}},
		"padding with what":    {goodSpec + "student: {pad: bos}\n", []string{"bad.yaml:7: student.pad \"bos\": expected eos"}},
		"config and shape":     {goodSpec + "model:\n  config: c.json\n  qwen2: {hidden: 192}\n", []string{"bad.yaml:7: model: expected either config"}},
		"config elsewhere":     {goodSpec + "model: {config: ../c.json}\n", []string{"bad.yaml:7: model.config \"../c.json\""}},
		"seed 0":               {goodSpec + "seeds: [1, 0]\n", []string{"bad.yaml:7: seeds[1] 0: expected from 1"}},
		"a seed twice":         {goodSpec + "seeds: [1, 2, 1]\n", []string{"bad.yaml:7: seeds[2] 1: stands there twice"}},
		"fraction of seeds":    {goodSpec + "seeds: [1.5]\n", []string{"bad.yaml:7: seeds[0] 1.5: expected a whole number"}},
		"seeds and a seed":     {goodSpec + "seeds: [1, 2]\nstudent: {seed: 3, order: 3}\n", []string{"bad.yaml:8: student.seed: seeds take its place", "bad.yaml:8: student.order"}},
		"seeds beyond JSON":    {goodSpec + "seeds: [9007199254740993]\n", []string{"bad.yaml:7: seeds[0] 9007199254740993: expected at most"}},
		"records of a step":    {goodSpec + "teacher:\n  accumulate: 10000000\n  devices: 1024\n  batch: 10000000\n", []string{"bad.yaml:10: teacher.batch 10000000: expected, times accumulate 10000000 and devices 1024, at most 10000000 records a step"}},
		"no such split":        {strings.Replace(goodSpec, "[valid_unseen]", "[nope]", 1), []string{`bad.yaml:6: evaluation.panels[0].splits "nope": expected one of train, valid_seen, valid_unseen`}},
		"a split twice":        {strings.Replace(goodSpec, "[valid_unseen]", "[valid_seen, valid_unseen, valid_seen]", 1), []string{`bad.yaml:6: evaluation.panels[0].splits[2] "valid_seen": stands there twice`}},
		"no such family":       {strings.Replace(goodSpec, "[valid_unseen]", "[valid_unseen], families: [cook]", 1), []string{`bad.yaml:6: evaluation.panels[0].families "cook": expected one of pick_and_place_simple, look_at_obj_in_light`}},
		"a family twice":       {strings.Replace(goodSpec, "[valid_unseen]", "[valid_unseen], families: [look_at_obj_in_light, look_at_obj_in_light]", 1), []string{`families[1] "look_at_obj_in_light": stands there twice`}},
		"learning from what":   {goodSpec + "hints:\n  split: tarin\n", []string{`bad.yaml:8: hints.split "tarin": expected one of train, valid_seen, valid_unseen`}},
		"twice, of a list":     {strings.Replace(strings.Replace(goodSpec, "household: {seed: 1, train: 20, valid_seen: 6, valid_unseen: 6}", "list: "+string(artifacts.Of(nil)), 1), "[valid_unseen]", "[mine, mine]", 1), []string{`bad.yaml:6: evaluation.panels[0].splits[1] "mine": stands there twice`}},
		"no such layer":        {goodSpec + "teacher:\n  lora:\n    rank: 4\n    alpha: 8\n    targets: [q_proj, in_proj_z]\n", []string{`bad.yaml:11: teacher.lora.targets: target "in_proj_z": the model has no such linear layer`}},
		"a layer twice":        {goodSpec + "teacher: {lora: {rank: 4, alpha: 8, targets: [q_proj, q_proj]}}\n", []string{`bad.yaml:7: teacher.lora.targets[1] "q_proj": stands there twice`}},
		"no expression":        {goodSpec + "model: {config: c.json}\nstudent:\n  lora: {rank: 4, alpha: 8, targets: ['regexp:(']}\n", []string{`bad.yaml:9: student.lora.targets: expression "(": `}},
		"expression and names": {goodSpec + "model: {config: c.json}\nstudent:\n  lora: {rank: 4, alpha: 8, targets: [q_proj, all-linear]}\n", []string{`bad.yaml:9: student.lora.targets ["q_proj" "all-linear"]: all-linear stands alone`}},
		"text for a number":    {strings.Replace(goodSpec, "train: 20", "train: many", 1), []string{"bad.yaml:3: games.household.train many: expected a whole number"}},
		"text for fields":      {goodSpec + "teacher: fast\n", []string{"bad.yaml:7: teacher fast: expected fields (steps, rate, "}},
		"list for fields":      {goodSpec + "teacher: [1]\n", []string{"bad.yaml:7: teacher with a list: expected fields"}},
		"text for a list":      {strings.Replace(goodSpec, "[valid_unseen]", "valid_unseen", 1), []string{"bad.yaml:6: evaluation.panels[0].splits valid_unseen: expected a list"}},
		"list for a text":      {strings.Replace(goodSpec, "name: tiny", "name: [tiny]", 1), []string{"bad.yaml:1: name with a list: expected a text"}},
		"fields for a text":    {goodSpec + "tokenizer: {split: {a: b}}\n", []string{"bad.yaml:7: tokenizer.split with fields: expected a text"}},
		"text for a switch":    {goodSpec + "evaluation2: 1\nhints:\n  walkthrough: maybe\n", []string{"bad.yaml:7: evaluation2: unknown field, expected one of name, games, hints, ", "bad.yaml:9: hints.walkthrough maybe: expected true or false"}},
		"text for a rate":      {goodSpec + "teacher: {rate: fast}\n", []string{"bad.yaml:7: teacher.rate fast: expected a number"}},
		"list for a duration":  {goodSpec + "hints:\n  deadline: [30s]\n", []string{"bad.yaml:8: hints.deadline with a list: expected a text"}},
		"number, no duration":  {goodSpec + "hints:\n  deadline: 30\n", []string{`bad.yaml:8: hints.deadline: duration "30": expected a number with a unit, such as 30s`}},
		"seed below 0":         {goodSpec + "model: {seed: -1}\n", []string{"bad.yaml:7: model.seed -1: expected a whole number from 0"}},
		"beyond 63 bits":       {goodSpec + "student: {steps: 18446744073709551615}\n", []string{"bad.yaml:7: student.steps 18446744073709551615: expected a whole number of at most 9223372036854775807"}},
		"alias of nothing":     {goodSpec + "teacher: {rate: 1}\nstudent: *teacher\n", []string{"bad.yaml:8: student *teacher: expected &teacher at a value that ends above"}},
		"alias of itself":      {goodSpec + "teacher: &t\n  <<: *t\n", []string{"bad.yaml:8: teacher *t: expected &t at a value that ends above"}},
		"alias of other kind":  {goodSpec + "teacher: &t {rate: 1}\nstudent: {rate: *t}\n", []string{"bad.yaml:7: student.rate with fields: expected a number"}},
		"a field twice":        {goodSpec + "teacher:\n  rate: 1\n  rate: 1\n", []string{"bad.yaml:9: ", `"rate" already defined`}},
		"a tag":                {goodSpec + "teacher: {rate: !!float 1}\n", []string{"bad.yaml:7: teacher.rate !!float: expected a value without a tag"}},
		"no end":               {goodSpec + "teacher: {steps\n", []string{"bad.yaml:7: "}},
		"vocabularies differ":  {goodSpec + "tokenizer: {vocabulary: 512}\n", []string{"vocabulary"}},
		"two panels, one name": {goodSpec + "    - {name: unseen, splits: [valid_seen]}\n", []string{"unseen", "twice"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := workflows.ParseSpec("bad.yaml", []byte(tt.spec))
			if err == nil {
				t.Fatal("it was accepted")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
		})
	}
}

// What takes the place of steps and warm-up leaves no trace of their defaults, and devices share a step's micro-batches.
func TestParseSpecEpochs(t *testing.T) {
	spec, err := workflows.ParseSpec("tiny.yaml", []byte(goodSpec+`model: {config: configs/a.json}
teacher: &published {epochs: 2, warmup_ratio: 0.1, schedule: linear, batch: 8, accumulate: 2, devices: 2, pad: eos, dtype: bfloat16, attention: eager}
student: {<<: *published, recompute: true, lora: {rank: 4, alpha: 8, rslora: true}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]workflows.SFTSpec{"teacher": spec.Teacher, "student": spec.Student} {
		if s.Steps != 0 || s.Epochs != 2 || s.Warmup != 0 || s.WarmupRatio != 0.1 || s.Flat != 0 || s.Floor != 0 ||
			s.Schedule != "linear" || s.DType != "bfloat16" || s.Attention != "eager" || s.Pad != "eos" {
			t.Errorf("%s: got %+v", name, s)
		}
	}
	if !spec.Student.Recompute || !spec.Student.LoRA.RSLoRA {
		t.Errorf("student: got %+v", spec.Student)
	}
	if spec.Model.Qwen2 != nil {
		t.Errorf("model: got %+v beside a configuration", spec.Model.Qwen2)
	}
	if err := spec.Runnable(); err == nil || !strings.Contains(err.Error(), "add model.base") {
		t.Errorf("a configuration without weights can be run: got %v", err)
	}
	spec.Model.Base = artifacts.Of([]byte("weights"))
	if err := errors.Join(spec.Validate(), spec.Runnable()); err != nil {
		t.Errorf("with the weights' digest: %v", err)
	}
}

// TestRunID: the same spec is the same run, however it is written; another spec or version is another.
func TestRunID(t *testing.T) {
	id := func(text, version string) string {
		spec, err := workflows.ParseSpec("x.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		id, err := spec.RunID(version)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	base := id(goodSpec, "1")
	if got := id("# the same\n"+strings.Replace(goodSpec, "{seed: 1, train: 20", "{train: 20, seed: 1", 1), "1"); got != base {
		t.Errorf("the same spec in other words: got %s, want %s", got, base)
	}
	if got := id(strings.Replace(goodSpec, "seed: 1", "seed: 2", 1), "1"); got == base {
		t.Errorf("another spec is the same run %s", got)
	}
	if got := id(goodSpec, "2"); got == base {
		t.Errorf("another version is the same run %s", got)
	}
}

// TestExperiments: the specs that ship are good.
func TestExperiments(t *testing.T) {
	files, err := filepath.Glob("../experiments/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no specs: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := workflows.ParseSpec(file, text); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRunsStay: the specs that ship are the runs that they were, by the version that began them. A field that is added
// to a spec must leave no trace where it is not used.
func TestRunsStay(t *testing.T) {
	for file, want := range map[string]string{
		"tiny.yaml":              "tiny-6753a494c6",
		"demo.yaml":              "demo-4972368dc5",
		"alfworld.yaml":          "alfworld-f35b397d58",
		"alfworld-straight.yaml": "alfworld-straight-c1cd43701e",

		"teacher-alfworld-small.yaml":  "teacher-alfworld-small-e1d76c6fe4",
		"teacher-household-small.yaml": "teacher-household-small-49060b146f",
		"teacher-qwen2.5-3b.yaml":      "teacher-qwen25-3b-346423a022",
	} {
		text, err := os.ReadFile(filepath.Join("../experiments", file))
		if err != nil {
			t.Fatal(err)
		}
		spec, err := workflows.ParseSpec(file, text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := spec.RunID("0.2.0"); err != nil || got != want {
			t.Errorf("%s: run %s, %v, want %s", file, got, err, want)
		}
	}
}

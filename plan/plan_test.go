package plan_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/plan"
	"github.com/hone-rl/hone/workflows"
)

const experiments = "../experiments"

func parse(t *testing.T, file, text string) *workflows.Spec {
	t.Helper()
	spec, err := workflows.ParseSpec(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func shipped(t *testing.T, file string) *workflows.Spec {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(experiments, file))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, file, string(text))
}

func ask(spec *workflows.Spec) plan.Config {
	return plan.Config{Spec: spec, Dir: experiments, Producer: artifacts.Producer{Name: "hone", Version: "test"}}
}

func planned(t *testing.T, c plan.Config) *plan.Plan {
	t.Helper()
	p, err := plan.Make(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func stage(t *testing.T, p *plan.Plan, name string) plan.Stage {
	t.Helper()
	for _, s := range p.Stages {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no stage %s in %+v", name, p.Stages)
	return plan.Stage{}
}

// The published teacher, from its configuration alone: 29,933,568 trainable parameters, and for 20,006 records 626
// steps an epoch, 1,252 in all, of which a tenth, rounded up, warm up.
func TestPublishedTeacher(t *testing.T) {
	c := ask(shipped(t, "teacher-qwen2.5-3b.yaml"))
	c.Count, c.CUDA = 20_006, true
	p := planned(t, c)
	if p.Model.Parameters != 3_085_938_688 || p.Model.Architecture != "qwen2" {
		t.Errorf("model %+v", p.Model)
	}
	for _, role := range []string{"teacher", "student"} {
		s := stage(t, p, role)
		want := plan.Training{
			Trainable: 29_933_568, Records: 20_006, Steps: 1252, Warmup: 126, StepRecords: 32, Batch: 8, Micro: 4,
			Longest: 1536, Checkpoints: 4,
		}
		if *s.Training != want || s.State != plan.Unknown {
			t.Errorf("%s: %+v, want %+v", role, *s.Training, want)
		}
		// Four checkpoints of parameters and two moments in fp32, and the adapter.
		if want := int64(29_933_568 * 4 * (4*3 + 1)); s.Stored != want {
			t.Errorf("%s stores %d bytes, want %d", role, s.Stored, want)
		}
	}
	if len(p.Memory) != 3 || p.Memory[0].Weights != 2*3_085_938_688 || p.Memory[0].Moments != 8*29_933_568 {
		t.Errorf("memory %+v", p.Memory)
	}
	var text bytes.Buffer
	if err := p.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"29,933,568 trainable parameters, 20,006 records  1,252", "20,006 to train on, as given",
		"8 records × 2 micro-batches × 2 devices = 32 records. Hone trains on one device, which takes all 4",
		"pad eos changes nothing", "add model.base", "what is done already is not known",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("want %q in\n%s", want, text.String())
		}
	}
	raw, err := json.Marshal(p)
	if err != nil || !bytes.Contains(raw, []byte(`"trainable":29933568`)) || !bytes.Contains(raw, []byte(`"steps":1252`)) {
		t.Errorf("JSON %s, %v", raw, err)
	}
	c.Count, c.Until = 0, "teacher"
	if p = planned(t, c); p.Records.Source != plan.Nowhere || stage(t, p, "teacher").Training.Steps != 0 || len(p.Stages) != 6 {
		t.Errorf("without a number of records: %+v", p)
	}
}

// Without a store records are counted from the games: 60 games of 6.83 commands, 55 in a thousand of them held out.
func TestEstimate(t *testing.T) {
	p := planned(t, ask(shipped(t, "tiny.yaml")))
	if want := (plan.Records{Train: 387, Validation: 22, Source: plan.Estimated}); p.Records != want {
		t.Errorf("records %+v, want %+v", p.Records, want)
	}
	if s := stage(t, p, "teacher"); s.Training.Trainable != 25_760 || s.Training.Steps != 60 || s.Training.Checkpoints != 3 {
		t.Errorf("teacher %+v", s.Training)
	}
	if s := stage(t, p, "panels/unseen"); s.Games != 6 {
		t.Errorf("panel %+v, want one game of each of six families", s)
	}
	spec := parse(t, "x.yaml", "name: x\ngames: {household: {train: 100, valid_seen: 1}}\nhints: {plan: straight, recovery: {per_game: 2, share_per_mille: 500}}\n"+
		"evaluation: {panels: [{name: p, splits: [valid_seen]}]}\nseeds: [3, 4]\n")
	// 100 games of 6.04 commands, and as many again of ways back.
	if p = planned(t, ask(spec)); p.Records.Train+p.Records.Validation != 1207 {
		t.Errorf("records %+v, want 1,207 of 1,208 after rounding", p.Records)
	}
	stage(t, p, "teacher/seed-3")
	stage(t, p, "evaluation/p/student-hint/seed-4")
	if len(p.Memory) != 3 {
		t.Errorf("memory %+v: want teacher, student and play once", p.Memory)
	}
}

func TestMakeRefuses(t *testing.T) {
	base := "name: x\ngames: {household: {train: 100, valid_seen: 1}}\nevaluation: {panels: [{name: p, splits: [valid_seen]}]}\n"
	for name, c := range map[string]struct{ spec, want string }{
		"a base that nobody has":    {"model: {base: " + string(artifacts.Of(nil)) + "}\n", "name a configuration as model.config"},
		"a configuration not there": {"model: {config: configs/none.json}\n", "x.yaml:4: model.config configs/none.json: stat "},
		"prompts beyond the model":  {"model: {config: configs/qwen2.5-3b.json}\nteacher:\n  max_tokens: 40000\n", "x.yaml:6: teacher.max_tokens 40000: expected at most the model's positions, 32768"},
		"both beyond":               {"model: {config: configs/qwen2.5-3b.json}\nteacher: {max_tokens: 40000}\nstudent: {max_tokens: 50000}\n", "student.max_tokens 50000"},
		"no such layer":             {"model: {config: configs/qwen2.5-3b.json}\nteacher:\n  lora:\n    rank: 4\n    alpha: 8\n    targets: [in_proj_z]\n", `x.yaml:9: teacher.lora.targets: target "in_proj_z"`},
		"more warm-up than steps":   {"teacher: {epochs: 1, warmup: 100}\n", "x.yaml:4: teacher: 41 steps with 100 of warm-up"},
	} {
		spec := parse(t, "x.yaml", base+c.spec)
		if _, err := plan.Make(t.Context(), ask(spec)); err == nil || !strings.Contains(spec.Located(err).Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

// A configuration that is no file is refused before it is read.
func TestMakeFromDevice(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]string{
		"/dev/zero": "config.json: a device, expected a regular file",
		"pipe":      "config.json: a pipe, expected a regular file",
		".":         "config.json: a folder, expected a regular file",
	} {
		link := filepath.Join(dir, "config.json")
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		c := ask(parse(t, "x.yaml", "name: x\ngames: {household: {train: 100, valid_seen: 1}}\nevaluation: {panels: [{name: p, splits: [valid_seen]}]}\nmodel: {config: config.json}\n"))
		c.Dir = dir
		if _, err := plan.Make(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a link to %s: %v, want %q in it", to, err, want)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}

// Numbers whose products do not fit into 64 bits are refused by their field; what is accepted has no negative bytes.
func TestMakeExtremes(t *testing.T) {
	base := "name: x\ngames: {household: {train: 100, valid_seen: 1}}\nevaluation: {panels: [{name: p, splits: [valid_seen]}]}\n"
	model := "model: {qwen2: {hidden: 65536, layers: 4096, heads: 512, kv_heads: 512, intermediate: 65536, vocabulary: 2048, positions: 16777216, " +
		"rope_theta: 10000, init_std: 0.1, tie_embedding: true}}\n"
	for name, c := range map[string]struct {
		spec  string
		count int
		want  string // "" where it is accepted
	}{
		"epochs of many records": {"teacher: {epochs: 10000000}\nstudent: {epochs: 1}\n", plan.MaxRecords, "x.yaml:4: teacher: 625000000000000 steps of 16 records: expected at most 7.2e+16 tokens"},
		"a checkpoint a step":    {model + "teacher: {steps: 10000000, checkpoint: 1}\n", 0, "x.yaml:5: teacher: checkpoint 1: 10000000 checkpoints of "},
		"long prompts, eager":    {model + "teacher: {batch: 100000, max_tokens: 10000000, attention: eager}\n", 0, "x.yaml:5: teacher.max_tokens 10000000: 100000 sequences at once, expected fewer or shorter"},
		"long prompts":           {model + "student: {batch: 1000, max_tokens: 10000000}\n", 0, "x.yaml:5: student.max_tokens 10000000: 1000 sequences at once"},
		"a large model":          {model, 0, ""},
		"large, long, eager":     {model + "teacher: {max_tokens: 1024, attention: eager}\nstudent: {max_tokens: 1024, attention: eager}\n", 0, ""},
		"most records":           {"", plan.MaxRecords, ""},
		"one too many":           {"", plan.MaxRecords + 1, "1000000001 records: expected from 0 to 1000000000"},
		"fewer than none":        {"", -1, "-1 records: expected from 0"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := parse(t, "x.yaml", base+c.spec)
			config := ask(spec)
			config.Count = c.count
			p, err := plan.Make(t.Context(), config)
			if c.want != "" {
				if err == nil || !strings.Contains(spec.Located(err).Error(), c.want) {
					t.Errorf("%v, want %q in it", spec.Located(err), c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(spec.Located(err))
			}
			least := min(p.Stored, p.Model.Parameters)
			for _, s := range p.Stages {
				least = min(least, s.Stored, s.Tokens)
			}
			for _, m := range p.Memory {
				least = min(least, m.Weights, m.Trained, m.Gradients, m.Moments, m.Cache, m.Pass, m.Peak)
			}
			if least < 0 {
				t.Errorf("%d in %+v", least, p)
			}
		})
	}
}

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
	spec := parse(t, "x.yaml", "name: x\ngames: {household: {train: 100}}\nhints: {plan: straight, recovery: {per_game: 2, share_per_mille: 500}}\n"+
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
	base := "name: x\ngames: {household: {train: 100}}\nevaluation: {panels: [{name: p, splits: [valid_seen]}]}\n"
	for name, c := range map[string]struct{ spec, want string }{
		"a base that nobody has":    {"model: {base: " + string(artifacts.Of(nil)) + "}\n", "name a configuration as model.config"},
		"a configuration not there": {"model: {config: configs/none.json}\n", "configs/none.json"},
		"prompts beyond the model":  {"model: {config: configs/qwen2.5-3b.json}\nteacher: {max_tokens: 40000}\n", "teacher.max_tokens 40000: the model takes 32768"},
		"the first of two beyond":   {"model: {config: configs/qwen2.5-3b.json}\nteacher: {max_tokens: 40000}\nstudent: {max_tokens: 50000}\n", "teacher.max_tokens 40000"},
		"no such layer":             {"teacher: {lora: {rank: 4, alpha: 8, targets: [in_proj_z]}}\n", `teacher: lora: target "in_proj_z"`},
		"more warm-up than steps":   {"teacher: {epochs: 1}\n", "41 steps with 100 of warm-up"},
	} {
		if _, err := plan.Make(t.Context(), ask(parse(t, "x.yaml", base+c.spec))); err == nil || !strings.Contains(err.Error(), c.want) {
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
		c := ask(parse(t, "x.yaml", "name: x\ngames: {household: {train: 100}}\nevaluation: {panels: [{name: p, splits: [valid_seen]}]}\nmodel: {config: config.json}\n"))
		c.Dir = dir
		if _, err := plan.Make(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a link to %s: %v, want %q in it", to, err, want)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}

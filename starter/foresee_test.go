package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/checkpoint/folder/foldertest"
	"github.com/hone-rl/hone/plan"
)

// TestForesee: what cannot be gone through is refused before it is started, by the words and the line of its dry run.
func TestForesee(t *testing.T) {
	store := mem.New()
	base := imported(t, store, foldertest.Files(t, 1, 1)).Digest // of 64 positions
	none := artifacts.Of([]byte("none"))
	list, err := artifacts.PutManifest(t.Context(), store, artifacts.Manifest{Kind: artifacts.KindGames, Producer: artifacts.Producer{Name: "hone", Version: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	const short = "teacher: {max_tokens: 60}\nstudent: {max_tokens: 60}\n"
	for _, tt := range []struct {
		name, spec, want string
		dry              string // what the dry run says instead: "" for the same
	}{
		{name: "longer than the base's positions", spec: modelBase(base) + "teacher:\n  max_tokens: 1024\nstudent: {max_tokens: 64}\n", want: "x.yaml:6: teacher.max_tokens 1024: expected at most the model's positions, 64"},
		{name: "layers that the base has not", spec: modelBase(base) + "teacher: {max_tokens: 60}\nstudent:\n  max_tokens: 60\n  lora:\n    rank: 2\n    alpha: 4\n    targets: [in_proj_z]\n", want: `x.yaml:11: student.lora.targets: target "in_proj_z": the model has no such linear layer`},
		{
			name: "answers that leave no room for a prompt",
			spec: modelBase(base) + "stages: [grpo]\ngrpo:\n  method: grpo\n  answer: {act: 64}\n  validate: {panel: p}\n",
			want: "x.yaml:8: grpo.answer.act 64: expected below the model's positions, 64",
		},
		{name: "no such model", spec: modelBase(none) + short, want: "x.yaml:4: model.base " + string(none) + ": the store has no such model: hone model list shows those it has"},
		{name: "no model", spec: modelBase(list.Digest) + short, want: "x.yaml:4: model.base " + string(list.Digest) + ": it is of kind games, expected a model"},
		{
			name: "planned by its configuration", spec: "model: {base: " + string(none) + ", config: config.json}\n" + short,
			want: "x.yaml:4: model.base " + string(none) + ": the store has no such model", dry: "no error",
		},
		{name: "no such dataset", spec: modelBase(base) + short + "hints: {dataset: " + string(none) + "}\n", want: "x.yaml:7: hints.dataset " + string(none) + ": the store has no such dataset"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := specFile(t, tt.spec)
			spec, err := readSpec(file)
			if err != nil {
				t.Fatal(err)
			}
			err = foresee(t.Context(), store, os.Stderr, file, spec, "")
			var c coded
			if !errors.As(err, &c) || c.code != exitUsage || !strings.HasSuffix(strings.Split(err.Error(), ": ")[0], strings.Split(tt.want, ": ")[0]) ||
				!strings.Contains(err.Error(), tt.want) || strings.Count(err.Error(), strings.SplitN(tt.want, ": ", 2)[1]) != 1 {
				t.Errorf("got %v, want %q once and exit code 2", err, tt.want)
			}
			_, dry := makePlan(t.Context(), plan.Config{Spec: spec, Dir: filepath.Dir(file), Store: store})
			if said := fmt.Sprint(dry); tt.dry == "" && said != fmt.Sprint(err) || tt.dry != "" && dry != nil {
				t.Errorf("the dry run says %v, the run %v", dry, err)
			}
		})
	}
}

// TestForeseeWarns: where nothing is stored yet but the base, its tokenizer and some of the run's games tell that no record
// will be short enough.
func TestForeseeWarns(t *testing.T) {
	store := mem.New()
	base := imported(t, store, foldertest.Files(t, 1, 1)).Digest
	file := specFile(t, modelBase(base)+"teacher: {max_tokens: 60}\nstudent: {max_tokens: 60}\n")
	spec, err := readSpec(file)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := foresee(t.Context(), store, &said, file, spec, ""); err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"teacher", "student"} {
		if want := "hone: warning: " + role + ".max_tokens 60: nothing to train on is that short: of "; !strings.Contains(said.String(), want) {
			t.Errorf("got %q, want %q", said.String(), want)
		}
	}
}

func modelBase(d artifacts.Digest) string { return "model: {base: " + string(d) + "}\n" }

// specFile is a spec of four lines and more, beside the configuration of foldertest's model.
func specFile(t *testing.T, more string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "config.json"), []byte(foldertest.Config))
	file := filepath.Join(dir, "x.yaml")
	writeFile(t, file, []byte("name: x\ngames: {household: {train: 12, valid_unseen: 6}}\nevaluation: {panels: [{name: p, splits: [valid_unseen]}]}\n"+more))
	return file
}

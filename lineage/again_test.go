package lineage_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/workflows"
)

// repeat runs a spec anew as another run, all of it or a stage.
func repeat(t *testing.T, store artifacts.Store, run, text, word, at string, runner gpu.Runner) []lineage.Repeated {
	t.Helper()
	again := run + "-again-" + word
	pipeline(t, store, workflows.PipelineInput{
		Run: again, Spec: *specOf(t, text), Pace: workflows.Pace{Again: workflows.Again{Word: word, At: at}},
	}, runner, "")
	all, err := lineage.Repetition(t.Context(), store, run, again)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRepetition: each stage of both kinds of run, done anew by itself and with all others, comes to the digest that it had,
// and no other is done.
func TestRepetition(t *testing.T) {
	steps := 0
	pupil := &pupils{Plans: planned(t)}
	pupil.OnStep = func(int) error { steps++; return nil }
	learn := learnSpec + "  method: gigpo\n  max_steps: 3\n  group: 2\n"
	learned := mem.New()
	runSpecBy(t, learned, "learn-1", learn, &pupils{Plans: planned(t)}, "")
	for name, of := range map[string]struct {
		store     *mem.Store
		run, spec string
		runner    gpu.Runner
		stages    []string
		trainings map[string]int // optimiser steps
	}{
		"records": {
			finished.copy(t), runID, smallSpec, &gputest.Runner{OnStep: pupil.OnStep},
			[]string{"games", "panels/unseen", "hints", "untrained", "teacher", "student", "evaluation/unseen/teacher-hint", "report"},
			map[string]int{"teacher": 4, "student": 2, "": 6},
		},
		"rewards": {learned, "learn-1", learn, pupil, []string{"grpo"}, map[string]int{"grpo": 3, "": 3}},
	} {
		for i, stage := range append(of.stages, "") {
			steps = 0
			all := repeat(t, of.store, of.run, of.spec, fmt.Sprint(i), stage, of.runner)
			for _, r := range all {
				anew := stage == "" || r.Stage == stage || stage == "report" && strings.HasPrefix(r.Stage, "evaluation/")
				if !r.Same || r.Stage != "run" && r.Reused == anew || len(r.Parted) != 0 {
					t.Errorf("%s, %q anew: got %+v, want the same digest, done anew: %v", name, stage, r, anew)
				}
			}
			if !slices.ContainsFunc(all, func(r lineage.Repeated) bool { return r.Stage == "run" }) {
				t.Errorf("%s, %q anew: the run itself is not compared", name, stage)
			}
			if steps != of.trainings[stage] {
				t.Errorf("%s, %q anew: %d optimiser steps, want %d", name, stage, steps, of.trainings[stage])
			}
		}
		clean(t, of.store, -1)
	}
}

// other is a device of another class.
type other struct {
	gputest.Runner
	class string
}

func (o *other) Info() gpu.Info {
	info := o.Runner.Info()
	info.Class = o.class
	return info
}

// TestRepetitionDiffers: a device that computes otherwise is found, with how far its weights are; that their digests part
// breaks a promise where the class is the same, and none where it is not.
func TestRepetitionDiffers(t *testing.T) {
	for class, promised := range map[string]bool{"test": true, "elsewhere": false} {
		careless := &other{class: class}
		careless.OnMicro = func(micro [][]gpu.Example) { micro[0] = micro[0][1:] }
		all := repeat(t, finished.copy(t), runID, smallSpec, "1", "teacher", careless)
		i := slices.IndexFunc(all, func(r lineage.Repeated) bool { return r.Stage == "teacher" })
		if i < 0 || all[i].Same || all[i].Reused || all[i].Classes != [2]string{"test", class} || all[i].Promised() != promised {
			t.Fatalf("got %+v, want another teacher", all)
		}
		parts := map[string]lineage.Parted{}
		for _, p := range all[i].Parted {
			parts[p.Part] = p
		}
		if w := parts["model.safetensors"]; w.Share != nil || !strings.HasPrefix(w.How, "other bytes (safetensors: ") { // the test's own form
			t.Errorf("weights: got %+v", w)
		}
		if curve := parts["training.jsonl"]; !strings.Contains(curve.How, "3 of 3 lines, the first: line 1, loss: ") || curve.Share == nil {
			t.Errorf("got %+v, want the loss of all steps", all[i].Parted)
		}
		for _, r := range all {
			if r.Stage == "report" && (r.Same || r.Promised()) {
				t.Errorf("what follows from another teacher breaks no promise of its own: %+v", r)
			}
			if (r.Stage == "hints" || r.Stage == "untrained") && !r.Same {
				t.Errorf("%s differs: %+v", r.Stage, r)
			}
		}
	}
}

// TestApart: parts by hand. The vector (3, 4) and (3, 4.5) part by 0.5 of 5.
func TestApart(t *testing.T) {
	store := mem.New()
	model := func(last float32, table, text string) artifacts.Digest {
		data := binary.LittleEndian.AppendUint32(nil, math.Float32bits(3))
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(last))
		var file bytes.Buffer
		if err := safetensors.Write(&file, nil, []safetensors.Tensor{{Name: "w", DType: safetensors.F32, Shape: []int64{2}, Data: data}}); err != nil {
			t.Fatal(err)
		}
		return lineagetest.Store(t, store, artifacts.KindModel, nil, map[string][]byte{
			"config.json": []byte("{}"), "model.safetensors": file.Bytes(), "steps.jsonl": []byte(table), "tokenizer.txt": []byte(text),
		})
	}
	a := model(4, "{\"loss\":2}\n{\"loss\":1}\n", "a")
	if same, err := lineage.Apart(t.Context(), store, a, a); err != nil || len(same) != 0 {
		t.Errorf("one and the same: %+v, %v", same, err)
	}
	for name, c := range map[string]struct {
		b      artifacts.Digest
		part   string
		how    string
		share  float64
		number bool
	}{
		"weights":    {model(4.5, "{\"loss\":2}\n{\"loss\":1}\n", "a"), "model.safetensors", "1 of 1 tensors, by 0.5 at most (w)", 0.1, true},
		"a line":     {model(4, "{\"loss\":2}\n{\"loss\":0.75}\n", "a"), "steps.jsonl", "1 of 2 lines, the first: line 2, loss: 1 and 0.75", 0.25, true},
		"more lines": {model(4, "{\"loss\":2}\n", "a"), "steps.jsonl", "0 of 2 lines; 2 and 1 lines", 0, false},
		"a text":     {model(4, "{\"loss\":2}\n{\"loss\":1}\n", "b"), "tokenizer.txt", "other bytes", 0, false},
	} {
		got, err := lineage.Apart(t.Context(), store, a, c.b)
		if err != nil || len(got) != 1 || got[0].Part != c.part || got[0].How != c.how || (got[0].Share != nil) != c.number || c.number && *got[0].Share != c.share {
			t.Errorf("%s: got %+v, %v, want %s: %s", name, got, err, c.part, c.how)
		}
	}
}

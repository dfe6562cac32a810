package activities_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// school is what training needs: a dataset and an untrained model.
type school struct{ dataset, model artifacts.Digest }

func (w *world) school(t *testing.T) school {
	t.Helper()
	return w.schoolOf(t, params())
}

func (w *world) schoolOf(t *testing.T, p activities.HintParameters) school {
	t.Helper()
	ds := w.hinted(t, activities.HintChunkInput{Games: w.list(t, train(t)), HintParameters: p}, 100)
	model := must[activities.ModelResult](t, w, do.InitModel, activities.InitInput{
		Key: key("init"), Dataset: ds.Digest, InitParameters: activities.InitParameters{
			Qwen2: gpu.ModelConfig{Positions: 4096}, Seed: 1, Vocabulary: 300, Split: tokenizer.SplitPhrase,
		},
	})
	return school{ds.Digest, model.Digest}
}

func (s school) lesson(name string) activities.TrainInput {
	return activities.TrainInput{
		Key: key(name), Run: "r", Name: name, Model: s.model, Dataset: s.dataset,
		TrainParameters: activities.TrainParameters{
			WithHint: true, Train: gpu.TrainConfig{Steps: 10, Rate: 0.1, Seed: 1}, Batch: 4, Accumulate: 2,
			MaxTokens: 4096, Checkpoint: 3, Order: 1,
		},
	}
}

// killed ends an attempt as the end of its machine would: nothing is cleaned up or reported.
var errKilled = errors.New("killed")

// TestTrainResumes kills a training in the step after each checkpoint, and goes on with another worker, which has
// nothing but the store. Each attempt begins at exactly the newest checkpoint, and what comes out is the same.
func TestTrainResumes(t *testing.T) {
	undisturbed := newWorld(t, newStore(), &gputest.Runner{})
	s := undisturbed.school(t)
	want := must[activities.ModelResult](t, undisturbed, do.TrainSFT, s.lesson("teacher"))

	store := newStore()
	if got := newWorld(t, store, &gputest.Runner{}).school(t); got != s {
		t.Fatalf("got %+v, want the same dataset and model, %+v", got, s)
	}
	first := 1
	for _, kill := range []int{2, 4, 7, 10} { // before any checkpoint, after those at 3, 6 and 9
		seen := 0
		runner := &gputest.Runner{OnStep: func(step int) error {
			if seen == 0 && step != first {
				t.Errorf("the attempt to be killed at step %d began with step %d, want %d", kill, step, first)
			}
			if seen = step; step == kill {
				return errKilled
			}
			return nil
		}}
		_, err := call[activities.ModelResult](newWorld(t, store, runner), do.TrainSFT, s.lesson("teacher"))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("teacher, step %d: killed", kill)) {
			t.Fatalf("got %v, want the kill at step %d", err, kill)
		}
		first = (kill-1)/3*3 + 1
	}
	var steps []int
	last := newWorld(t, store, &gputest.Runner{OnStep: func(step int) error { steps = append(steps, step); return nil }})
	got := must[activities.ModelResult](t, last, do.TrainSFT, s.lesson("teacher"))
	if !slices.Equal(steps, []int{10}) || got.Work.Redone != "step 9" {
		t.Errorf("the last attempt made steps %v from %q, want step 10 from step 9", steps, got.Work.Redone)
	}
	if got.Digest != want.Digest || got.Note != want.Note {
		t.Errorf("got %s (%s), undisturbed %s (%s)", got.Digest, got.Note, want.Digest, want.Note)
	}
	names := func(w *world) string {
		all, err := w.Store.Names(t.Context(), activities.CheckpointPrefix(key("teacher")))
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, name := range all {
			d, err := w.Store.Resolve(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			text += name + " " + string(d) + "\n"
		}
		return text
	}
	if a, b := names(last), names(undisturbed); a != b || strings.Count(a, "\n") != 4 {
		t.Errorf("checkpoints\n%s, want the four of the undisturbed run\n%s", a, b)
	}
	again := newWorld(t, store, &gputest.Runner{OnStep: func(step int) error { t.Errorf("step %d is made again", step); return nil }})
	if got := must[activities.ModelResult](t, again, do.TrainSFT, s.lesson("teacher")); got.Digest != want.Digest {
		t.Errorf("killed before its end was told: got %s, want %s", got.Digest, want.Digest)
	}
}

// nameless is a store that is killed before it gives a checkpoint its name.
type nameless struct {
	*mem.Store
	when func(name string) bool
}

func (s nameless) Name(ctx context.Context, name string, d artifacts.Digest) error {
	if s.when(name) {
		return errKilled
	}
	return s.Store.Name(ctx, name, d)
}

// TestTrainResumesBeforeName: a checkpoint that was stored and not named is none.
func TestTrainResumesBeforeName(t *testing.T) {
	store := mem.New()
	s := newWorld(t, store, &gputest.Runner{}).school(t)
	dying := nameless{store, func(name string) bool { return strings.HasSuffix(name, "/00000006") }}
	if _, err := call[activities.ModelResult](newWorld(t, dying, &gputest.Runner{}), do.TrainSFT, s.lesson("teacher")); err == nil {
		t.Fatal("no error, want the kill")
	}
	var steps []int
	w := newWorld(t, store, &gputest.Runner{OnStep: func(step int) error { steps = append(steps, step); return nil }})
	res := must[activities.ModelResult](t, w, do.TrainSFT, s.lesson("teacher"))
	if want := []int{4, 5, 6, 7, 8, 9, 10}; !slices.Equal(steps, want) || res.Work.Redone != "step 3" {
		t.Errorf("got steps %v from %q, want %v from step 3", steps, res.Work.Redone, want)
	}
}

// TestTrainPublishesBest: the checkpoint of the lowest validation loss is exported, not the last one.
func TestTrainPublishesBest(t *testing.T) {
	losses := []float64{0.9, 0.2, 0.5, 0.2} // at steps 3, 6, 9 and 10: of equals the earliest
	n := 0
	runner := &gputest.Runner{OnLoss: func(r gpu.LossResult) gpu.LossResult { r.Loss = losses[n]; n++; return r }}
	w := newWorld(t, newStore(), runner)
	s := w.school(t)
	got := must[activities.ModelResult](t, w, do.TrainSFT, s.lesson("teacher"))
	short := s.lesson("short")
	short.Train.Steps, short.Checkpoint, n = 6, 6, 1
	want := must[activities.ModelResult](t, w, do.TrainSFT, short)
	if a, b := w.file(t, got.Digest, "model.safetensors"), w.file(t, want.Digest, "model.safetensors"); !bytes.Equal(a, b) {
		t.Error("the weights are not those of step 6")
	}
	var summary struct{ Best activities.Check }
	if err := json.Unmarshal(w.manifest(t, got.Digest).Summary, &summary); err != nil || summary.Best.Step != 6 || summary.Best.Loss != 0.2 {
		t.Errorf("best: got %+v, %v, want step 6 with 0.2", summary.Best, err)
	}
	if !strings.HasPrefix(got.Note, "step 6 of 10: validation loss 0.200") {
		t.Errorf("note: %q", got.Note)
	}
	if lines := bytes.Count(w.file(t, got.Digest, "training.jsonl"), []byte("\n")); lines != 1+4 {
		t.Errorf("training.jsonl: %d lines, want the curve's one and 4 validations", lines)
	}
}

func TestTrainAdapter(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	s := w.school(t)
	in := s.lesson("adapter")
	in.Train.LoRA = &gpu.LoRA{Rank: 4, Alpha: 8}
	res := must[activities.ModelResult](t, w, do.TrainSFT, in)
	m := w.manifest(t, res.Digest)
	want := []artifacts.Input{{Role: "dataset", Digest: s.dataset}, {Role: "model", Digest: s.model}}
	if m.Kind != artifacts.KindAdapter || !slices.Equal(m.Inputs, want) {
		t.Errorf("got %s of %v, want an adapter of %v", m.Kind, m.Inputs, want)
	}
	in.Key, in.Model = key("on top"), res.Digest
	_, err := call[activities.ModelResult](w, do.TrainSFT, in)
	final(t, err, activities.ErrTypeBadInput, "is an adapter, expected a model")
}

// TestTrainNumbers: numbers that are not finite end the run at once and say where.
func TestTrainNumbers(t *testing.T) {
	s := school{}
	setup := func(t *testing.T, r *gputest.Runner) *world {
		w := newWorld(t, newStore(), r)
		s = w.school(t)
		return w
	}
	t.Run("step", func(t *testing.T) {
		w := setup(t, &gputest.Runner{OnStep: func(step int) error {
			if step == 5 {
				return fmt.Errorf("loss NaN: %w", gpu.ErrNotFinite)
			}
			return nil
		}})
		_, err := call[activities.ModelResult](w, do.TrainSFT, s.lesson("teacher"))
		final(t, err, activities.ErrTypeNumbers, "teacher, step 5: loss NaN: not a finite number", "the batch is stored as sha256:")
		_, digest, _ := strings.Cut(err.Error(), "stored as ")
		digest, _, _ = strings.Cut(digest, ")")
		raw, err := artifacts.ReadAll(t.Context(), w.Store, artifacts.Digest(digest), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "batch.json")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := gpu.ReadFailedBatch(path)
		if err != nil || kept.Step != 4 || len(kept.Batch) != 2 || len(kept.Batch[0]) == 0 || kept.Config.Steps != 10 {
			t.Errorf("kept %d micro-batches of step %d, %v: want two of step 4", len(kept.Batch), kept.Step, err)
		}
	})
	t.Run("first step", func(t *testing.T) {
		w := setup(t, &gputest.Runner{OnStep: func(int) error { return fmt.Errorf("loss NaN: %w", gpu.ErrNotFinite) }})
		_, err := call[activities.ModelResult](w, do.TrainSFT, s.lesson("teacher"))
		final(t, err, activities.ErrTypeNumbers, "teacher, step 1: loss NaN", "look first at the model that it starts from, "+string(s.model))
	})
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		t.Run(fmt.Sprint("validation ", bad), func(t *testing.T) {
			w := setup(t, &gputest.Runner{OnLoss: func(r gpu.LossResult) gpu.LossResult { r.Loss = bad; return r }})
			_, err := call[activities.ModelResult](w, do.TrainSFT, s.lesson("teacher"))
			final(t, err, activities.ErrTypeNumbers, "teacher: validate at step 3", fmt.Sprint(bad))
		})
	}
}

// TestTrainOverlong: records over the maximum are left out whole, counted and said.
func TestTrainOverlong(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	s := w.school(t)
	m := w.manifest(t, s.model)
	dir, err := artifacts.Fetch(t.Context(), w.Store, m, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := tokenizer.Load(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lengths []int
	for r, err := range hints.Records(bytes.NewReader(w.file(t, s.dataset, recordsFile))) {
		if err != nil {
			t.Fatal(err)
		}
		lengths = append(lengths, len(hints.Encode(hints.EncodeConfig{Tokens: tokens, WithHint: true}, r).Tokens))
	}
	in := s.lesson("teacher")
	in.MaxTokens = slices.Max(lengths) - 1
	want := 0
	for _, n := range lengths {
		if n > in.MaxTokens {
			want++
		}
	}
	res := must[activities.ModelResult](t, w, do.TrainSFT, in)
	var got struct{ Overlong, Records, Validation int }
	if err := json.Unmarshal(w.manifest(t, res.Digest).Summary, &got); err != nil {
		t.Fatal(err)
	}
	if want == 0 || got.Overlong != want || got.Records+got.Validation != len(lengths)-want {
		t.Errorf("got %+v of %d records, want %d left out", got, len(lengths), want)
	}
	if note := fmt.Sprintf("%d records over %d tokens left out", want, in.MaxTokens); !strings.Contains(res.Note, note) {
		t.Errorf("note %q, want %q in it", res.Note, note)
	}
	in.Key, in.MaxTokens = key("none"), 2
	_, err = call[activities.ModelResult](w, do.TrainSFT, in)
	final(t, err, activities.ErrTypeBadInput, "teacher.max_tokens 2: dataset", "has 0 records to train on", fmt.Sprintf("the shortest has %d tokens", slices.Min(lengths)))
}

// TestTrainUnheld: where no game is held out, it is that share which is told, and not a length.
func TestTrainUnheld(t *testing.T) {
	w, few := newWorld(t, newStore(), &gputest.Runner{}), params()
	few.Validation = 1
	s := w.schoolOf(t, few)
	_, err := call[activities.ModelResult](w, do.TrainSFT, s.lesson("teacher"))
	final(t, err, activities.ErrTypeBadInput, "hints.validation_per_mille: dataset "+s.dataset.Short()+" has no records to validate with")
}

// TestTrainModels: what is wrong with a model is final, what is the time's fault is not.
func TestTrainModels(t *testing.T) {
	var fault error
	w := newWorld(t, newStore(), &gputest.Runner{OnLoad: func(string) error { return fault }})
	s := w.school(t)
	fault = errors.New("missing tensor lm_head.weight: expected shape [512 32]")
	_, err := call[activities.ModelResult](w, do.TrainSFT, s.lesson("teacher"))
	final(t, err, activities.ErrTypeBadInput, "load model "+s.model.Short(), "missing tensor lm_head.weight", "expected shape")
	_, err = call[struct{}](w, do.CheckModel, activities.CheckModelInput{Model: s.model})
	final(t, err, activities.ErrTypeBadInput, "load model "+s.model.Short(), "missing tensor")
	fault = nil
	must[struct{}](t, w, do.CheckModel, activities.CheckModelInput{Model: s.model})
	_, err = call[struct{}](w, do.CheckModel, activities.CheckModelInput{Model: s.dataset})
	final(t, err, activities.ErrTypeBadInput, s.dataset.Short()+" is a dataset, expected a model")
	_, err = call[struct{}](w, do.CheckModel, activities.CheckModelInput{Model: key("never stored")})
	final(t, err, activities.ErrTypeBadInput, "not found")

	_, err = call[struct{}](w, do.CheckModel, activities.CheckModelInput{Model: w.manifest(t, s.model).Outputs[0].Digest})
	final(t, err, activities.ErrTypeBadInput, "is no manifest of an artifact")

	in := s.lesson("corrupt")
	in.Dataset = s.model
	_, err = call[activities.ModelResult](w, do.TrainSFT, in)
	final(t, err, activities.ErrTypeBadInput, "is a model, expected a dataset")
}

// TestTrainCorruptCheckpoint: training does not go on from what is not what was written.
func TestTrainCorruptCheckpoint(t *testing.T) {
	store := mem.New()
	w := newWorld(t, store, &gputest.Runner{OnStep: func(step int) error {
		if step == 5 {
			return errKilled
		}
		return nil
	}})
	s := w.school(t)
	if _, err := call[activities.ModelResult](w, do.TrainSFT, s.lesson("teacher")); err == nil {
		t.Fatal("no error, want the kill")
	}
	name := activities.CheckpointPrefix(key("teacher")) + "00000003"
	d, err := store.Resolve(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	state := w.manifest(t, d).Outputs
	i := slices.IndexFunc(state, func(o artifacts.Output) bool { return o.Name == "state.json" })
	store.FlipBlob(state[i].Digest, 3)
	_, err = call[activities.ModelResult](newWorld(t, store, &gputest.Runner{}), do.TrainSFT, s.lesson("teacher"))
	final(t, err, activities.ErrTypeCorrupt, "go on from "+name, string(state[i].Digest))
}

func TestNoDevice(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	_, err := call[activities.ModelResult](w, do.InitModel, activities.InitInput{Key: key("k")})
	if err == nil || !strings.Contains(err.Error(), "--queues gpu") {
		t.Errorf("got %v, want what starts a worker with a device", err)
	}
}

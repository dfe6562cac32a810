package activities_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
)

func TestStageKey(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	stage := func(change func(*activities.Stage)) activities.StageInput {
		s := activities.Stage{
			Kind: "sft", Parameters: json.RawMessage(`{"rate":0.002,"steps":20}`),
			Inputs: []artifacts.Input{{Role: "model", Digest: key("m")}, {Role: "dataset", Digest: key("d")}},
		}
		change(&s)
		return activities.StageInput{Run: "r", Name: "teacher", Stage: s}
	}
	begin := func(t *testing.T, w *world, in activities.StageInput) artifacts.Digest {
		t.Helper()
		return must[activities.Begun](t, w, do.Begin, in).Key
	}
	base := begin(t, w, stage(func(*activities.Stage) {}))
	same := map[string]func(*activities.Stage){
		"order of parameters": func(s *activities.Stage) { s.Parameters = json.RawMessage(`{ "steps":20, "rate":2e-3 }`) },
	}
	other := map[string]func(*activities.Stage){
		"kind":          func(s *activities.Stage) { s.Kind = "play" },
		"parameter":     func(s *activities.Stage) { s.Parameters = json.RawMessage(`{"rate":0.002,"steps":21}`) },
		"no parameters": func(s *activities.Stage) { s.Parameters = nil },
		"input":         func(s *activities.Stage) { s.Inputs[0].Digest = key("m2") },
		"role":          func(s *activities.Stage) { s.Inputs[0].Role = "base" },
		"fewer inputs":  func(s *activities.Stage) { s.Inputs = s.Inputs[:1] },
	}
	for name, change := range same {
		if got := begin(t, w, stage(change)); got != base {
			t.Errorf("%s: got another key", name)
		}
	}
	keys := map[artifacts.Digest]string{base: "base"}
	for name, change := range other {
		got := begin(t, w, stage(change))
		if keys[got] != "" {
			t.Errorf("%s: got the key of %s", name, keys[got])
		}
		keys[got] = name
	}
	in := stage(func(*activities.Stage) {})
	in.Run, in.Name = "another run", "student"
	if got := begin(t, w, in); got != base {
		t.Error("a stage's key depends on the run or the stage's name in it")
	}
	w.Producer.Version = "later"
	if got := begin(t, w, in); got == base {
		t.Error("another version of the producer has the same key")
	}
}

// TestBeginFinds: a stage that has been done is found; one whose manifest is broken is an error that names it.
func TestBeginFinds(t *testing.T) {
	store := mem.New()
	w := newWorld(t, store, nil)
	in := activities.StageInput{Run: "r", Name: "panel", Stage: activities.Stage{Kind: "panel", Parameters: json.RawMessage(`{}`)}}
	begun := must[activities.Begun](t, w, do.Begin, in)
	if begun.Found != "" {
		t.Fatalf("found %s before it was made", begun.Found)
	}
	made := must[activities.GamesResult](t, w, do.SelectPanel, activities.PanelInput{
		Key: begun.Key, Games: w.list(t, train(t)[:2]), Panel: activities.Panel{Name: "p", Splits: []string{"train"}},
	})
	if again := must[activities.Begun](t, w, do.Begin, in); again.Found != made.Digest || again.Key != begun.Key {
		t.Errorf("got %+v, want %s found", again, made.Digest)
	}
	store.FlipBlob(made.Digest, 7)
	_, err := call[activities.Begun](w, do.Begin, in)
	final(t, err, activities.ErrTypeCorrupt, "read the stage panel done before", string(made.Digest))
}

// TestFinish: the name in the run, and the record beside it under the workflow's own run id.
func TestFinish(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	in := activities.Finished{
		Run: "r", Name: "hints", Key: key("k"), Digest: key("d"), Workflow: "r/hints", RunID: "one",
		Started: time.Unix(1, 0).UTC(), Ended: time.Unix(2, 0).UTC(),
	}
	must[struct{}](t, w, do.Finish, in)
	in.RunID = "two"
	must[struct{}](t, w, do.Finish, in)
	names, err := w.Store.Names(t.Context(), "")
	want := []string{"records/r/one/hints", "records/r/two/hints", "runs/r/hints", activities.StageName(in.Key)}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("got %v, %v, want %v", names, err, want)
	}
	in.RunID, in.Digest = "three", key("another")
	_, err = call[struct{}](w, do.Finish, in)
	final(t, err, activities.ErrTypeConflict, "publish hints of run r")
	in.Key = key("of another spec")
	_, err = call[struct{}](w, do.Finish, in)
	final(t, err, activities.ErrTypeConflict, "name hints of run r")
}

// TestFinishGone: a stage that was found, and whose name has gone before it was named in the run, gets no name, though its
// content may be there for a while. One that an attempt before has named in the run gets all its names.
func TestFinishGone(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	m, err := artifacts.PutManifest(t.Context(), w.Store, artifacts.Manifest{Kind: artifacts.KindDataset, Producer: w.Producer})
	if err != nil {
		t.Fatal(err)
	}
	in := activities.Finished{Run: "r", Name: "hints", Key: key("k"), Digest: m.Digest, Reused: true, RunID: "one"}
	_, err = call[struct{}](w, do.Finish, in)
	final(t, err, activities.ErrTypeBadInput, "stage hints of run r was done before, and is not there now (hone run makes it anew)", string(in.Digest))
	if names, err := w.Store.Names(t.Context(), ""); err != nil || len(names) != 0 {
		t.Errorf("named are %v, %v, want none", names, err)
	}
	if err := w.Store.Name(t.Context(), activities.RunName("r", "hints"), in.Digest); err != nil {
		t.Fatal(err)
	}
	must[struct{}](t, w, do.Finish, in)
	names, err := w.Store.Names(t.Context(), "")
	if want := []string{"records/r/one/hints", "runs/r/hints", activities.StageName(in.Key)}; err != nil || !slices.Equal(names, want) {
		t.Errorf("got %v, %v, want %v", names, err, want)
	}
}

// TestFinishStopped: what a stopped training came to has a name and a record of its own. Its stage is still to be done,
// and the whole training takes the stage's names later.
func TestFinishStopped(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	in := activities.Finished{Run: "r", Name: "grpo/seed-1", Key: key("k"), Digest: key("part"), RunID: "one", Stopped: 12}
	must[struct{}](t, w, do.Finish, in)
	in.RunID, in.Digest, in.Stopped = "two", key("whole"), 0
	must[struct{}](t, w, do.Finish, in)
	for name, want := range map[string]artifacts.Digest{
		"runs/r/grpo/seed-1-stopped-12": key("part"), "runs/r/grpo/seed-1": key("whole"), activities.StageName(in.Key): key("whole"),
	} {
		if got, err := w.Store.Resolve(t.Context(), name); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
	names, err := w.Store.Names(t.Context(), "records/")
	if want := []string{"records/r/one/grpo/seed-1-stopped-12", "records/r/two/grpo/seed-1"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("records: got %v, %v, want %v", names, err, want)
	}
}

// TestOpenRunOfBase: a base that is not there, or that does not fit, ends a run at its first step, told once.
func TestOpenRunOfBase(t *testing.T) {
	w := newWorld(t, mem.New(), nil)
	none := artifacts.Of([]byte("none"))
	in := activities.RunInput{Run: "small-run", Spec: []byte(`{}`), Base: none, Asked: []activities.Asked{{Field: "teacher", MaxTokens: 65}}}
	_, err := w.env.ExecuteActivity(do.OpenRun, in)
	final(t, err, activities.ErrTypeBadInput, "model.base "+string(none)+": the store has no such model")
	config, err := artifacts.PutBytes(t.Context(), w.Store, "application/json", []byte(`{"model_type":"qwen2","hidden_size":16,"num_hidden_layers":2,`+
		`"num_attention_heads":2,"intermediate_size":24,"vocab_size":300,"max_position_embeddings":64}`))
	if err != nil {
		t.Fatal(err)
	}
	base, err := artifacts.PutManifest(t.Context(), w.Store, artifacts.Manifest{
		Kind: artifacts.KindModel, Producer: w.Producer, Outputs: []artifacts.Output{{Name: "config.json", Descriptor: config}},
	})
	if err != nil {
		t.Fatal(err)
	}
	in.Base = base.Digest
	_, err = w.env.ExecuteActivity(do.OpenRun, in)
	final(t, err, activities.ErrTypeBadInput, "teacher.max_tokens 65: expected at most the model's positions, 64")
	if names, err := w.Store.Names(t.Context(), ""); err != nil || len(names) != 0 {
		t.Errorf("names %v, %v: want none of a run that is refused", names, err)
	}
	in.Asked[0].MaxTokens = 64
	if _, err := w.env.ExecuteActivity(do.OpenRun, in); err != nil {
		t.Error(err)
	}
}

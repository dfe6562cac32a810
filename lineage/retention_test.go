package lineage_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/artifacts/signature"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/retention"
)

const day = 24 * time.Hour

// later sets a store's clock.
func later(store *mem.Store, by time.Duration) {
	store.Now = func() time.Time { return time.Now().Add(by) }
}

// sign signs runs, all with one key.
func sign(t *testing.T, store artifacts.Store, runs ...string) signer {
	t.Helper()
	key := newSigner(t, 1)
	for _, run := range runs {
		if _, err := lineage.Sign(t.Context(), store, run, key.PrivateKey, func(string) {}); err != nil {
			t.Fatal(err)
		}
	}
	return key
}

// twoRuns is a store with a run of trainings by records, and one by rewards, that are signed and two days old.
func twoRuns(t *testing.T) *mem.Store {
	t.Helper()
	store := finished.copy(t)
	runSpecBy(t, store, "learn-1", learnSpec+"  method: gigpo\n  max_steps: 3\n  group: 2\n", &pupils{Plans: planned(t)}, "")
	sign(t, store, runID, "learn-1")
	later(store, 2*day)
	return store
}

func planOf(t *testing.T, store artifacts.Remover, rules retention.Rules) *retention.Plan {
	t.Helper()
	p, err := retention.Make(t.Context(), store, rules)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func do(t *testing.T, p *retention.Plan) *retention.Removed {
	t.Helper()
	res, err := p.Do(t.Context(), 0, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// content is all names and digests of a store.
func content(t *testing.T, store artifacts.Remover) []string {
	t.Helper()
	var all []string
	if err := store.Objects(t.Context(), func(o artifacts.Object) error { all = append(all, o.Name+string(o.Digest)); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// besides is the content of a store besides the notices, which have to be of these runs.
func besides(t *testing.T, store artifacts.Remover, runs ...string) []string {
	t.Helper()
	names, err := store.Names(t.Context(), retention.NoticePrefix)
	if err != nil {
		t.Fatal(err)
	}
	var of []string
	all := content(t, store)
	for _, name := range names {
		n, err := retention.ReadNotice(t.Context(), store, name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := store.Resolve(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, n.Run)
		all = slices.DeleteFunc(all, func(o string) bool { return o == name || o == string(d) })
	}
	slices.Sort(runs)
	if !slices.Equal(of, runs) {
		t.Errorf("notices of %v, want of %v", of, runs)
	}
	return all
}

// clean fails unless the whole audit finds nothing, and so many blobs that nothing names; -1 is any.
func clean(t *testing.T, store artifacts.Store, orphans int) {
	t.Helper()
	if res, err := auditor(store).All(t.Context()); err != nil || len(res.Findings) != 0 || orphans >= 0 && len(res.Orphans) != orphans {
		t.Errorf("got %+v and orphans %v, %v, want no finding and %d orphans", res.Findings, res.Orphans, err, orphans)
	}
}

// TestRetention: without rules what nothing names goes and nothing else; with a run that is dropped all that is its alone,
// and what it shared with another stays; a later run makes it anew, to the same digests.
func TestRetention(t *testing.T) {
	store := twoRuns(t)
	alone := finished.copy(t)
	sign(t, alone, runID)
	later(alone, 2*day)
	do(t, planOf(t, alone, retention.Rules{}))
	want := content(t, alone)
	before := content(t, store)

	p := planOf(t, store, retention.Rules{})
	if len(p.Names) != 0 || len(p.Kinds) != 1 || p.Kinds[0].Kind != retention.Unnamed || p.Blobs == 0 {
		t.Errorf("without rules: names %v and %+v go, want blobs alone that nothing names", p.Names, p.Kinds)
	}
	if got := content(t, store); !slices.Equal(got, before) {
		t.Error("a plan changes the store")
	}
	do(t, p)
	clean(t, store, 0)
	first, err := store.Resolve(t.Context(), activities.RunName("learn-1", "run"))
	if err != nil {
		t.Fatal(err)
	}

	p = planOf(t, store, retention.Rules{Drop: []string{"learn-1"}})
	kinds := map[artifacts.Kind]bool{}
	var bytes int64
	for _, s := range p.Kinds {
		kinds[s.Kind] = true
		bytes += s.Bytes
	}
	for _, k := range []artifacts.Kind{
		artifacts.KindPolicy, artifacts.KindUpdate, artifacts.KindRollouts, artifacts.KindCheckpoint, artifacts.KindModel, artifacts.KindRun, artifacts.KindRecord,
		retention.Signatures,
	} {
		if !kinds[k] {
			t.Errorf("no %s goes", k)
		}
	}
	if bytes != p.Bytes || bytes == 0 {
		t.Errorf("kinds have %d bytes, the plan %d", bytes, p.Bytes)
	}
	res := do(t, p)
	if res.Names != len(p.Names) || res.Blobs != p.Blobs || res.Spared != 0 {
		t.Errorf("removed %+v, want %d names and %d blobs", res, len(p.Names), p.Blobs)
	}
	clean(t, store, 0)
	if got := besides(t, store, "learn-1"); !slices.Equal(got, want) {
		t.Errorf("%d objects are left, want the %d of the other run alone", len(got), len(want))
	}
	if p := planOf(t, store, retention.Rules{}); p.Blobs+len(p.Names) != 0 {
		t.Errorf("a second time %d blobs and names %v go, want none", p.Blobs, p.Names)
	}
	runSpecBy(t, store, "learn-1", learnSpec+"  method: gigpo\n  max_steps: 3\n  group: 2\n", &pupils{Plans: planned(t)}, "")
	if again, err := store.Resolve(t.Context(), activities.RunName("learn-1", "run")); err != nil || again != first {
		t.Errorf("made anew it is %s, %v, want %s", again, err, first)
	}
}

// TestRetentionSigned: a signature goes with what it is of, though it be young, and stays with what stays, though that be
// young alone.
func TestRetentionSigned(t *testing.T) {
	store := twoRuns(t)
	again := newSigner(t, 2) // who signs today
	for _, run := range []string{"learn-1", runID} {
		if _, err := lineage.Sign(t.Context(), store, run, again.PrivateKey, func(string) {}); err != nil {
			t.Fatal(err)
		}
	}
	do(t, planOf(t, store, retention.Rules{Drop: []string{"learn-1"}}))
	names, err := store.Names(t.Context(), signature.Prefix)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []signer{newSigner(t, 1), again} {
		res := key.audits(t, store)["all"]
		if len(res.Findings) != 0 || res.Signed != res.Manifests || 2*res.Signed != len(names) {
			t.Errorf("got %+v, %d signatures of %d manifests and %d names, want one of each by both keys", res.Findings, res.Signed, res.Manifests, len(names))
		}
	}

	young := finished.copy(t)
	later(young, 2*day)
	d, err := artifacts.PutManifest(t.Context(), young, artifacts.Manifest{Kind: artifacts.KindReport, Producer: artifacts.Producer{Name: "hone", Version: "test"}})
	if err == nil {
		err = young.Name(t.Context(), signature.Name(d.Digest, again.id), d.Digest) // whatever it says
	}
	if err != nil {
		t.Fatal(err)
	}
	if p := planOf(t, young, retention.Rules{}); len(p.Names) != 0 {
		t.Errorf("%v go, want the signature to stay with what is young", p.Names)
	}
	later(young, 4*day)
	if p := planOf(t, young, retention.Rules{}); len(p.Names) != 1 {
		t.Errorf("%v go, want the signature with what it is of", p.Names)
	}
}

// watched calls after after each single removal.
type watched struct {
	*mem.Store
	after func() error
}

func (w watched) RemoveName(ctx context.Context, name string) error {
	if err := w.Store.RemoveName(ctx, name); err != nil {
		return err
	}
	return w.after()
}

func (w watched) RemoveBlob(ctx context.Context, d artifacts.Digest, since time.Time) (bool, error) {
	if gone, err := w.Store.RemoveBlob(ctx, d, since); !gone || err != nil {
		return gone, err
	}
	return true, w.after()
}

// TestRetentionKilled: after each single removal the store is without fault, and the rest goes the next time.
func TestRetentionKilled(t *testing.T) {
	store := twoRuns(t)
	n := 0
	p := planOf(t, watched{store, func() error {
		n++
		a := auditor(store)
		a.Bytes = n%16 != 0 // the whole audit takes five times as long
		res, err := a.All(t.Context())
		if err != nil || len(res.Findings) != 0 {
			t.Fatalf("after removal %d: %+v, %v, want no finding", n, res.Findings, err)
		}
		return nil
	}}, retention.Rules{Drop: []string{runID, "learn-1"}})
	do(t, p)
	total := len(p.Names) + p.Blobs
	if n != total || n < 250 {
		t.Errorf("%d removals, want %d, and more than 250", n, total)
	}
	if left := besides(t, store, runID, "learn-1"); len(left) != 0 {
		t.Errorf("%d objects are left, want none: %v", len(left), left)
	}
	killed := errors.New("killed")
	for at := 1; at < total; at += total / 7 {
		store, n := twoRuns(t), 0
		p := planOf(t, watched{store, func() error {
			if n++; n == at {
				return killed
			}
			return nil
		}}, retention.Rules{Drop: []string{runID, "learn-1"}})
		if _, err := p.Do(t.Context(), 0, func(string) {}); !errors.Is(err, killed) {
			t.Fatalf("got %v, want %v", err, killed)
		}
		do(t, planOf(t, store, retention.Rules{Drop: []string{runID, "learn-1"}})) // the same again, whichever has gone
		if left := besides(t, store, runID, "learn-1"); len(left) != 0 {
			t.Errorf("killed at %d: %d objects are left in the end, want none: %v", at, len(left), left)
		}
	}
}

// TestRetentionUnfinished: of a run that is not finished nothing goes, whatever its stages have named, nor anything that
// was stored since it began, until it is dropped.
func TestRetentionUnfinished(t *testing.T) {
	store := twoRuns(t)
	names, err := store.Names(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	// As it is before the training has ended: the run and its record are yet to come.
	key := forging(t, store, "student").key // of the only updates
	for _, name := range names {
		if name == "runs/learn-1/run" || name == "runs/learn-1/grpo" || name == "stages/"+key || strings.HasPrefix(name, "records/learn-1/") && strings.HasSuffix(name, "/grpo") {
			store.LoseName(name)
		}
	}
	orphan, err := artifacts.PutBytes(t.Context(), store, "", []byte("a chunk that the workflow knows of"))
	if err != nil {
		t.Fatal(err)
	}
	later(store, 40*day)
	rules := retention.Rules{Drop: []string{runID}, Keep: []string{"learn-1"}} // to be kept it is no less unfinished
	p := planOf(t, store, rules)
	for _, name := range p.Names {
		if strings.Contains(name, key) || strings.HasPrefix(name, "runs/learn-1") {
			t.Errorf("%s goes, which the run that is not finished needs", name)
		}
	}
	if len(p.Names) == 0 {
		t.Error("nothing of the dropped run goes")
	}
	do(t, p)
	if _, err := artifacts.ReadAll(t.Context(), store, orphan.Digest, 100); err != nil {
		t.Errorf("what was stored since the run began: %v", err)
	}
	// All that nothing names was stored since: only names have gone.
	if p.Blobs != 0 {
		t.Errorf("%d blobs go, want none", p.Blobs)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "records/learn-1/") { // the test's workflows all have one id
			store.LoseName(name)
		}
	}
	runSpecBy(t, store, "learn-1", learnSpec+"  method: gigpo\n  max_steps: 3\n  group: 2\n", &pupils{Plans: planned(t)}, "")
	later(store, 42*day)
	if _, err := retention.Make(t.Context(), store, retention.Rules{Drop: []string{"learn-1"}}); err != nil {
		t.Error(err)
	}
	store.LoseName("runs/learn-1/run")
	if _, err := retention.Make(t.Context(), store, retention.Rules{Grace: time.Minute}); !errors.Is(err, retention.ErrRules) {
		t.Errorf("a short grace beside a run that is not finished: %v, want %v", err, retention.ErrRules)
	}
	do(t, planOf(t, store, retention.Rules{Drop: []string{"learn-1"}}))
	if left := besides(t, store, runID, "learn-1"); len(left) != 0 {
		t.Errorf("dropped, %d objects are left, want none: %v", len(left), left)
	}
}

// TestRetentionBeside: a run that comes to a stage before its name goes, and names it afterwards, has it, with its names.
func TestRetentionBeside(t *testing.T) {
	store := twoRuns(t)
	grpo, err := store.Resolve(t.Context(), "runs/learn-1/grpo")
	if err != nil {
		t.Fatal(err)
	}
	key := artifacts.Digest("sha256:" + forging(t, store, "student").key)
	p := planOf(t, store, retention.Rules{Drop: []string{"learn-1"}})
	last := p.Names[len(p.Names)-1]
	if _, err := p.Do(t.Context(), 0, func(what string) {
		if what != last {
			return
		}
		// What Begin had found, Finish names now.
		r := activities.Finished{Run: "other", RunID: "one", Name: "grpo", Key: key, Digest: grpo, Reused: true}
		f := &forger{Store: store}
		for _, name := range []string{activities.StageName(key), activities.RunName(r.Run, r.Name)} {
			if err := f.Name(t.Context(), name, grpo); err != nil {
				t.Error(err)
			}
		}
		f.record(t, r)
	}); err != nil {
		t.Fatal(err)
	}
	clean(t, store, 0)
	if res, err := auditor(store).Run(t.Context(), "other"); err != nil || len(res.Findings) != 0 || res.Replays != 24 {
		t.Errorf("the run beside: %+v, %v, want its 24 episodes and no finding", res, err)
	}
}

// TestRetentionGrace: what is on its way stays, and what is stored again counts as new.
func TestRetentionGrace(t *testing.T) {
	store := finished.copy(t)
	if p := planOf(t, store, retention.Rules{Drop: []string{runID}}); len(p.Names)+p.Blobs != 0 || p.Runs[0].State != retention.Young {
		t.Errorf("at once: %+v, want nothing to go", p)
	}
	later(store, 2*day)
	p := planOf(t, store, retention.Rules{})
	if p.Blobs != 2 {
		t.Fatalf("%d blobs go, want the 2 chunks", p.Blobs)
	}
	var chunk artifacts.Digest
	err := store.Blobs(t.Context(), func(d artifacts.Digest, size int64) error {
		if res, err := auditor(store).All(t.Context()); err == nil && slices.Contains(res.Orphans, string(d)) && chunk == "" {
			chunk = d
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := artifacts.ReadAll(t.Context(), store, chunk, 1<<20)
	if err == nil {
		_, err = artifacts.PutBytes(t.Context(), store, "", raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	if res := do(t, p); res.Blobs != 1 || res.Spared != 1 {
		t.Errorf("removed %+v, want one spared that was stored again after the plan", res)
	}
	store.ChangeName("runs/"+runID+"/hints", func(b []byte) []byte { b[3]++; return b })
	if _, err := retention.Make(t.Context(), store, retention.Rules{}); !errors.Is(err, artifacts.ErrCorrupt) {
		t.Errorf("a damaged name: %v, want ErrCorrupt", err)
	}
}

// TestRetentionRules: which runs go.
func TestRetentionRules(t *testing.T) {
	store := mem.New()
	start := time.Now()
	for i, id := range []string{"a-1", "a-2", "b-1", "a-3", "c-x-1"} { // each a day after the one before
		store.Now = func() time.Time { return start.Add(time.Duration(i) * day) }
		for _, stage := range []string{"spec", "run"} {
			if id == "c-x-1" && stage == "run" {
				continue
			}
			d, err := artifacts.PutManifest(t.Context(), store, artifacts.Manifest{Kind: artifacts.KindRun, Producer: artifacts.Producer{Name: "hone", Version: "test"}})
			if err == nil {
				err = store.Name(t.Context(), activities.RunName(id, stage), d.Digest)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	store.Now = func() time.Time { return start.Add(6 * day) }
	for name, tt := range map[string]struct {
		rules retention.Rules
		goes  []string
	}{
		"none":       {retention.Rules{}, nil},
		"keep":       {retention.Rules{Keep: []string{"a-1"}}, []string{"a-2", "a-3", "b-1"}},
		"last":       {retention.Rules{Last: 1}, []string{"a-1", "a-2"}},
		"last 2":     {retention.Rules{Last: 2}, []string{"a-1"}},
		"within":     {retention.Rules{Within: 4 * day}, []string{"a-1", "a-2"}},
		"both":       {retention.Rules{Last: 1, Keep: []string{"a-1"}}, []string{"a-2"}},
		"drop":       {retention.Rules{Drop: []string{"b-1", "c-x-1"}}, []string{"b-1", "c-x-1"}},
		"drop more":  {retention.Rules{Last: 1, Drop: []string{"b-1"}}, []string{"a-1", "a-2", "b-1"}},
		"long grace": {retention.Rules{Last: 1, Grace: 11 * day / 2}, []string{"a-1"}},
	} {
		got := map[string]bool{}
		for _, r := range planOf(t, store, tt.rules).Runs {
			if r.State == retention.Goes {
				got[r.ID] = true
			}
		}
		if all := slices.Sorted(maps.Keys(got)); !slices.Equal(all, tt.goes) {
			t.Errorf("%s: %v go, want %v", name, all, tt.goes)
		}
	}
	for want, rules := range map[string]retention.Rules{
		`"a-9": no such run`:   {Keep: []string{"a-9"}},
		`"b-9": no such run`:   {Drop: []string{"b-9"}},
		"expected one of both": {Keep: []string{"a-1"}, Drop: []string{"a-1"}},
		"keep the last -1":     {Last: -1},
		"keep within -1h0m0s":  {Within: -time.Hour},
		"grace -1h0m0s":        {Grace: -time.Hour},
	} {
		if _, err := retention.Make(t.Context(), store, rules); !errors.Is(err, retention.ErrRules) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestRetentionNotice: a run that has gone is told as removed, by whatever asks for it; anew it is a run like another, and
// removed again it has a new notice. A run without its spec is not taken for one that is going.
func TestRetentionNotice(t *testing.T) {
	store := finished.copy(t)
	spec, err := store.Resolve(t.Context(), activities.RunName(runID, "spec"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := store.Resolve(t.Context(), activities.RunName(runID, "run"))
	if err != nil {
		t.Fatal(err)
	}
	var stages []string
	names, err := store.Names(t.Context(), activities.RunName(runID, ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name != activities.RunName(runID, "spec") && name != activities.RunName(runID, "run") {
			stages = append(stages, strings.TrimPrefix(name, activities.RunName(runID, "")))
		}
	}
	if err := retention.Gone(t.Context(), store, runID); err != nil {
		t.Errorf("a run that is there: %v", err)
	}
	removed := func(at time.Time) {
		t.Helper()
		store.Now = func() time.Time { return at }
		do(t, planOf(t, store, retention.Rules{Drop: []string{runID}}))
		n, err := retention.ReadNotice(t.Context(), store, retention.NoticeName(runID))
		if err != nil || n.Run != runID || n.Spec != spec || n.Result != result || !n.Removed.Equal(at) {
			t.Errorf("got %+v, %v, want spec %s, result %s, removed %s", n, err, spec, result, at)
		}
		if !slices.Equal(n.Stages, stages) || len(stages) < 5 {
			t.Errorf("stages %v, want %v", n.Stages, stages)
		}
		want := "run " + runID + " was removed by hone gc on " + at.UTC().Format(time.DateTime) + "; hone run with its spec makes it anew"
		_, found := lineage.Find(t.Context(), store, runID)
		_, part := lineage.Find(t.Context(), store, runID+"/hints")
		_, audited := auditor(store).Run(t.Context(), runID)
		for what, err := range map[string]error{"find": found, "find a stage": part, "audit": audited} {
			if !errors.Is(err, retention.ErrRemoved) || err.Error() != want {
				t.Errorf("%s: got %v, want %s", what, err, want)
			}
		}
		if _, err := retention.Make(t.Context(), store, retention.Rules{Keep: []string{runID}}); !errors.Is(err, retention.ErrRules) || !errors.Is(err, retention.ErrRemoved) {
			t.Errorf("keep it: %v, want that it was removed", err)
		}
	}
	start := time.Now()
	removed(start.Add(2 * day))
	store.Now = func() time.Time { return start.Add(3 * day) }
	runSpec(t, store, runID, smallSpec)
	if _, err := lineage.Find(t.Context(), store, runID); err != nil {
		t.Errorf("made anew: %v", err)
	}
	for _, r := range planOf(t, store, retention.Rules{}).Runs {
		if r.State != retention.Kept {
			t.Errorf("made anew: %+v, want it kept", r)
		}
	}
	removed(start.Add(5 * day))
	clean(t, store, 1) // the first notice
	store.Now = func() time.Time { return start.Add(7 * day) }
	do(t, planOf(t, store, retention.Rules{}))
	clean(t, store, 0)

	lost := finished.copy(t)
	lost.LoseName(activities.RunName(runID, "spec"))
	later(lost, 2*day)
	if p := planOf(t, lost, retention.Rules{}); len(p.Names) != 0 {
		t.Errorf("of a run without its spec %v go, want nothing", p.Names)
	}
	forged := finished.copy(t)
	d, err := artifacts.PutBytes(t.Context(), forged, "", []byte(`{"run":"other-1"}`))
	if err == nil {
		err = forged.Name(t.Context(), retention.NoticeName(runID), d.Digest)
	}
	if err != nil {
		t.Fatal(err)
	}
	res, err := auditor(forged).All(t.Context())
	if err != nil || len(res.Findings) != 1 || !strings.Contains(res.Findings[0].Problem, "it is the notice of removals/other-1") {
		t.Errorf("got %+v, %v, want the notice found", res.Findings, err)
	}
}

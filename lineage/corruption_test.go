package lineage_test

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/games"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/lineage/retention"
)

// everything is a store with artifacts of every kind, and names of every kind: a run of trainings by records, one by
// rewards with a library that changes, a bank of skills with the library that began with it, the goals of a shop, a model
// that was pulled, and signatures of both runs.
func everything(t *testing.T) *mem.Store {
	t.Helper()
	store, ctx := mem.New(), t.Context()
	runSpecBy(t, store, "small-run", smallSpec, &gputest.Runner{}, "")
	runSpecBy(t, store, "learn-run", learnSpec+"  method: retroagent\n  max_steps: 3\n  group: 2\n", &pupils{Plans: planned(t)}, outside.MiniLM(t))
	begin(t, store, nil)
	catalogue, goals, err := games.New(games.Config{Store: store}).Shop(ctx, activities.ShopGames{Products: 30, Train: 4, Validation: 2})
	if err != nil {
		t.Fatal(err)
	}
	list, err := activities.StoreGames(ctx, store, goals, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	list.Producer, list.Inputs = lineagetest.Producer, []artifacts.Input{{Role: activities.CatalogueRole, Digest: catalogue}}
	d, err := artifacts.PutManifest(ctx, store, *list)
	if err == nil {
		err = store.Name(ctx, activities.ListName(d.Digest), d.Digest)
	}
	if err != nil {
		t.Fatal(err)
	}
	model := lineagetest.Store(t, store, artifacts.KindModel, nil, map[string][]byte{"config.json": []byte("{}"), "empty.txt": nil})
	if err := store.Name(ctx, activities.ModelName(model), model); err != nil {
		t.Fatal(err)
	}
	if err := activities.RecordSource(ctx, store, activities.Source{
		Model: model, Kind: activities.SourcePull, Endpoint: "https://hub.example", Repository: "lab/tiny", Commit: strings.Repeat("0c", 20),
	}); err != nil {
		t.Fatal(err)
	}
	notice, err := artifacts.PutBytes(ctx, store, "", []byte(`{"run":"gone-1","removed":"2026-01-01T00:00:00Z","stages":["games"]}`))
	if err == nil {
		err = store.Name(ctx, retention.NoticeName("gone-1"), notice.Digest)
	}
	if err != nil {
		t.Fatal(err)
	}
	sign(t, store, "small-run", "learn-run")
	return store
}

// nameKinds are the first components of all kinds of names: those of docs/artifacts.md.
var nameKinds = []string{
	"banks", "catalogues", "checkpoints", "episodes", "games", "models", "pulls", "records", "removals", "runs", "signatures", "stages", "states",
	"updates", "weights",
}

// fileKinds are the files that artifacts have, by kind and the last part of their names. Of models and adapters the rest is
// alike.
var fileKinds = []string{
	"adapter adapter_config.json", "adapter adapter_model.safetensors", "bank bank.jsonl", "catalogue items_shuffle.json", "checkpoint sft.json",
	"checkpoint state.json", "dataset hints.jsonl", "dataset hints.jsonl.excluded_games.jsonl", "dataset hints.jsonl.manifest.json",
	"games game.tw-pddl", "games games.jsonl", "games goal.json", "model config.json", "model model.safetensors", "model tokenizer.json",
	"policy steps.jsonl", "policy validations.jsonl", "report report.json", "report report.md", "rollouts episodes.jsonl", "skills born.npy",
	"skills changes.jsonl", "skills skills.jsonl", "skills vectors.npy", "trajectories trajectories.jsonl", "update best.json",
	"update episodes.jsonl", "update update.json",
}

// stored is an object in a store, by what a finding calls it.
type stored struct {
	kind   string // of the artifact, of its file, of a name, or of what is no manifest
	what   string // digest or name
	change func(func([]byte) []byte) (restore func())
}

// objects lists all blobs and names of a store, and fails where one kind of them is missing. A file of two kinds of
// artifacts is there twice.
func objects(t *testing.T, store *mem.Store) (all []stored) {
	t.Helper()
	ctx, found := t.Context(), map[string]bool{}
	add := func(kind, what string, change func(func([]byte) []byte) func()) {
		found[kind] = true
		all = append(all, stored{kind, what, change})
	}
	names, err := store.Names(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[artifacts.Digest][]string{} // of blobs
	for _, name := range names {
		first, _, _ := strings.Cut(name, "/")
		add("name "+first, name, func(change func([]byte) []byte) func() { return store.ChangeName(name, change) })
		d, err := store.Resolve(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		if of := plainKinds[first]; of != "" && !slices.Contains(kinds[d], of) {
			kinds[d] = append(kinds[d], of)
		}
	}
	err = store.Blobs(ctx, func(d artifacts.Digest, _ int64) error {
		m, err := artifacts.GetManifest(ctx, store, d)
		if err != nil {
			return nil //nolint:nilerr // it is no manifest
		}
		kinds[d] = append(kinds[d], string(m.Kind))
		for _, out := range m.Outputs {
			of := string(m.Kind) + " " + path.Base(out.Name)
			if !slices.Contains(fileKinds, of) {
				of = "file"
			}
			if !slices.Contains(kinds[out.Digest], of) {
				kinds[out.Digest] = append(kinds[out.Digest], of)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Blobs(ctx, func(d artifacts.Digest, _ int64) error {
		if len(kinds[d]) == 0 {
			kinds[d] = []string{"of no name"}
		}
		for _, kind := range kinds[d] {
			add(kind, string(d), func(change func([]byte) []byte) func() { return store.ChangeBlob(d, change) })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(fileKinds, []string{"file", "of no name", "episode", "signature", "notice"})
	for _, k := range artifacts.Kinds() {
		want = append(want, string(k))
	}
	for _, k := range nameKinds {
		want = append(want, "name "+k)
	}
	for _, k := range want {
		if !found[k] {
			t.Errorf("there is no %s in the store", k)
		}
		delete(found, k)
	}
	if len(found) > 0 {
		t.Errorf("kinds %v: expected %v alone", found, want)
	}
	return all
}

// plainKinds are the kinds of what is no manifest, by the first component of its names.
var plainKinds = map[string]string{
	"records": string(artifacts.KindRecord), "episodes": "episode", "signatures": "signature", "removals": "notice",
}

// corruption draws a way of a single byte of b to go wrong, and a place. It always changes something.
func corruption(rng *rand.Rand, b []byte) (what string, change func([]byte) []byte) {
	way := rng.IntN(4)
	if len(b) == 0 {
		way = 3
	}
	at, with := rng.IntN(max(1, len(b))), byte(rng.IntN(256))
	switch way {
	case 0:
		bit := byte(1) << rng.IntN(8)
		return fmt.Sprintf("byte %d, bits %08b flipped", at, bit), func(b []byte) []byte { b[at] ^= bit; return b }
	case 1:
		return fmt.Sprintf("byte %d, %#x in place", at, b[at]+(with|1)), func(b []byte) []byte { b[at] += with | 1; return b }
	case 2:
		return fmt.Sprintf("byte %d deleted", at), func(b []byte) []byte { return slices.Delete(b, at, at+1) }
	default:
		at = rng.IntN(len(b) + 1)
		return fmt.Sprintf("%#x inserted before byte %d", with, at), func(b []byte) []byte { return slices.Insert(b, at, with) }
	}
}

// TestAuditFindsEveryCorruption: a thousand single bytes, of objects of every kind in turn, that are flipped, replaced,
// deleted or inserted, are each found, and the object is named. The audit of bytes alone has to do it, which takes a
// fifth of the time; of some the whole audit is held against it, which finds that and perhaps more.
func TestAuditFindsEveryCorruption(t *testing.T) {
	const count, whole = 1000, 50
	store := everything(t)
	byKind := map[string][]stored{}
	var kinds []string
	for _, o := range objects(t, store) {
		if byKind[o.kind] == nil {
			kinds = append(kinds, o.kind)
		}
		byKind[o.kind] = append(byKind[o.kind], o)
	}
	slices.Sort(kinds)
	a := auditor(store)
	a.Bytes = true
	res, err := auditor(store).All(t.Context())
	if err != nil || len(res.Findings) != 0 {
		t.Fatalf("before: %+v, %v, want a store without fault", res.Findings, err)
	}
	rng := rand.New(rand.NewPCG(20261201, 0))
	for i := range count {
		of := byKind[kinds[i%len(kinds)]]
		o := of[rng.IntN(len(of))]
		var how string
		restore := o.change(func(b []byte) []byte {
			var change func([]byte) []byte
			how, change = corruption(rng, b)
			return change(b)
		})
		res, err := a.All(t.Context())
		if err != nil || !slices.ContainsFunc(res.Findings, func(f lineage.Finding) bool { return strings.Contains(f.Where, o.what) }) {
			t.Errorf("%s %s, %s: got %+v, %v, want it named", o.kind, o.what, how, res.Findings, err)
		}
		if i%whole == 0 {
			more, err := auditor(store).All(t.Context())
			for _, f := range res.Findings {
				if err != nil || !slices.Contains(more.Findings, f) {
					t.Errorf("%s %s, %s: the whole audit has %+v, %v, want %+v among it", o.kind, o.what, how, more.Findings, err, f)
				}
			}
		}
		restore()
	}
	if res, err := a.All(t.Context()); err != nil || len(res.Findings) != 0 {
		t.Errorf("after: %+v, %v, want a store without fault", res.Findings, err)
	}
}

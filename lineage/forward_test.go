package lineage_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
)

// follow reads what was made from an artifact.
func follow(t *testing.T, store artifacts.Store, d artifacts.Digest) *lineage.Graph {
	t.Helper()
	g, err := lineage.Follow(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// lettered is text with letters in place of digests in the order of their first coming.
func lettered(text string) (string, int) {
	letters := map[string]string{}
	got := digits.ReplaceAllStringFunc(text, func(d string) string {
		if letters[d] == "" {
			letters[d] = string(rune('A' + len(letters)))
		}
		return letters[d]
	})
	return figures.ReplaceAllStringFunc(got, func(f string) string { return strings.Map(hidden, f) }), len(letters)
}

// TestFollowText: what a whole run made from its games.
func TestFollowText(t *testing.T) {
	store, _ := finished.get(t)
	games, err := store.Resolve(t.Context(), activities.RunName(runID, "games"))
	if err != nil {
		t.Fatal(err)
	}
	g := follow(t, store, games)
	got, drawn := lettered(g.Text())
	const golden = "testdata/forward.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%swant\n%s(rewrite it with -update)", got, want)
	}
	if drawn != len(g.Nodes) {
		t.Errorf("%d artifacts drawn, want all %d", drawn, len(g.Nodes))
	}
}

// TestFollowIsTraceTurnedRound: an artifact is made from another if, and only if, tracing it comes there, for all that the
// names of a store lead to.
func TestFollowIsTraceTurnedRound(t *testing.T) {
	store, _ := finished.get(t)
	behind, want := map[artifacts.Digest]*lineage.Graph{}, map[artifacts.Digest]map[artifacts.Digest]bool{}
	for name, d := range names(t, store) {
		if strings.HasPrefix(name, "records/") {
			continue
		}
		g, err := lineage.Trace(t.Context(), store, d)
		if err != nil {
			t.Fatal(err)
		}
		behind[d] = g
		for from := range g.Nodes {
			if want[from] == nil {
				want[from] = map[artifacts.Digest]bool{}
			}
			want[from][d] = true
		}
	}
	uses := 0
	for from, made := range want {
		g := follow(t, store, from)
		if got := slices.Sorted(maps.Keys(g.Nodes)); !slices.Equal(got, slices.Sorted(maps.Keys(made))) {
			t.Errorf("made from %s: got %v, want %v", from.Short(), got, made)
		}
		for d, n := range g.Nodes {
			for _, u := range n.Uses {
				uses++
				if !slices.Contains(behind[u.Digest].Nodes[u.Digest].Inputs, artifacts.Input{Role: u.Role, Digest: d}) {
					t.Errorf("%s is said to be the %s of %s", d.Short(), u.Role, u.Digest.Short())
				}
			}
		}
	}
	if uses == 0 {
		t.Error("nothing was made from anything")
	}
}

// chain stores a model, updates one after the other from it, and for each second update a panel's episodes.
func chain(t *testing.T, store artifacts.Store, steps int) (model artifacts.Digest, updates, panels []artifacts.Digest) {
	t.Helper()
	model = lineagetest.Store(t, store, artifacts.KindModel, nil, map[string][]byte{"config.json": []byte("{}")})
	before := model
	for k := 1; k <= steps; k++ {
		before = lineagetest.Store(t, store, artifacts.KindUpdate, []artifacts.Input{{Role: "policy", Digest: before}, {Role: "start", Digest: model}},
			map[string][]byte{"update.json": fmt.Appendf(nil, "{\"step\":%d}", k)})
		updates = append(updates, before)
		if k%2 == 0 {
			panels = append(panels, lineagetest.Store(t, store, artifacts.KindRollouts, []artifacts.Input{{Role: "policy", Digest: before}}, nil))
		}
	}
	return model, updates, panels
}

// named gives artifacts names RUN/step-1, RUN/step-2 …
func named(t *testing.T, store artifacts.Store, run string, all ...artifacts.Digest) {
	t.Helper()
	for i, d := range all {
		if err := store.Name(t.Context(), activities.RunName(run, fmt.Sprintf("step-%d", i+1)), d); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFollowChain: of nine updates the first three and the last are drawn; of what was made from those between, three.
func TestFollowChain(t *testing.T) {
	store := mem.New()
	model, updates, panels := chain(t, store, 13)
	named(t, store, "demo", panels[len(panels)-1], updates[len(updates)-1])
	for _, d := range panels[:len(panels)-1] {
		if err := store.Name(t.Context(), "stages/"+d.Hex(), d); err != nil {
			t.Fatal(err)
		}
	}
	g := follow(t, store, model)
	if len(g.Nodes) != 1+13+6 || len(g.Nodes[model].Uses) != 14 {
		t.Fatalf("%d artifacts, %d of them made from the model, want 20 and 14 uses", len(g.Nodes), len(g.Nodes[model].Uses))
	}
	short := func(d artifacts.Digest) string { return d.Short() }
	p := []string{short(panels[1]), short(panels[2]), short(panels[3]), short(panels[4])}
	slices.Sort(p) // they have no names in runs, but for the last
	want := "model " + short(model) + `  imported from a folder
├─ policy: update ` + short(updates[0]) + `
│  └─ policy: update ` + short(updates[1]) + `
│     ├─ policy: rollouts ` + short(panels[0]) + `
│     └─ policy: update ` + short(updates[2]) + `
│        └─ policy: … 9 more of kind update, in --json, and what came of them
│           ├─ policy: update ` + short(updates[12]) + `  demo/step-2
│           ├─ policy: rollouts ` + p[0] + `
│           ├─ policy: rollouts ` + p[1] + `
│           ├─ policy: rollouts ` + p[2] + `
│           └─ policy: … 2 more of kind rollouts, in --json
└─ start: 13 of kind update (above)
`
	if got := g.Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestFollowBranches: where two trainings go on from an update, both are drawn.
func TestFollowBranches(t *testing.T) {
	store := mem.New()
	model, updates, _ := chain(t, store, 5)
	var ends []artifacts.Digest
	for _, step := range []string{"6", "7"} {
		ends = append(ends, lineagetest.Store(t, store, artifacts.KindUpdate, []artifacts.Input{{Role: "policy", Digest: updates[4]}},
			map[string][]byte{"update.json": []byte(step)}))
	}
	named(t, store, "demo", ends...)
	text := follow(t, store, model).Text()
	for _, d := range append(ends, updates[4]) {
		if !strings.Contains(text, "policy: update "+d.Short()) {
			t.Errorf("%s is not in\n%s", d.Short(), text)
		}
	}
}

// TestFollowUnread: what cannot be read is named, and the rest is there.
func TestFollowUnread(t *testing.T) {
	store := finished.copy(t)
	games, err := store.Resolve(t.Context(), activities.RunName(runID, "games"))
	if err != nil {
		t.Fatal(err)
	}
	whole := follow(t, store, games)
	run, err := store.Resolve(t.Context(), activities.RunName(runID, "run"))
	if err != nil {
		t.Fatal(err)
	}
	undo := store.LoseBlob(run)
	g := follow(t, store, games)
	if len(g.Nodes) != len(whole.Nodes)-1 || len(g.Unread) != 1 || !strings.Contains(g.Text(), "could not be read: manifest "+string(run)+" (runs/") {
		t.Errorf("without the run: %d artifacts, %+v, want %d and it named", len(g.Nodes), g.Unread, len(whole.Nodes)-1)
	}
	undo()
	store.FlipName(activities.RunName(runID, "hints"), 20)
	if g := follow(t, store, games); len(g.Nodes) != len(whole.Nodes) || len(g.Unread) != 1 || g.Unread[0].Where != "name "+activities.RunName(runID, "hints") {
		t.Errorf("with a broken name: %d artifacts, %+v, want %d and it named", len(g.Nodes), g.Unread, len(whole.Nodes))
	}
	if _, err := lineage.Follow(t.Context(), store, artifacts.Of(nil)); err == nil || !strings.Contains(err.Error(), string(artifacts.Of(nil))) {
		t.Errorf("of nothing: got %v, want it named", err)
	}
}

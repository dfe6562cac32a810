package activities_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/envtest"
	"github.com/hone-rl/hone/hints"
)

// edited is a game with parts of its file replaced, everywhere.
func edited(t *testing.T, g activities.GameFile, part string, oldnew ...string) activities.GameFile {
	t.Helper()
	var file map[string]any
	if err := json.Unmarshal(g.Data, &file); err != nil {
		t.Fatal(err)
	}
	text := file[part].(string)
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(text, oldnew[i]) {
			t.Fatalf("%q is not in the %s of %s", oldnew[i], part, g.ID)
		}
		text = strings.ReplaceAll(text, oldnew[i], oldnew[i+1])
	}
	file[part] = text
	var err error
	if g.Data, err = json.Marshal(file); err != nil {
		t.Fatal(err)
	}
	return g
}

// bomb is symbols that expand 2^60 times, to nothing.
func bomb() string {
	var b strings.Builder
	for i := range 60 {
		b.WriteString(`"bomb` + string(rune('A'+i/10)) + string(rune('0'+i%10)) + `": [{"rhs": "` +
			strings.Repeat("#bomb"+string(rune('A'+(i+1)/10))+string(rune('0'+(i+1)%10))+"#", 2) + `"}], `)
	}
	return b.String() + `"bombG0": [{"rhs": ""}], `
}

// TestHostileGamesAreExcluded: whatever a game does, it is excluded for the right reason and the others are played.
func TestHostileGamesAreExcluded(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	const walk = "You walk up to the {r.name}. #contents#"
	games := train(t)
	whole := w.hinted(t, activities.HintChunkInput{Games: w.list(t, games), HintParameters: params()}, 100)
	boom := []string{"\n  (:action GotoLocation", "\n  (:action Boom :parameters (?a ?b ?c ?d ?e ?f ?g - object) :precondition () :effect (isClean ?a))\n  (:action GotoLocation"}
	cases := []struct {
		kind   string
		reason string
		edit   func(g activities.GameFile) activities.GameFile
	}{
		{hints.ExcludedByBudget, "budget of 5000 objects", func(g activities.GameFile) activities.GameFile { return enlarged(t, g, 6000) }},
		{hints.ExcludedByBudget, "budget of 50000 operators", func(g activities.GameFile) activities.GameFile {
			g = edited(t, g, "grammar", "action GotoLocation {", "action Boom { template :: \"boom\"; feedback :: \"Boom.\"; }\naction GotoLocation {")
			return edited(t, g, "pddl_domain", boom...)
		}},
		{hints.ExcludedByBudget, "budget of 20000000 work", func(g activities.GameFile) activities.GameFile {
			return edited(t, g, "grammar", `"intro": [`, bomb()+`"intro": [`, "#room#", "#bombA0#")
		}},
		{hints.ExcludedByError, `symbol "room" expands through itself`, func(g activities.GameFile) activities.GameFile {
			return edited(t, g, "grammar", "The room has", "#room# has")
		}},
		{hints.ExcludedByError, "a text becomes longer than", func(g activities.GameFile) activities.GameFile {
			return edited(t, g, "grammar", walk, strings.Repeat("x", 300_000))
		}},
		{hints.ExcludedByError, "hint audit: digits_in_hint", func(g activities.GameFile) activities.GameFile {
			kind := strings.Split(strings.Split(g.ID, "/")[2], "-")[1]
			return edited(t, g, "pddl_problem", kind+"_bar_", kind+"7x_bar_")
		}},
		{hints.ExcludedByError, "bytes, expected at most 4194304", func(g activities.GameFile) activities.GameFile {
			return edited(t, g, "grammar", `"contents": [`, `"contents": [{"rhs": "`+strings.Repeat(`\u0001`, 250_000)+`"}, `)
		}},
		{hints.ExcludedNoPlan, "no plan", func(g activities.GameFile) activities.GameFile {
			return edited(t, g, "pddl_problem", "(:goal", "(:goal (and (not (= agent1 agent1)))) (:metric minimize (total-cost)) (:requirements")
		}},
	}
	if len(cases) >= len(games) {
		t.Fatalf("%d games, expected more than %d", len(games), len(cases))
	}
	for i, c := range cases {
		games[i] = c.edit(games[i])
	}
	got := w.hinted(t, activities.HintChunkInput{Games: w.list(t, games), HintParameters: params()}, 3)
	out := w.excluded(t, got.Digest)
	if len(out) != len(cases) {
		t.Errorf("excluded are %+v, want the first %d", out, len(cases))
	}
	want := w.file(t, whole.Digest, recordsFile)
	for i, c := range cases {
		if k := slices.IndexFunc(out, func(e hints.Excluded) bool { return e.Game == games[i].ID }); k < 0 ||
			out[k].Kind != c.kind || !strings.Contains(out[k].Reason, c.reason) || len(out[k].Reason) > 1000 {
			t.Errorf("game %d: want %s, %q, got %+v", i, c.kind, c.reason, out)
		}
		want = without(want, games[i].ID)
	}
	if string(w.file(t, got.Digest, recordsFile)) != string(want) {
		t.Error("the other games' records are not those of a dataset without hostile games")
	}
}

// TestClockStopsTheEngine: a game that would take for ever within its limits is stopped by the clock, and nothing of it goes
// on: no goroutine is left behind, and the grace is not used up.
func TestClockStopsTheEngine(t *testing.T) {
	w := newWorld(t, newStore(), nil)
	games := train(t)[:1]
	games[0] = edited(t, games[0], "grammar", `"intro": [`, bomb()+`"intro": [`, "#room#", "#bombA0#")
	in := activities.HintChunkInput{Games: w.list(t, games), To: 1, HintParameters: params()}
	in.Deadline, in.Limits = 50*time.Millisecond, env.Limits{Work: 1 << 50}
	before := runtime.NumGoroutine()
	res := must[activities.HintChunkResult](t, w, do.HintChunk, in)
	if after := envtest.Settle(before); after > before {
		t.Errorf("%d goroutines are left behind", after-before)
	}
	raw, err := artifacts.ReadAll(t.Context(), w.Store, res.Excluded.Digest, res.Excluded.Size)
	if err != nil || !strings.Contains(string(raw), `"kind":"clock"`) {
		t.Errorf("got %s, %v, want the game excluded by the clock", raw, err)
	}
}

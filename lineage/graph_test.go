package lineage_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
)

var update = flag.Bool("update", false, "rewrite testdata")

var (
	digits = regexp.MustCompile(`\b[0-9a-f]{12}\b`)
	// figures are those of learning and of the embedded games, which change with them.
	figures = regexp.MustCompile(`loss [0-9.]+|[0-9]+ records`)
)

// TestText: the tree of a whole run, with letters in place of digests in the order of their first coming.
func TestText(t *testing.T) {
	store, run := finished.get(t)
	g, err := lineage.Trace(t.Context(), store, run.Digest)
	if err != nil {
		t.Fatal(err)
	}
	got, drawn := lettered(g.Text())
	const golden = "testdata/run.txt"
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

// hidden is # for a digit or point.
func hidden(r rune) rune {
	if r == '.' || r >= '0' && r <= '9' {
		return '#'
	}
	return r
}

// TestSameRun: the same spec in another store gives the same digests, all of them.
func TestSameRun(t *testing.T) {
	store, run := finished.get(t)
	again, other := wholeRun(t)
	if other.Digest != run.Digest {
		t.Errorf("got run %s, want %s", other.Digest, run.Digest)
	}
	a, b := names(t, store), names(t, again)
	if len(a) != len(b) {
		t.Errorf("got %d names, want %d", len(b), len(a))
	}
	for name, d := range a {
		if b[name] != d && !strings.HasPrefix(name, "records/") {
			t.Errorf("%s: got %s, want %s", name, b[name], d)
		}
	}
}

// names are all of a store.
func names(t *testing.T, store artifacts.Store) map[string]artifacts.Digest {
	t.Helper()
	all, err := store.Names(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	digests := map[string]artifacts.Digest{}
	for _, name := range all {
		if digests[name], err = store.Resolve(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	return digests
}

// TestTraceNames: what is missing is named with the way to it.
func TestTraceNames(t *testing.T) {
	store, run := finished.get(t)
	panel, err := store.Resolve(t.Context(), activities.RunName(runID, "panels/unseen"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.LoseBlob(panel)()
	_, err = lineage.Trace(t.Context(), store, run.Digest)
	if err == nil || !strings.Contains(err.Error(), string(panel)) || !strings.Contains(err.Error(), "of run "+run.Digest.Short()) {
		t.Errorf("got %v, want %s and the way there from %s", err, panel, run.Digest.Short())
	}
}

func TestFind(t *testing.T) {
	store, run := finished.get(t)
	teacher, err := store.Resolve(t.Context(), activities.RunName(runID, "teacher"))
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]artifacts.Digest{
		runID:                     run.Digest,
		runID + "/teacher":        teacher,
		runID + "/run":            run.Digest,
		string(run.Digest):        run.Digest,
		run.Digest.Short():        run.Digest,
		run.Digest.Hex():          run.Digest,
		teacher.Hex()[:10]:        teacher,
		string(teacher)[:17]:      teacher,
		string(artifacts.Of(nil)): artifacts.Of(nil), // not looked for until it is read
	}
	for ref, want := range good {
		if got, err := lineage.Find(t.Context(), store, ref); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", ref, got, err, want)
		}
	}
}

// twins stores two blobs whose digests begin with the same six digits, found by counting up.
func twins(t *testing.T, store artifacts.Store) string {
	t.Helper()
	for _, text := range []string{"twin 4617", "twin 6619"} {
		if _, err := artifacts.PutBytes(t.Context(), store, "text/plain", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	a, b := artifacts.Of([]byte("twin 4617")).Hex(), artifacts.Of([]byte("twin 6619")).Hex()
	if a[:6] != b[:6] {
		t.Fatalf("%s and %s do not begin alike", a, b)
	}
	return a[:6]
}

func TestFindRefuses(t *testing.T) {
	store := finished.copy(t)
	if err := store.Name(t.Context(), "runs/half/hints", artifacts.Of(nil)); err != nil {
		t.Fatal(err)
	}
	for _, seed := range []string{"seed-1", "seed-2"} {
		if err := store.Name(t.Context(), "runs/several/teacher/"+seed, artifacts.Of(nil)); err != nil {
			t.Fatal(err)
		}
	}
	bad := map[string][]string{
		"nothing":          {`"nothing"`, "expected a run, RUN/STAGE, or a digest", "hone list"},
		runID + "/nothing": {`"small-run/nothing"`, "expected a run, RUN/STAGE"},
		"abcde":            {`"abcde"`, "first 6 digits"},
		"000000000000":     {`"000000000000"`, "no such run or artifact"},
		"sha256:abc":       {`"sha256:abc"`, "first 6 digits"},
		"sha256:ABCDEF12":  {"64 lower-case hexadecimal digits"},
		"several/teacher":  {"run several has several of teacher: name one of several/teacher/seed-1, several/teacher/seed-2"},
		"half":             {"run half is not finished", "half/hints"},
		twins(t, store):    {"begins 2 digests", "more digits"},
		"":                 {"expected a run"},
		"../etc":           {"expected a run"},
	}
	for ref, words := range bad {
		got, err := lineage.Find(t.Context(), store, ref)
		if err == nil {
			t.Errorf("%q: got %s, want an error", ref, got)
			continue
		}
		for _, word := range words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%q: got %v, want %q in it", ref, err, word)
			}
		}
	}
	if _, err := lineage.Find(t.Context(), mem.New(), runID); err == nil {
		t.Error("an empty store: no error")
	}
}

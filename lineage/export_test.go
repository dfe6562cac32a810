package lineage_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/version"
)

// recorded are a few artifacts of a run: games from outside, a dataset of them that another run made and this one used again, by a
// clock that was slow, a model of both without a record, and the run.
type recorded struct {
	store                      *mem.Store
	games, dataset, model, run artifacts.Digest
}

const workflowRun = "0190c2b4-5d3e-7a11-8c55-1d2f3a4b5c6d"

func newRecorded(t *testing.T) recorded {
	t.Helper()
	r := recorded{store: mem.New()}
	r.games = lineagetest.Store(t, r.store, artifacts.KindGames, nil, map[string][]byte{"games.jsonl": []byte("{}\n")})
	r.dataset = lineagetest.Store(t, r.store, artifacts.KindDataset, []artifacts.Input{{Role: "games", Digest: r.games}}, map[string][]byte{"train.jsonl": []byte("<&>\n")})
	r.model = lineagetest.Store(t, r.store, artifacts.KindModel,
		[]artifacts.Input{{Role: "dataset", Digest: r.dataset}, {Role: "games", Digest: r.games}, {Role: "panel", Digest: r.games}}, map[string][]byte{"config.json": []byte("{}")})
	r.run = lineagetest.Store(t, r.store, artifacts.KindRun, []artifacts.Input{{Role: "hints", Digest: r.dataset}, {Role: "teacher", Digest: r.model}}, nil)
	at := func(minute int) time.Time {
		return time.Date(2026, 3, 1, 12, minute, 0, 0, time.FixedZone("", 3600))
	}
	for _, f := range []activities.Finished{
		{Run: "later", Name: "hints", Digest: r.dataset, RunID: workflowRun, Workflow: "later", Reused: true, Started: at(9), Ended: at(10)},
		{Run: "first", Name: "hints", Digest: r.dataset, RunID: "no uuid", Workflow: "first/hints", Started: at(20), Ended: at(30)},
	} {
		raw, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		d, err := artifacts.PutBytes(t.Context(), r.store, "application/json", raw)
		if err == nil {
			err = r.store.Name(t.Context(), activities.RecordPrefix(f.Run)+strings.ReplaceAll(f.RunID, " ", "-")+"/"+f.Name, d.Digest)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := r.store.Name(t.Context(), activities.RunName("later", "run"), r.run); err != nil {
		t.Fatal(err)
	}
	return r
}

// exported is a graph in a format, compared with a file of testdata.
func exported(t *testing.T, export func() ([]byte, error), golden string) []byte {
	t.Helper()
	got, err := export()
	if err != nil {
		t.Fatal(err)
	}
	golden = filepath.Join("testdata", golden)
	got = bytes.ReplaceAll(got, []byte("/tree/v"+version.Hone), []byte("/tree/vVERSION"))
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%swant\n%s(rewrite it with -update)", got, want)
	}
	return got
}

// event is what the test looks at of one.
type event struct {
	EventTime string
	Run       struct{ RunID string }
	Job       struct{ Name string }
	Inputs    []struct{ Name string }
	Outputs   []struct{ Name string }
}

// TestOpenLineage: four events word for word, with times and ids that were worked out by hand: UUIDs of version 5 by Python's
// uuid.uuid5(uuid.NAMESPACE_URL, …).
func TestOpenLineage(t *testing.T) {
	r := newRecorded(t)
	g, err := lineage.Trace(t.Context(), r.store, r.run)
	if err != nil {
		t.Fatal(err)
	}
	raw := exported(t, func() ([]byte, error) { return g.OpenLineage(t.Context(), r.store) }, "openlineage.jsonl")
	want := []event{
		{EventTime: "1970-01-01T00:00:00Z"}, // nothing is known of its time
		{EventTime: "2026-03-01T11:30:00Z"}, // where the work was done, in UTC
		{EventTime: "2026-03-01T11:30:00Z"}, // no earlier than its dataset
		{EventTime: "2026-03-01T11:30:00Z"},
	}
	for i, line := range slices.Collect(strings.Lines(string(raw))) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		job := []string{"kind/games", "first/hints", "kind/model", "later"}[i]
		output := []string{"games/" + r.games.Hex(), "dataset/" + r.dataset.Hex(), "model/" + r.model.Hex(), "run/" + r.run.Hex()}[i]
		id := []string{uuidGames, uuidHints, uuidModel, workflowRun}[i]
		if e.EventTime != want[i].EventTime || e.Job.Name != job || e.Run.RunID != id || len(e.Outputs) != 1 || e.Outputs[0].Name != output {
			t.Errorf("line %d: got %+v, want %s of %s at %s making %s", i+1, e, id, job, want[i].EventTime, output)
		}
		if inputs := []int{0, 1, 2, 2}[i]; len(e.Inputs) != inputs {
			t.Errorf("line %d: %d inputs, want %d: games in two roles stand there once", i+1, len(e.Inputs), inputs)
		}
	}
}

const (
	uuidGames = "d7364fdd-b6de-5c9b-a7d7-b594091d8175"
	uuidHints = "7f77347b-f5e4-59d3-ab99-6c596ca5f08f"
	uuidModel = "1bd0be64-3553-56e8-9932-173c8c0e0647"
)

// schemas are OpenLineage's, as published.
func schemas(t *testing.T) *jsonschema.Compiler {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	dir := outside.Shared(t, "schemas", "openlineage")
	files, err := filepath.Glob(filepath.Join(dir, "facets", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no facets: %v", err)
	}
	for _, file := range append(files, filepath.Join(dir, "OpenLineage.json")) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(doc.(map[string]any)["$id"].(string), doc); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// facetSchemas are those of the facets that Hone fills in, each for an object of facets.
var facetSchemas = map[string]string{
	"processing_engine": "1-1-1/ProcessingEngineRunFacet.json", "parent": "1-2-0/ParentRunFacet.json", "jobType": "2-0-4/JobTypeJobFacet.json",
	"version": "1-0-1/DatasetVersionDatasetFacet.json", "datasetType": "1-0-1/DatasetTypeDatasetFacet.json",
	"outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet.json",
}

// conform checks events against the schemas, and each facet against its own, and counts the facets by name.
func conform(t *testing.T, c *jsonschema.Compiler, raw []byte) (problems []error, facets map[string]int) {
	t.Helper()
	compiled := func(url string) *jsonschema.Schema {
		s, err := c.Compile(url)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	core := compiled("https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent")
	facets = map[string]int{}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				look(e)
			}
		case map[string]any:
			for key, e := range v {
				if of, is := e.(map[string]any); is && strings.HasSuffix(strings.ToLower(key), "facets") {
					for name := range of {
						facets[name]++
						if file := facetSchemas[name]; file != "" {
							problems = append(problems, compiled("https://openlineage.io/spec/facets/"+file).Validate(of))
						}
					}
				}
				if key != "parameters" {
					look(e)
				}
			}
		}
	}
	for line := range strings.Lines(string(raw)) {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, core.Validate(v))
		look(v)
	}
	return slices.DeleteFunc(problems, func(err error) bool { return err == nil }), facets
}

// TestOpenLineageSchemas: the events of a whole run, backwards and forwards, and of a few artifacts pass the published schemas,
// and what is broken in them does not.
func TestOpenLineageSchemas(t *testing.T) {
	c := schemas(t)
	store, run := finished.get(t)
	games, err := store.Resolve(t.Context(), activities.RunName(runID, "games"))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := lineage.Trace(t.Context(), store, run.Digest)
	if err != nil {
		t.Fatal(err)
	}
	dataset, err := store.Resolve(t.Context(), activities.RunName(runID, "untrained"))
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*lineage.Graph{"whole": whole, "games": follow(t, store, games), "untrained": follow(t, store, dataset)} {
		raw, err := g.OpenLineage(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		problems, facets := conform(t, c, raw)
		for _, problem := range problems {
			t.Errorf("%s: %v", name, problem)
		}
		for facet := range facetSchemas {
			if facets[facet] == 0 {
				t.Errorf("%s: no facet %s in %d events", name, facet, len(g.Nodes))
			}
		}
		if n := bytes.Count(raw, []byte("\n")); n != len(g.Nodes) {
			t.Errorf("%s: %d events, want one for each of %d artifacts", name, n, len(g.Nodes))
		}
	}
	raw, err := whole.OpenLineage(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range [][2]string{
		{`"eventType":"COMPLETE"`, `"eventType":"DONE"`},
		{`"eventTime":"2026`, `"eventTime":"yesterday`},
		{`"runId":"`, `"runId":"x`},
		{`"job":`, `"jobs":`},
		{`"datasetVersion":"`, `"dataset":"`},
		{`"fileCount":`, `"fileCount":0.5e-`},
		{`"processingType":`, `"type":`},
		{`"_producer":`, `"producer":`},
	} {
		bad := bytes.ReplaceAll(raw, []byte(broken[0]), []byte(broken[1]))
		if problems, _ := conform(t, c, bad); len(problems) == 0 {
			t.Errorf("%s passes", broken[1])
		}
	}
}

// TestOpenLineageOrder: each event comes behind, and is no earlier than, those of its inputs.
func TestOpenLineageOrder(t *testing.T) {
	store, run := finished.get(t)
	g, err := lineage.Trace(t.Context(), store, run.Digest)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := g.OpenLineage(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		for _, in := range e.Inputs {
			if before, is := at[in.Name]; !is || before > e.EventTime {
				t.Errorf("%s at %s is made from %s at %q", e.Outputs[0].Name, e.EventTime, in.Name, before)
			}
		}
		at[e.Outputs[0].Name] = e.EventTime
	}
}

// TestStatements: Statements word for word, and all of a run's pass in-toto's own types; each says of every file and of the
// manifest what its digest is, and names its inputs.
func TestStatements(t *testing.T) {
	r := newRecorded(t)
	g, err := lineage.Trace(t.Context(), r.store, r.run)
	if err != nil {
		t.Fatal(err)
	}
	few := exported(t, func() ([]byte, error) { return g.Statements(t.Context(), r.store) }, "intoto.jsonl")
	if n := stated(t, g, few); n != 1 {
		t.Errorf("%d statements have times, want the dataset's alone", n)
	}
	store, run := finished.get(t)
	if g, err = lineage.Trace(t.Context(), store, run.Digest); err != nil {
		t.Fatal(err)
	}
	raw, err := g.Statements(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	if n := stated(t, g, raw); n != len(g.Nodes)-1 {
		t.Errorf("%d of %d statements have times, want all but the run's", n, len(g.Nodes))
	}
}

// stated compares statements with a graph, and counts those that have times.
func stated(t *testing.T, g *lineage.Graph, raw []byte) (timed int) {
	t.Helper()
	said := map[artifacts.Digest]bool{}
	for line := range strings.Lines(string(raw)) {
		var s intoto.Statement
		if err := protojson.Unmarshal([]byte(line), &s); err != nil { // refuses unknown fields
			t.Fatalf("%v in %s", err, line)
		}
		predicate, err := protojson.Marshal(s.GetPredicate())
		if err != nil {
			t.Fatal(err)
		}
		var p v1.Provenance
		if err := protojson.Unmarshal(predicate, &p); err != nil {
			t.Fatalf("%v in %s", err, predicate)
		}
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
		if err := p.Validate(); err != nil {
			t.Error(err)
		}
		if s.GetPredicateType() != "https://slsa.dev/provenance/v1" || s.GetSubject()[0].GetName() != lineage.ManifestSubject {
			t.Fatalf("got %s of %s", s.GetPredicateType(), s.GetSubject()[0].GetName())
		}
		d := artifacts.Digest("sha256:" + s.GetSubject()[0].GetDigest()["sha256"])
		n := g.Nodes[d]
		if n == nil || said[d] {
			t.Fatalf("%s is in no graph, or stated twice", d)
		}
		said[d] = true
		for i, out := range n.Outputs {
			if subject := s.GetSubject()[i+1]; subject.GetName() != out.Name || subject.GetDigest()["sha256"] != out.Digest.Hex() {
				t.Errorf("%s: got %v, want %s %s", d, subject, out.Name, out.Digest)
			}
		}
		for i, in := range n.Inputs {
			if dep := p.GetBuildDefinition().GetResolvedDependencies()[i]; dep.GetName() != in.Role || !said["sha256:"+artifacts.Digest(dep.GetDigest()["sha256"])] {
				t.Errorf("%s: got %v, want %s %s, stated before", d, dep, in.Role, in.Digest)
			}
		}
		if p.GetRunDetails().GetMetadata().GetFinishedOn() != nil {
			timed++
		}
	}
	if len(said) != len(g.Nodes) {
		t.Errorf("%d statements of %d artifacts", len(said), len(g.Nodes))
	}
	return timed
}

// TestStatementOfPulled: a model from a hub depends on the repository at its commit.
func TestStatementOfPulled(t *testing.T) {
	store := mem.New()
	model := lineagetest.Store(t, store, artifacts.KindModel, nil, map[string][]byte{"config.json": []byte("{}")})
	commit := strings.Repeat("0123456789", 4)
	err := activities.RecordSource(t.Context(), store, activities.Source{Model: model, Kind: activities.SourcePull, Endpoint: "https://hub", Repository: "a/b", Commit: commit})
	if err != nil {
		t.Fatal(err)
	}
	g, err := lineage.Trace(t.Context(), store, model)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := g.Statements(t.Context(), store)
	want := `"resolvedDependencies":[{"name":"source","uri":"https://hub/a/b@` + commit + `","digest":{"gitCommit":"` + commit + `"}}]`
	if err != nil || !strings.Contains(string(raw), want) {
		t.Errorf("%v: %s is not in %s", err, want, raw)
	}
	stated(t, g, raw)
}

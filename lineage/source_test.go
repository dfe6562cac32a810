package lineage_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
)

// TestSources: of a model that nothing here was made into, lineage says where it came from; one that was trained from it
// leads there.
func TestSources(t *testing.T) {
	commit := strings.Repeat("0c", 20)
	seed := uint64(7)
	pull := activities.Source{Kind: activities.SourcePull, Endpoint: "https://hub.example", Repository: "lab/tiny", Commit: commit, Licence: "mit"}
	made := activities.Source{Kind: activities.SourceNew, Seed: &seed}
	for name, c := range map[string]struct {
		sources []activities.Source
		want    string
	}{
		"pulled":          {[]activities.Source{pull}, "https://hub.example/lab/tiny at " + commit + ", licence mit"},
		"new":             {[]activities.Source{made}, made.String()},
		"imported":        {nil, "imported from a folder"},
		"pulled and made": {[]activities.Source{made, pull}, made.String() + "; https://hub.example/lab/tiny at " + commit + ", licence mit"},
	} {
		t.Run(name, func(t *testing.T) {
			store := mem.New()
			put := func(inputs ...artifacts.Input) artifacts.Digest {
				t.Helper()
				d, err := artifacts.PutManifest(t.Context(), store, artifacts.Manifest{
					Kind: artifacts.KindModel, Producer: artifacts.Producer{Name: "hone", Version: "test"}, Inputs: inputs,
				})
				if err != nil {
					t.Fatal(err)
				}
				return d.Digest
			}
			base := put()
			for _, s := range c.sources {
				s.Model = base
				if err := activities.RecordSource(t.Context(), store, s); err != nil {
					t.Fatal(err)
				}
			}
			tuned := put(artifacts.Input{Role: "model", Digest: base})
			g, err := lineage.Trace(t.Context(), store, tuned)
			if err != nil {
				t.Fatal(err)
			}
			want := "model " + tuned.Short() + "\n└─ model " + base.Short() + "  " + c.want + "\n"
			if got := g.Text(); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			raw, err := json.Marshal(g.Nodes[base])
			if err != nil || strings.Contains(string(raw), `"sources"`) != (c.sources != nil) {
				t.Errorf("got %s, %v", raw, err)
			}
		})
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
)

// trained is a store with a training of five steps, named as a run's.
func trained(t *testing.T) (*mem.Store, *lineagetest.Training, artifacts.Digest) {
	t.Helper()
	store := mem.New()
	made := lineagetest.StoreTraining(t, store, 5)
	outcome := made.Outcome(t, store)
	name(t, store, activities.RunName("skill1", "grpo"), outcome)
	return store, made, outcome
}

// TestLineagePicture: a training's picture, byte for byte; the whole graph in --json; forwards what was made from its model.
func TestLineagePicture(t *testing.T) {
	store, made, outcome := trained(t)
	file := filepath.Join(t.TempDir(), "grpo.svg")
	var err error
	asked := lineageAsked{format: "svg", file: file}
	out := output(t, func() { err = tellLineage(t.Context(), store, "skill1/grpo", asked) })
	if err != nil || out != file+": 13 artifacts\n" {
		t.Fatalf("got %q, %v", out, err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/lineage.svg"
	if *update {
		if err := os.WriteFile(golden, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(raw) != string(want) {
		t.Error("the picture is another: look at it and rewrite it with -update")
	}
	for _, want := range []string{
		`<rect class="box c6 strong" `, "policy " + string(outcome), // the root
		`<tspan class="head">… 1 more</tspan>`, // update 2, as in the text
		`<tspan class="head">model</tspan><tspan class="id" dx="8">` + made.Start.Short(),
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(string(raw), made.Updates[1].Short()) {
		t.Error("the update that the text leaves out is drawn")
	}

	asked = lineageAsked{format: "json", forward: true}
	var g lineage.Graph
	out = output(t, func() { err = tellLineage(t.Context(), store, string(made.Start), asked) })
	if err := json.Unmarshal([]byte(out), &g); err != nil || !g.Forward || len(g.Nodes) != 7 {
		t.Errorf("%v: %d artifacts forwards, want the model, five updates and the outcome", err, len(g.Nodes))
	}
	asked.format = "svg"
	if forward := output(t, func() { err = tellLineage(t.Context(), store, string(made.Start), asked) }); !strings.Contains(forward, ">and what was made from it: 7 artifacts<") {
		t.Errorf("forwards: got %s", forward)
	}
}

// TestLineageAsked: which format is meant, and what is refused before any server is asked.
func TestLineageAsked(t *testing.T) {
	for _, tt := range []struct {
		asked  lineageAsked
		asJSON bool
		want   string
		wrong  string
	}{
		{lineageAsked{}, false, "text", ""},
		{lineageAsked{}, true, "json", ""},
		{lineageAsked{file: "a.svg"}, false, "svg", ""},
		{lineageAsked{file: "a.svg", format: "text"}, false, "text", ""},
		{lineageAsked{file: "a.txt"}, false, "text", ""},
		{lineageAsked{format: "png"}, false, "", "--format png: expected one of text, json, svg, openlineage, intoto"},
		{lineageAsked{format: "svg"}, true, "", "--json and --format svg"},
	} {
		err := tt.asked.settle(tt.asJSON)
		if tt.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("%+v: got %v, want %s", tt.asked, err, tt.wrong)
			}
		} else if err != nil || tt.asked.format != tt.want {
			t.Errorf("got %+v, %v, want %s", tt.asked, err, tt.want)
		}
	}
}

package page_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/skills"
)

// hostiles would be markup, scripts, links or the end of what they stand in, if they were not text.
var hostiles = []string{
	`</script><script>alert("one")</script>`,
	`<img src=x onerror=alert(2)>`,
	`"><svg onload=alert(3)>`,
	`' onfocus='alert(4)' autofocus='`,
	`</style></title></textarea></pre></details><iframe srcdoc="<script>alert(5)</script>">`,
	`javascript:alert(6)`,
	`{{.Title}} {{template "run" .}}`,
	"<!-- ]]> --!> \u2028\u202e \x00 &lt;b&gt;",
	`<a href="https://example.com/">out</a><base href=//example.com>`,
}

// hostile is all of them, told apart by where they stand.
func hostile(where string) string { return where + ": " + strings.Join(hostiles, " ") }

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestHostileText: what games, policies, specs, libraries and records say is text on the page, in whatever place it stands.
func TestHostileText(t *testing.T) {
	store := mem.New()
	root := opened(t, store, hostileRun(t, store))
	whole := text(root)
	for _, where := range []string{
		"spec", "stage", "model", "panel", "family", "game", "hint", "observation", "admissible", "form", "command", "oracle", "why", "reason", "last",
		"excluded game", "excluded reason", "validation", "validation family", "task", "head", "strategy", "birth", "device", "skill", "fault", "phase", "note", "output", "role",
	} {
		if !strings.Contains(whole, where+": </script><script>alert(") { // JSON spells the quotes out
			t.Errorf("%s is not told", where)
		}
	}
}

// hostileRun stores a run all of whose texts are hostile.
func hostileRun(t *testing.T, store artifacts.Store) string {
	t.Helper()
	const run = "hostile"
	m := artifacts.Manifest{
		SchemaVersion: 1, MediaType: artifacts.MediaTypeManifest, Kind: artifacts.KindRun, Producer: lineagetest.Producer,
		Parameters: jsonOf(t, map[string]any{"name": hostile("spec"), "games": map[string]any{"household": map[string]int{"seed": 3, "train": 12, "valid_unseen": 6}}}),
	}
	spec, err := artifacts.PutManifest(t.Context(), store, m)
	if err != nil {
		t.Fatal(err)
	}
	lineagetest.Name(t, store, activities.RunName(run, "spec"), spec.Digest)
	evaluated(t, store, run)
	lineagetest.Name(t, store, activities.RunName(run, "hints"), excluding(t, store))
	rewardedBy(t, store, run)
	var stages []artifacts.Input
	for _, stage := range []string{"grpo", "hints", "report"} {
		d, err := store.Resolve(t.Context(), activities.RunName(run, stage))
		if err != nil {
			t.Fatal(err)
		}
		stages = append(stages, artifacts.Input{Role: stage, Digest: d})
	}
	lineagetest.Name(t, store, activities.RunName(run, "run"), lineagetest.Store(t, store, artifacts.KindRun, stages, nil))
	record := activities.Finished{Run: run, RunID: "one", Name: hostile("stage"), Work: []activities.Work{{Device: hostile("device")}}, Started: time.Unix(0, 0), Ended: time.Unix(9, 0)}
	d, err := artifacts.PutBytes(t.Context(), store, "application/json", jsonOf(t, record))
	if err != nil {
		t.Fatal(err)
	}
	lineagetest.Name(t, store, activities.RecordPrefix(run)+"one/stage", d.Digest)
	return run
}

// evaluated stores a report of one game.
func evaluated(t *testing.T, store artifacts.Store, run string) {
	t.Helper()
	played := agent.Trajectory{
		Game: hostile("game"), Family: hostile("family"), Hint: hostile("hint"), Outcome: agent.Outcome{Steps: 1, Reason: "error: " + hostile("reason")},
		Steps: []agent.Step{{
			Observation: "Your task is to: " + hostile("observation"), Admissible: []string{hostile("admissible"), hostile("command")},
			Forms: []env.Form{{Prefix: hostile("form")}}, Command: hostile("command"), Oracle: hostile("oracle"),
		}, {Observation: "Your task is to: wait", Command: "look", NoOracle: hostile("why")}},
		Last: &agent.State{Observation: hostile("last"), Score: .5},
	}
	line := append(jsonOf(t, played), '\n')
	trajectories := lineagetest.Store(t, store, artifacts.KindTrajectories, nil, map[string][]byte{"output: " + hostiles[0]: line})
	cell, err := agent.NewCell(agent.Row{Model: hostile("model"), WithHint: true, Trajectories: string(trajectories)}, agent.Trajectories(strings.NewReader(string(line))))
	if err != nil {
		t.Fatal(err)
	}
	panel, err := agent.NewPanel(hostile("panel"), cell)
	if err != nil {
		t.Fatal(err)
	}
	lineagetest.Name(t, store, activities.RunName(run, "report"), lineagetest.Store(t, store, artifacts.KindReport,
		[]artifacts.Input{{Role: "role: " + hostiles[0], Digest: trajectories}}, map[string][]byte{activities.ReportJSONFile: jsonOf(t, agent.Report{Panels: []agent.Panel{panel}})}))
}

// excluding stores a dataset that leaves a game out.
func excluding(t *testing.T, store artifacts.Store) artifacts.Digest {
	t.Helper()
	left := jsonOf(t, hints.Excluded{Game: hostile("excluded game"), Kind: hints.ExcludedByError, Reason: hostile("excluded reason")})
	return lineagetest.StoreSummed(t, store, artifacts.KindDataset, jsonOf(t, map[string]string{"records": hostile("note")}), nil,
		map[string][]byte{activities.DatasetName + hints.ExcludedSuffix: append(left, '\n')})
}

// rewardedBy stores a training of one step with a skill.
func rewardedBy(t *testing.T, store artifacts.Store, run string) {
	t.Helper()
	library, err := skills.New(skills.Rules{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	first := lineagetest.StoreLibrary(t, store, library, nil, "")
	birth := lineagetest.Birth("D", 1)
	birth.Task, birth.Head, birth.Strategy, birth.Episode = hostile("task"), hostile("head"), hostile("strategy"), hostile("birth")
	changes, err := library.Next([]skills.Episode{{Births: []skills.Birth{birth}}})
	if err != nil {
		t.Fatal(err)
	}
	if library, err = library.Apply(changes); err != nil {
		t.Fatal(err)
	}
	last := lineagetest.StoreLibrary(t, store, library, &changes, first)
	played := rollout.Episode{
		Task: hostile("task"), Shown: []string{hostile("skill")},
		Trajectory: agent.Trajectory{Free: true, Game: hostile("game"), Steps: []agent.Step{{Observation: hostile("observation"), Command: hostile("command")}}},
		Said:       []rollout.Said{{Phase: rollout.Phase(hostile("phase")), Fault: hostile("fault"), Prompt: []int32{1}, Tokens: []int32{2}, LogProbs: []float32{-1}}},
	}
	validation := activities.Validation{Panel: hostile("validation"), With: true, Count: 1, Families: []activities.FamilyEpisodes{{Family: hostile("validation family"), Count: 1}}}
	line := activities.ValidationLine{Validation: validation, Digest: lineagetest.Store(t, store, artifacts.KindRollouts, nil,
		map[string][]byte{activities.EpisodesFile: append(jsonOf(t, played), '\n')})}
	start := lineagetest.Store(t, store, artifacts.KindModel, nil, map[string][]byte{"config.json": []byte("{}")})
	lineagetest.Name(t, store, activities.RunName(run, "grpo"), lineagetest.Store(t, store, artifacts.KindPolicy,
		[]artifacts.Input{{Role: "policy", Digest: start}, {Role: "library", Digest: last}},
		map[string][]byte{activities.StepsFile: nil, activities.ValidationsFile: append(jsonOf(t, line), '\n')}))
}

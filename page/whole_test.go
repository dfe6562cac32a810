package page_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/gpu/gputest"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/page"
)

// once is a store that is made for several tests, which leave it as it is.
type once struct {
	sync.Once
	store *mem.Store
}

func (o *once) get(t *testing.T, make func(artifacts.Store)) *mem.Store {
	t.Helper()
	o.Do(func() {
		store := mem.New()
		make(store)
		o.store = store
	})
	if o.store == nil {
		t.Fatal("there is no run: see the first test")
	}
	return o.store
}

var tuned, rewarded once

// tunedStore has two runs of fine-tuning and evaluation, of which the second trains its student longer.
func tunedStore(t *testing.T) *mem.Store {
	t.Helper()
	return tuned.get(t, func(store artifacts.Store) {
		lineagetest.Run(t, store, "small-1", lineagetest.SmallSpec, &gputest.Runner{}, "")
		longer := strings.Replace(lineagetest.SmallSpec, "student: {steps: 2", "student: {steps: 4", 1)
		lineagetest.Run(t, store, "small-2", longer, &gputest.Runner{}, "")
	})
}

// rewardedStore has a run of reinforcement with a skill library.
func rewardedStore(t *testing.T) *mem.Store {
	t.Helper()
	encoder := outside.MiniLM(t)
	return rewarded.get(t, func(store artifacts.Store) {
		spec := lineagetest.LearnSpec + "  method: retroagent\n  max_steps: 12\n  group: 4\n"
		lineagetest.Run(t, store, "learn-1", spec, &lineagetest.Pupils{Plans: lineagetest.Planned(t)}, encoder)
	})
}

// named reads a file of the artifact that a name points at.
func named(t *testing.T, store artifacts.Store, name, file string) []byte {
	t.Helper()
	d, err := store.Resolve(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return fileOf(t, store, d, file)
}

func fileOf(t *testing.T, store artifacts.Store, d artifacts.Digest, file string) []byte {
	t.Helper()
	m, err := artifacts.GetManifest(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range m.Outputs {
		if out.Name == file || file == "" {
			raw, err := artifacts.ReadAll(t.Context(), store, out.Digest, out.Size)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
	}
	t.Fatalf("%s has no %s", d, file)
	return nil
}

// TestPageOfEvaluation: the rows are those of the run's report, the turns those of its trajectories, and the stages, losses,
// lineage and cost are there.
func TestPageOfEvaluation(t *testing.T) {
	store := tunedStore(t)
	root := opened(t, store, "small-1")
	var report agent.Report
	if err := json.Unmarshal(named(t, store, "runs/small-1/report", activities.ReportJSONFile), &report); err != nil {
		t.Fatal(err)
	}
	got := rows(t, root, "Games won")
	if len(got) != 6 || len(report.Panels) != 1 {
		t.Fatalf("%d rows of %d panels, want 6 of one", len(got), len(report.Panels))
	}
	for i, c := range report.Panels[0].Cells {
		want := fmt.Sprintf("%s %d/%d %.1f %% %.1f %% to %.1f %%", c.Model, c.All.Won, c.All.Games, 100*c.All.Rate, 100*c.All.Low, 100*c.All.High)
		if text := got[i][0] + " " + strings.Join(got[i][2:5], " "); text != want {
			t.Errorf("row %d: got %s, want %s", i, text, want)
		}
	}
	for trajectory, err := range agent.Trajectories(strings.NewReader(string(fileOf(t, store, artifacts.Digest(report.Panels[0].Cells[0].Trajectories), "")))) {
		if err != nil {
			t.Fatal(err)
		}
		prompts, _ := trajectory.Prompts("", 2)
		shown := elements(find(t, root, "r1-e1"), "li")
		turn := 0
		for _, li := range shown {
			if attr(li, "class") != "turn" {
				continue
			}
			for _, want := range []string{trajectory.Steps[turn].Observation, trajectory.Steps[turn].Command + " (chosen)", strings.TrimSpace(prompts[turn])} {
				if !strings.Contains(text(li), strings.TrimSpace(want)) {
					t.Errorf("turn %d: got %s, want %q in it", turn+1, text(li), want)
				}
			}
			turn++
		}
		if turn != len(trajectory.Steps) || turn == 0 {
			t.Errorf("%d turns, want %d", turn, len(trajectory.Steps))
		}
		break
	}
	var stages []string
	for _, row := range rows(t, root, "Stages") {
		stages = append(stages, row[0])
	}
	if want := "games panels/unseen hints untrained teacher student"; !strings.HasPrefix(strings.Join(stages, " "), want) || stages[len(stages)-1] != "report" {
		t.Errorf("stages %q, want %s first and report last", stages, want)
	}
	if checks := rows(t, root, "teacher: validations"); len(checks) != 2 || checks[0][0] != "2" || checks[1][0] != "4" {
		t.Errorf("checks %q, want those of steps 2 and 4", checks)
	}
	if text := text(find(t, root, "r1-excluded")); !strings.Contains(text, "None.") {
		t.Errorf("excluded: got %s", text)
	}
	d, err := store.Resolve(t.Context(), "runs/small-1/run")
	if err != nil {
		t.Fatal(err)
	}
	g, err := lineage.Trace(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	if entries := elements(find(t, root, "r1-lineage"), "article"); len(entries) != len(g.Nodes) {
		t.Errorf("%d artifacts, want all %d", len(entries), len(g.Nodes))
	}
	if boxes := elements(elements(find(t, root, "r1-lineage"), "svg")[0], "a"); len(boxes) != len(g.Nodes) {
		t.Errorf("%d boxes lead somewhere, want all %d", len(boxes), len(g.Nodes))
	}
	if cost := rows(t, root, "Time by stage"); len(cost) != len(stages)+1 || cost[4][0] != "teacher" || cost[4][5] != "table test" {
		t.Errorf("cost: got %q", cost)
	}
}

// TestPageOfReinforcement: what was said stands there as text, with the skills that were shown, which lead to the library, and from
// there to the episode that each was born of.
func TestPageOfReinforcement(t *testing.T) {
	store := rewardedStore(t)
	root := opened(t, store, "learn-1")
	d, err := store.Resolve(t.Context(), "runs/learn-1/grpo")
	if err != nil {
		t.Fatal(err)
	}
	training, err := lineage.OpenOutcome(t.Context(), store, d)
	if err != nil {
		t.Fatal(err)
	}
	updates, err := training.Updates(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	answers := map[rollout.Phase]int{}
	for _, u := range updates {
		for phase, f := range u.Figures.Phases {
			answers[phase] += f.Answers
		}
	}
	for _, row := range rows(t, root, "grpo: tokens") {
		if phase, is := strings.CutPrefix(row[0], "sampled: "); is && row[1] != fmt.Sprint(answers[rollout.Phase(phase)]) {
			t.Errorf("got %q, want %d answers", row, answers[rollout.Phase(phase)])
		}
	}
	whole := text(find(t, root, "r1-episodes"))
	for _, want := range []string{"Reasoningso", "<action>", "goal: ", "mean log-probability -", "outcome beyond what the skills promised"} {
		if !strings.Contains(strings.ReplaceAll(whole, "\n", ""), want) {
			t.Errorf("%q is missing in the episodes", want)
		}
	}
	shown, born := 0, 0
	for _, a := range elements(find(t, root, "r1-episodes"), "a") {
		if strings.HasPrefix(attr(a, "href"), "#r1-skill-") {
			shown++
		}
	}
	for _, a := range elements(find(t, root, "r1-skills"), "a") {
		if strings.HasPrefix(attr(a, "href"), "#r1-e") {
			born++
		}
	}
	if shown == 0 || born == 0 {
		t.Errorf("%d episodes lead to a skill, %d skills to an episode: want some of both", shown, born)
	}
	c := page.Config{Store: store, Runs: []string{"learn-1"}}
	once, again := written(t, c), written(t, c)
	if once != again {
		t.Error("another page the second time")
	}
}

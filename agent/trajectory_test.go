package agent_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/internal/shelves"
	"github.com/hone-rl/hone/env"
)

func TestTrajectoryLine(t *testing.T) {
	trajectory := agent.Trajectory{
		Game: "g/0", Family: "f", Hint: "plan: go to <shelf>\n",
		Steps: []agent.Step{
			{Observation: "a", Admissible: []string{"look"}, Command: "look", Oracle: "look", Exact: true, Template: true, LogProb: -1},
			{Observation: "b", Admissible: []string{"look"}, Command: "look", NoOracle: "no plan"},
		},
		Last:    &agent.State{Observation: "c", Admissible: []string{}, Score: 1, Won: true, Done: true},
		Outcome: agent.Outcome{Won: true, Steps: 2, Reason: "won"},
	}
	want := `{"game":"g/0","family":"f","hint":"plan: go to <shelf>\n","steps":[` +
		`{"observation":"a","admissible":["look"],"command":"look","oracle":"look","exact":true,"template":true},` +
		`{"observation":"b","admissible":["look"],"command":"look","no_oracle":"no plan"}],` +
		`"last":{"observation":"c","admissible":[],"score":1,"won":true,"done":true},` +
		`"outcome":{"won":true,"steps":2,"reason":"won"}}` + "\n"
	var b bytes.Buffer
	if err := agent.WriteTrajectory(&b, trajectory); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got  %s\nwant %s", b.String(), want)
	}
	trajectory.Steps[0].LogProb = 0
	for got, err := range agent.Trajectories(&b) {
		if err != nil || !reflect.DeepEqual(got, trajectory) {
			t.Errorf("read %+v, %v", got, err)
		}
	}
}

func TestTrajectoriesRefuse(t *testing.T) {
	good := `{"game":"g","family":"f","steps":[],"last":null,"outcome":{"won":false,"steps":0,"reason":"clock"}}` + "\n"
	for _, c := range []struct{ name, in, want string }{
		{"cut off", good + good[:40], "line 2"},
		{"unknown field", good + `{"name":"g"}` + "\n", `line 2: "name" is not known`},
		{"other letters", strings.Replace(good, `"won"`, `"WON"`, 1), `line 1: outcome: "WON" is not known`},
		{"a key twice", strings.Replace(good, `"won"`, `"won":true,"won"`, 1), `line 1: outcome: "won" stands twice`},
		{"two on a line", strings.TrimSpace(good) + good, "line 1: invalid character '{' after top-level value"},
		{"empty line", good + "\n" + good, "line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var last error
			for _, err := range agent.Trajectories(strings.NewReader(c.in)) {
				last = err
			}
			if last == nil || !strings.Contains(last.Error(), c.want) {
				t.Errorf("error %v, want %q in it", last, c.want)
			}
		})
	}
}

func FuzzTrajectories(f *testing.F) {
	f.Add([]byte(`{"game":"g","family":"f","steps":[],"last":null,"outcome":{"won":false,"steps":0,"reason":"clock"}}` + "\n"))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		failed := false
		for _, err := range agent.Trajectories(bytes.NewReader(data)) {
			if failed {
				t.Error("something came after an error")
			}
			failed = err != nil
		}
	})
}

func TestReplay(t *testing.T) {
	game := mugs(2)[0]
	fresh := func() agent.Trajectory { return play(t, agent.PlayConfig{}, game)[0] }
	if err := agent.Replay(t.Context(), game, fresh(), env.Limits{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		edit func(*agent.Trajectory)
		step int
		what string
	}{
		{"game", func(t *agent.Trajectory) { t.Game = "other" }, 1, "game"},
		{"family", func(t *agent.Trajectory) { t.Family = "other" }, 1, "family"},
		{"observation", func(t *agent.Trajectory) { t.Steps[1].Observation += " " }, 2, "observation"},
		{"admissible", func(t *agent.Trajectory) { t.Steps[2].Admissible = t.Steps[2].Admissible[1:] }, 3, "admissible commands"},
		{"not admissible", func(t *agent.Trajectory) { t.Steps[1].Command = "fly" }, 2, "command"},
		{"other command", func(t *agent.Trajectory) { t.Steps[1].Command = "look" }, 3, "observation"},
		{"last text", func(t *agent.Trajectory) { t.Last.Observation = "You win." }, 6, "observation"},
		{"last score", func(t *agent.Trajectory) { t.Last.Score = 0 }, 6, "score"},
		{"last won", func(t *agent.Trajectory) { t.Last.Won = false }, 6, "won and done"},
		{"cut short, success kept", func(t *agent.Trajectory) { t.Steps = t.Steps[:4] }, 5, "observation"},
		{"success claimed", func(t *agent.Trajectory) {
			last := t.Steps[4]
			t.Steps, t.Last = t.Steps[:4], &agent.State{Observation: last.Observation, Admissible: last.Admissible}
			t.Outcome.Steps = 4
		}, 5, "outcome"},
		{"success denied", func(t *agent.Trajectory) { t.Outcome = agent.Outcome{Steps: 5, Reason: "steps"} }, 6, "outcome"},
		{"steps", func(t *agent.Trajectory) { t.Outcome.Steps = 4 }, 6, "steps"},
		{"no last state", func(t *agent.Trajectory) { t.Last = nil }, 6, "last state"},
		{"went on after the win", func(t *agent.Trajectory) {
			t.Steps = append(t.Steps, agent.Step{Observation: t.Last.Observation, Admissible: t.Last.Admissible, Command: "look"})
		}, 6, "command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			trajectory := fresh()
			c.edit(&trajectory)
			var got *agent.ReplayError
			if err := agent.Replay(t.Context(), game, trajectory, env.Limits{}); !errors.As(err, &got) {
				t.Fatalf("error %v, want a *ReplayError", err)
			}
			if got.Step != c.step || got.What != c.what {
				t.Errorf("%v: want step %d, %s", got, c.step, c.what)
			}
		})
	}
}

func TestReplayOfFailures(t *testing.T) {
	tight := env.Limits{Objects: 4}
	game := shelves.Game{Name: "g", Kind: "f", At: 1}
	limited := play(t, agent.PlayConfig{Limits: tight}, game)[0]
	if err := agent.Replay(t.Context(), game, limited, tight); err != nil {
		t.Error(err)
	}
	if err := agent.Replay(t.Context(), game, limited, env.Limits{}); err == nil {
		t.Error("a limit that is not met is accepted")
	}
	late := game
	late.Fault = func(step int) error {
		if step == 2 {
			return errors.New("the file ends")
		}
		return nil
	}
	broken := play(t, agent.PlayConfig{}, late)[0]
	if err := agent.Replay(t.Context(), late, broken, env.Limits{}); err != nil {
		t.Error(err)
	}
	if err := agent.Replay(t.Context(), game, broken, env.Limits{}); err == nil {
		t.Error("an error that does not happen is accepted")
	}
	lost := play(t, agent.PlayConfig{Policy: policy(looker), StopCycles: true}, game)[0]
	if err := agent.Replay(t.Context(), game, lost, env.Limits{}); err != nil {
		t.Error(err)
	}
	broken.Steps = slices.Clone(broken.Steps[:1])
	if err := agent.Replay(t.Context(), late, broken, env.Limits{}); err == nil {
		t.Error("a trajectory without its last step is accepted")
	}
}

package agent_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// TestPrompts: a trajectory's prompts are those that its policy was asked, in every form, with a hint and without.
func TestPrompts(t *testing.T) {
	hint := func(context.Context, env.Game, env.Episode) (string, error) { return "skill: pick\n", nil }
	for name, cfg := range map[string]agent.PlayConfig{
		"lite":  {},
		"full":  {Prompt: agent.Full, Hint: hint},
		"turns": {Prompt: agent.Turns, History: 50},
		"few":   {Prompt: agent.Turns, History: 1},
	} {
		var heard []string
		commands := []string{"go to shelf 1", "go to shelf 2", "go to shelf 3", "take mug 1 from shelf 3", "go to desk 1", "move mug 1 to desk 1"}
		cfg.Policy = policy(func(prompt string, _ []string) string {
			heard = append(heard, prompt)
			return commands[len(heard)-1]
		})
		played := play(t, cfg, mugs(3)...)[0]
		got, ok := played.Prompts(cfg.Prompt, cfg.History)
		if !ok || len(heard) != len(commands) || !slices.Equal(got, heard) {
			t.Errorf("%s: %v, got %q, want %q", name, ok, got, heard)
		}
	}
	if got, ok := (agent.Trajectory{Steps: []agent.Step{{Observation: "hello"}}}).Prompts(agent.Lite, 2); ok {
		t.Errorf("a game that says no goal: %q", got)
	}
	if got, ok := (agent.Trajectory{}).Prompts("", 0); !ok || len(got) != 0 {
		t.Errorf("no step: %q, %v", got, ok)
	}
}

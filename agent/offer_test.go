package agent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
)

// commuter goes between the desk and the first shelf as long as it may.
func commuter(_ string, candidates []string) string {
	for _, c := range []string{"go to desk 1", "go to shelf 1", "go to shelf 2", "go to shelf 3"} {
		if slices.Contains(candidates, c) {
			return c
		}
	}
	return "look"
}

// TestOffer: at the desk, behind the same text, each command is offered once before one is offered again.
func TestOffer(t *testing.T) {
	round := []string{"go to desk 1", "go to shelf 1"}
	for offer, want := range map[agent.Offer][]string{
		"":               slices.Repeat(round, 8),
		agent.Admissible: slices.Repeat(round, 8),
		agent.Untried: {
			"go to desk 1", "go to shelf 1", "go to desk 1", "go to shelf 2", "go to desk 1", "go to shelf 3", "go to desk 1", "look",
			"go to shelf 1", "go to shelf 2", "go to shelf 1", "go to shelf 3", "go to shelf 1", "look", "go to desk 1", "go to shelf 1",
		},
	} {
		cfg := agent.PlayConfig{Policy: policy(commuter), Offer: offer, MaxSteps: 16, StopCycles: offer == agent.Untried}
		if got := commands(play(t, cfg, mugs(2)...)[0]); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", offer, got, want)
		}
	}
}

// TestOfferHelp: help is not offered even where all else was given.
func TestOfferHelp(t *testing.T) {
	sulker := policy(func(_ string, candidates []string) string {
		if slices.Contains(candidates, "help") {
			t.Errorf("offered %q", candidates)
		}
		return candidates[len(candidates)-1]
	})
	play(t, agent.PlayConfig{Policy: sulker, Offer: agent.Untried}, mugs(1, 2, 3)...)
}

// TestOfferWins: what is won without a state seen twice is won the same way.
func TestOfferWins(t *testing.T) {
	for _, game := range mugs(1, 2, 3) {
		want := play(t, agent.PlayConfig{}, game)[0]
		got := play(t, agent.PlayConfig{Offer: agent.Untried}, game)[0]
		if !want.Outcome.Won || got.Outcome != want.Outcome || !slices.Equal(commands(got), commands(want)) {
			t.Errorf("%s: %+v by %q, want %+v by %q", game.ID(), got.Outcome, commands(got), want.Outcome, commands(want))
		}
	}
}

func TestOfferNames(t *testing.T) {
	for offer, want := range map[agent.Offer]string{
		"": "admissible but help/1", agent.Admissible: "admissible but help/1", agent.Untried: "least tried admissible but help/1",
	} {
		if got := agent.ConditionsOf(agent.PlayConfig{Offer: offer}, "").Candidates; got != want {
			t.Errorf("%q is reported as %q, want %q", offer, got, want)
		}
	}
	_, err := agent.Play(t.Context(), agent.PlayConfig{Policy: policy(looker), Tokens: bytesEncoder{}, Offer: "new"}, nil)
	if want := `candidates "new": expected admissible or untried`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestOfferAudit: an auditor tells a command that was not on offer, help among them, and none of those that Play gave.
func TestOfferAudit(t *testing.T) {
	cfg := agent.PlayConfig{Policy: policy(commuter), Offer: agent.Untried, MaxSteps: 16}
	got := play(t, cfg, mugs(2)...)[0]
	for _, offer := range []agent.Offer{agent.Untried, agent.Admissible} {
		if err := offer.Audit(got); err != nil {
			t.Error(err)
		}
	}
	again := play(t, agent.PlayConfig{Policy: policy(commuter), MaxSteps: 4}, mugs(2)...)[0]
	var differs *agent.ReplayError
	if err := agent.Untried.Audit(again); !errors.As(err, &differs) || differs.Step != 4 || !strings.Contains(differs.Got, "not on offer (least tried") {
		t.Errorf("the desk again and again: %v", err)
	}
	again.Steps[1].Command = "help"
	if err := agent.Admissible.Audit(again); !errors.As(err, &differs) || differs.Step != 2 {
		t.Errorf("help: %v", err)
	}
	if c := agent.ConditionsOf(agent.PlayConfig{Offer: agent.Untried, StopCycles: true}, ""); c.StopCycles {
		t.Error("a cycle rule that ends no game is reported")
	}
}

package webshop_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop"
)

// start begins the game of a number.
func start(t testing.TB, shop *webshop.Shop, number int) *webshop.Episode {
	t.Helper()
	game, err := shop.Number(number)
	if err != nil {
		t.Fatal(err)
	}
	ep, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return ep.(*webshop.Episode)
}

// outcome is how buyers fare with all goals of a shop.
type outcome struct{ found, full, longest int }

// TestBuyer: the title leads to every product of the 1,000. Of the 6,910 synthetic goals, 458 cannot be met by their
// own product (specification, "Reward"); all others are. The instruction's words find 28 products fewer.
func TestBuyer(t *testing.T) {
	shops := newShops(t)
	for _, c := range []struct {
		human bool
		kind  env.PlanKind
		want  outcome
		mean  float64 // score, over all goals
	}{
		{false, env.Straight, outcome{6910, 6452, 6}, 0.989614},
		{false, env.Search, outcome{6882, 6424, 9}, 0.985561},
		{true, env.Straight, outcome{13, 13, 5}, 1},
		{true, env.Search, outcome{13, 13, 5}, 1},
	} {
		shop := shops.shop(t, webshop.Config{Seed: webshop.FixedSeed, Human: c.human})
		var got outcome
		total := 0.0
		for number := range shop.Goals() {
			d, err := start(t, shop, number).Demonstrate(t.Context(), c.kind)
			if errors.Is(err, env.ErrNoPlan) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got.found++
			got.longest = max(got.longest, len(d.Commands))
			total += d.Total
			if d.Total == 1 {
				got.full++
			}
		}
		if mean := total / float64(shop.Goals()); got != c.want || math.Abs(mean-c.mean) > 1e-5 {
			t.Errorf("human %v, %s: %+v with a score of %.6f, want %+v with %.6f", c.human, c.kind, got, mean, c.want, c.mean)
		}
	}
}

// TestDemonstration: a demonstration is what happens when it is followed, also where it does not bring the full reward.
func TestDemonstration(t *testing.T) {
	shop := newShops(t).shop(t, webshop.Config{Seed: webshop.FixedSeed})
	poor := 0
	for number := 0; number < shop.Goals(); number += 97 {
		ep := start(t, shop, number)
		if _, err := ep.Step(t.Context(), "search[shoes]"); err != nil {
			t.Fatal(err)
		}
		d, err := ep.Demonstrate(t.Context(), env.Straight)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := ep.Plan(t.Context(), env.Straight)
		if d.Total < 1 {
			poor++
			if !errors.Is(err, env.ErrNoPlan) {
				t.Errorf("goal %d: plan %q, %v, want %v", number, plan, err, env.ErrNoPlan)
			}
		} else if !slices.Equal(plan, d.Commands) {
			t.Errorf("goal %d: plan %q, %v, want %q", number, plan, err, d.Commands)
		}
		var last env.Observation
		for _, command := range d.Commands {
			if last, err = ep.Step(t.Context(), command); err != nil {
				t.Fatal(err)
			}
		}
		if !last.Done || last.Score != d.Total || last.Won != (d.Total == 1) || ep.Reward().Total != d.Total || d.Commands[0] != "click[back to search]" {
			t.Errorf("goal %d: %q ends with %+v, want a score of %v", number, d.Commands, last, d.Total)
		}
		again, err := ep.Demonstrate(t.Context(), env.Straight)
		if last.Won && (err != nil || len(again.Commands) > 0) || !last.Won && !errors.Is(err, env.ErrNoPlan) {
			t.Errorf("goal %d: once bought it goes on with %+v, %v", number, again, err)
		}
	}
	if poor == 0 {
		t.Error("every goal brings the full reward, want some that cannot")
	}
}

// TestNoPlan: what buyers do not know, and cannot do.
func TestNoPlan(t *testing.T) {
	ep := start(t, small(t), 0)
	for kind, want := range map[env.PlanKind]string{
		env.Walkthrough: "no plan leads to the goal", env.Planner: "no plan leads to the goal", env.Explore: "no plan leads to the goal",
		"": `expert ""`, env.Search: "is not among the 0 products found",
	} {
		if _, err := ep.Plan(t.Context(), kind); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", kind, err, want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ep.Demonstrate(ended, env.Straight); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context ended: %v", err)
	}
}

// TestFirstHit: the simplest player, who searches with the instruction and buys what comes first with the right
// options, by which the goals that ship with Hone are measured (package bazaar).
func TestFirstHit(t *testing.T) {
	shop := newShops(t).shop(t, webshop.Config{Seed: webshop.FixedSeed})
	const step = 4 // every fourth goal will do
	score, full, goals := 0.0, 0, 0
	for number := 0; number < shop.Goals(); number += step {
		goals++
		ep := start(t, shop, number)
		goal := goalOf(t, shop, number)
		text, _, _ := strings.Cut(goal.Text, ", and price lower")
		commands := []string{"search[" + text + "]", "click[", "click[buy now]"}
		for _, c := range goal.Options {
			commands = slices.Insert(commands, 2, "click["+c.Value+"]")
		}
		for i, command := range commands {
			if i == 1 {
				command += ep.Page().Available().Clickables[2] + "]" // behind Back to Search and Next >
			}
			if _, err := ep.Step(t.Context(), command); err != nil {
				t.Fatal(err)
			}
		}
		score += ep.Now().Score
		if ep.Now().Won {
			full++
		}
	}
	if mean := score / float64(goals); math.Abs(mean-0.7908) > 1e-4 || full != 951 {
		t.Errorf("a score of %.4f, and the full reward for %d of %d; want 0.7908 and 951", mean, full, goals)
	}
}

package alfworld_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
)

// TestOtherArities plays games whose predicates bear ALFWorld's names and mean something else: the experts must not
// read them as ALFWorld's.
func TestOtherArities(t *testing.T) {
	t.Run("a place of nothing", func(t *testing.T) {
		game, err := alfworld.Parse("place", gameFile(t, `(define (domain d) (:types receptacle)
(:predicates (atlocation) (receptacleatlocation ?r ?l) (on ?r))
(:action touch :parameters (?r - receptacle) :precondition () :effect (on ?r)))`, `(define (problem p) (:domain d)
(:objects r_bar_1 - receptacle l_bar_1)
(:init (atlocation) (receptacleatlocation r_bar_1 l_bar_1))
(:goal (on r_bar_1)))`, `grammar :: """{"intro": [{"rhs": "Touch it."}]}""";
action touch { template :: "touch {r}"; feedback :: "Touched."; }`))
		if err != nil {
			t.Fatal(err)
		}
		if got := play(t, game).do("touch r 1"); got.Text != "Touched." || !got.Won {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("clean by another", func(t *testing.T) {
		game, err := alfworld.Parse("clean", cleanByAnother(t))
		if err != nil {
			t.Fatal(err)
		}
		if game.Family() != alfworld.FamilyOther {
			t.Errorf("family %q, want %q", game.Family(), alfworld.FamilyOther)
		}
		ep := play(t, game).ep
		for _, kind := range []env.PlanKind{env.Straight, env.Search, env.Explore} {
			if _, err := ep.(env.Expert).Plan(t.Context(), kind); !errors.Is(err, env.ErrNoPlan) {
				t.Errorf("%s: got %v, want %v", kind, err, env.ErrNoPlan)
			}
		}
		if got := plan(t, ep, env.Planner); len(got) == 0 {
			t.Error("the planner has no plan")
		}
	})
}

// cleanByAnother is a household game of the clean family in which isClean takes two arguments.
func cleanByAnother(t *testing.T) []byte {
	t.Helper()
	for g, err := range household.Generate(household.Config{Train: 40, Mix: household.EvenMix}) {
		if err != nil {
			t.Fatal(err)
		}
		if g.Family != alfworld.FamilyClean {
			continue
		}
		var file map[string]any
		if err := json.Unmarshal(g.Data, &file); err != nil {
			t.Fatal(err)
		}
		part := func(key string) string {
			text, _ := file[key].(string)
			return text
		}
		declare := regexp.MustCompile(`(?i)\(isclean \?o - object\)`)
		domain := declare.ReplaceAllString(part("pddl_domain"), "(isClean ?o - object ?by - object)")
		domain = regexp.MustCompile(`(?i)\(isclean (\?o)\)`).ReplaceAllString(domain, "(isClean $1 $1)")
		problem := regexp.MustCompile(`(?i)\(isclean (\S+?)\)`).ReplaceAllString(part("pddl_problem"), "(isClean $1 $1)")
		grammar := regexp.MustCompile(`(?i)isclean\(([^),]*)\)`).ReplaceAllString(part("grammar"), "isclean($1, $1)")
		return gameFile(t, domain, problem, grammar)
	}
	t.Fatal("no game of the clean family")
	return nil
}

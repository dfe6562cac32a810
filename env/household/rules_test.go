package household_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld/official"
	"github.com/hone-rl/hone/env/household"
)

// officialRules are ALFWorld's domain and grammar, from beside the repository or out of the Python engine.
func officialRules(t *testing.T) household.Rules {
	t.Helper()
	files, err := official.ReadDir(filepath.Join("..", "..", "..", "shared", "alfworld-games"))
	if errors.Is(err, fs.ErrNotExist) {
		files, err = official.Installed(filepath.Join("..", "..", ".venv-bench"))
	}
	if err == nil {
		return household.Rules{Domain: files.Domain, Grammar: files.Grammar}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("needs alfred.pddl and alfred.twl2, in ../shared/alfworld-games or .venv-bench")
	}
	t.Skip("needs alfred.pddl and alfred.twl2, in ../shared/alfworld-games or .venv-bench")
	return household.Rules{}
}

// officialWarnings are what every real game of the package's vintage is warned of.
var officialWarnings = []string{
	"pddl_domain:72: argument 1 of checked is a location, declared as receptacle",
	"pddl_domain:82: argument 1 of checked is a agent, declared as receptacle",
	`pddl_domain:113: type "location," is not declared, so nothing has it`,
	"pddl_domain:504: argument 1 of checked is a agent, declared as receptacle",
	`grammar: symbol overview(o, r): the text is cut before "}"`,
}

// sentences are the forms of ALFWorld's task sentences, X the target and Y the destination or lamp.
var sentences = map[string][]string{
	"pick_and_place_simple":          {"put a X in Y", "put some X on Y"},
	"look_at_obj_in_light":           {"look at X under the Y", "examine the X with the Y"},
	"pick_clean_then_place_in_recep": {"put a clean X in Y", "clean some X and put it in Y"},
	"pick_heat_then_place_in_recep":  {"put a hot X in Y", "heat some X and put it in Y"},
	"pick_cool_then_place_in_recep":  {"put a cool X in Y", "cool some X and put it in Y"},
	"pick_two_obj_and_place":         {"put two X in Y", "find two X and put them in Y"},
}

// TestOfficialLanguage: games in ALFWorld's own words are the games that they are in ours: they load like real ones,
// say what real ones say, and every expert wins them.
func TestOfficialLanguage(t *testing.T) {
	cfg := household.Config{Seed: 11, Train: 36, ValidSeen: 12, ValidUnseen: 12, Mix: household.EvenMix}
	own := generate(t, cfg)
	cfg.Rules = officialRules(t)
	used := map[string]bool{}
	for i, game := range generate(t, cfg) {
		if game.ID != own[i].ID || game.Task != own[i].Task || game.Split != own[i].Split || game.Family != own[i].Family {
			t.Fatalf("game %d is %+v, in our words %+v", i, game.ID, own[i].ID)
		}
		sameProblem(t, problemOf(t, game), problemOf(t, own[i]))
		loaded, episode := start(t, game)
		if w := loaded.Warnings(); !slices.Equal(w, officialWarnings) {
			t.Errorf("%s: warnings %q", game.ID, w)
		}
		end := strings.ToLower(game.Task.Destination + game.Task.Lamp)
		form := slices.IndexFunc(sentences[game.Family], func(s string) bool {
			return strings.NewReplacer("X", strings.ToLower(game.Task.Target), "Y", end).Replace(s) == loaded.Goal().Text
		})
		used[fmt.Sprint(game.Family, form)] = true
		if form < 0 || loaded.Family() != game.Family {
			t.Errorf("%s: %s, %q", game.ID, loaded.Family(), loaded.Goal().Text)
		}
		text := episode.Now().Text
		if !strings.HasPrefix(text, "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a ") ||
			!strings.HasSuffix(text, ".\n\nYour task is to: "+loaded.Goal().Text+".") {
			t.Errorf("%s opens with %q", game.ID, text)
		}
		for _, kind := range []env.PlanKind{env.Straight, env.Search, env.Planner, env.Explore} {
			_, episode := start(t, game)
			plan, err := episode.(env.Expert).Plan(t.Context(), kind)
			if err != nil || episode.Now().Won {
				t.Fatalf("%s: %s plan: %v, won at the start: %v", game.ID, kind, err, episode.Now().Won)
			}
			now := episode.Now()
			for _, command := range plan {
				if now, err = episode.Step(t.Context(), command); err != nil {
					t.Fatal(err)
				}
			}
			if !now.Won || now.Moves != len(plan) {
				t.Errorf("%s: the %s plan %q does not win", game.ID, kind, plan)
			}
		}
	}
	if len(used) != 12 {
		t.Errorf("60 games are worded in %d ways, want 12", len(used))
	}
}

var receptacleObject = regexp.MustCompile(`(?m)^\(isReceptacleObject .*\)\n`)

// sameProblem asks that two problems differ in nothing but the domain's name and what ALFWorld calls vessels.
func sameProblem(t *testing.T, got, own string) {
	t.Helper()
	got = strings.Replace(receptacleObject.ReplaceAllString(got, ""), "(:domain alfred)", "(:domain household)", 1)
	if got != own {
		t.Errorf("got the problem\n%s\nin our words it is\n%s", got, own)
	}
}

// A mug is a mug, whatever was done to it, and the commands are those of the package's vintage.
func TestOfficialTexts(t *testing.T) {
	for _, game := range generate(t, household.Config{Seed: 2, Train: 120, Rules: officialRules(t)}) {
		if game.Family != "pick_heat_then_place_in_recep" || game.Task.Target != "Mug" && game.Task.Target != "Cup" && game.Task.Target != "Plate" {
			continue
		}
		_, episode := start(t, game)
		plan, err := episode.(env.Expert).Plan(t.Context(), env.Straight)
		if err != nil {
			t.Fatal(err)
		}
		var thing string
		for _, command := range plan {
			now, err := episode.Step(t.Context(), command)
			if err != nil {
				t.Fatal(err)
			}
			word := strings.Fields(command)
			switch word[0] {
			case "heat":
				thing = strings.Join(word[1:3], " ")
				if want := "You heat the " + thing + " using the microwave 1."; now.Text != want {
					t.Errorf("got %q, want %q", now.Text, want)
				}
				if now, err = episode.Step(t.Context(), "examine "+thing); err != nil || now.Text != "This is a normal "+thing+". In it, you see nothing." {
					t.Errorf("got %q, %v", now.Text, err)
				}
			case "move":
				if want := "You move the " + thing + " to the " + strings.Join(word[len(word)-2:], " ") + "."; now.Text != want {
					t.Errorf("got %q, want %q", now.Text, want)
				}
			}
		}
		if thing == "" {
			t.Errorf("nothing is heated by %q", plan)
		}
		return
	}
	t.Error("no such game")
}

// Another digest here means other games for everybody who fetched them.
func TestOfficialBytes(t *testing.T) {
	const want = "fb2d5e6cc8781f12b208dd5f6ea5189f5ac59fe0eac82668772441b9426e6797"
	if got := digest(generate(t, household.Config{Seed: 1, Train: 30, ValidSeen: 6, ValidUnseen: 6, Rules: officialRules(t)})); got != want {
		t.Errorf("list of seed 1 has digest %s, want %s", got, want)
	}
}

// TestTrial: the place in ALFWorld's layout, by which nothing is left out when it is imported.
func TestTrial(t *testing.T) {
	shape := regexp.MustCompile(`^(train|valid_seen|valid_unseen)/[a-z_]+-[A-Z][A-Za-z]*-None-[A-Z][A-Za-z]*-[0-9]+/trial_[0-9]{4}$`)
	seen := map[string]bool{}
	for _, game := range generate(t, household.Config{Train: 300, ValidSeen: 30, ValidUnseen: 30}) {
		id := game.Trial()
		if !shape.MatchString(id) || seen[id] || strings.Contains(id, "movable") || strings.Contains(id, "Sliced") {
			t.Errorf("%s is at %s", game.ID, id)
		}
		seen[id] = true
	}
	game := household.Game{
		ID: "household/train/look_at_obj_in_light-CD-DeskLamp-305/0007", Split: "train", Family: "look_at_obj_in_light",
		Task: household.Task{Target: "CD", Lamp: "DeskLamp", Scene: 305},
	}
	if got, want := game.Trial(), "train/look_at_obj_in_light-CD-None-DeskLamp-305/trial_0007"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBadRules(t *testing.T) {
	const domain, grammar = "; c\n(define (domain toy) (:types))", `grammar :: """{"task": [{"rhs": "UNKNOWN GOAL"}]}""";`
	for name, rules := range map[string]household.Rules{
		"domain alone":  {Domain: domain},
		"grammar alone": {Grammar: grammar},
		"no mark":       {Domain: domain, Grammar: "grammar"},
		"two marks":     {Domain: domain, Grammar: grammar + grammar},
		"no name":       {Domain: "(define (problem x))", Grammar: grammar},
		"nothing":       {Domain: "(define (domain", Grammar: grammar},
	} {
		for _, err := range household.Generate(household.Config{Train: 1, Rules: rules}) {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	}
	for game, err := range household.Generate(household.Config{Train: 1, Rules: household.Rules{Domain: domain, Grammar: grammar}}) {
		var file map[string]any
		if err := errors.Join(err, json.Unmarshal(game.Data, &file)); err != nil {
			t.Fatal(err)
		}
		if file["pddl_domain"] != domain || !strings.Contains(file["pddl_problem"].(string), "(:domain toy)") ||
			strings.Contains(file["grammar"].(string), "UNKNOWN GOAL") {
			t.Errorf("got %v", file)
		}
	}
}

package household_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/household"
)

var anyID = regexp.MustCompile(`\w+_bar_\w+`)

// rewrite returns the game with another problem text.
func rewrite(t *testing.T, problem string) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]any{"pddl_problem": problem, "solvable": false})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mark(t *testing.T, data []byte) string {
	t.Helper()
	got, err := household.Fingerprint(data)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// disguise renames every instance, shuffles the first facts, tells some twice and changes case and comments.
func disguise(problem string, r *rand.Rand) string {
	names := map[string]string{}
	problem = anyID.ReplaceAllStringFunc(problem, func(id string) string {
		if names[id] == "" {
			names[id] = fmt.Sprintf("x%d_bar_%d", r.IntN(3), r.Int64())
		}
		return names[id]
	})
	head, rest, _ := strings.Cut(problem, "(:init\n")
	facts, goal, _ := strings.Cut(rest, "\n)\n(:goal")
	lines := strings.Split(facts, "\n")
	lines = append(lines, lines[0], lines[len(lines)/2])
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	lines[0] = strings.ToUpper(lines[0]) + " ; (a comment)"
	return head + "(:init " + strings.Join(lines, "\n  ") + ")\n(:goal" + strings.ReplaceAll(goal, "\n", "\n\t")
}

func TestFingerprintForgetsNames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, game := range generate(t, household.Config{Seed: 3, Train: 40}) {
		other := disguise(problemOf(t, game), r)
		if mark(t, game.Data) != mark(t, rewrite(t, other)) {
			t.Errorf("%s in disguise has another fingerprint", game.ID)
		}
	}
}

func TestFingerprintSeesChanges(t *testing.T) {
	const game = `(define (problem p) (:domain d) (:objects a_bar_1 - object) (:init
		(atLocation agent1 l_bar_0)
		(receptacleType r_bar_1 ShelfType) (receptacleAtLocation r_bar_1 l_bar_1)
		(receptacleType r_bar_2 ShelfType) (receptacleAtLocation r_bar_2 l_bar_2)
		(receptacleType r_bar_3 DeskType) (receptacleAtLocation r_bar_3 l_bar_2)
		(objectType a_bar_1 MugType) (inReceptacle a_bar_1 r_bar_1)
		(objectType a_bar_2 PenType) (inReceptacle a_bar_2 r_bar_2)
		) (:goal (exists (?o - object) (objectType ?o MugType))))`
	base := mark(t, rewrite(t, game))
	for name, test := range map[string]struct {
		old, new string
		same     bool
	}{
		"other names":        {"a_bar_1", "z_bar_9", true},
		"another start name": {"l_bar_0", "l_bar_7", true},
		"types only":         {"(:init", "(:init (canContain ShelfType MugType)", true},
		"thing moved":        {"(inReceptacle a_bar_1 r_bar_1)", "(inReceptacle a_bar_1 r_bar_2)", false},
		"things swapped":     {"(inReceptacle a_bar_1 r_bar_1) (objectType a_bar_2 PenType) (inReceptacle a_bar_2 r_bar_2)", "(inReceptacle a_bar_1 r_bar_2) (objectType a_bar_2 PenType) (inReceptacle a_bar_2 r_bar_1)", false},
		"thing of a kind":    {"MugType) (in", "CupType) (in", false},
		"state":              {"(:init", "(:init (isCool a_bar_1)", false},
		"layout":             {"r_bar_3 l_bar_2", "r_bar_3 l_bar_1", false},
		"start":              {"agent1 l_bar_0", "agent1 l_bar_1", false},
		"goal":               {"?o MugType", "?o PenType", false},
		"one thing more":     {"(:init", "(:init (objectType a_bar_3 PenType) (inReceptacle a_bar_3 r_bar_3)", false},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Join(strings.Fields(game), " ")
			changed := strings.ReplaceAll(text, test.old, test.new)
			if changed == text {
				t.Fatalf("%q does not occur", test.old)
			}
			if got := mark(t, rewrite(t, changed)); (got == base) != test.same {
				t.Errorf("same fingerprint: %v, want %v", got == base, test.same)
			}
		})
	}
}

func TestFingerprintOfBadFiles(t *testing.T) {
	for name, data := range map[string]string{
		"no JSON":    "(define",
		"no problem": "{}",
		"no goal":    `{"pddl_problem": "(define (problem p) (:init (a b)))"}`,
		"no facts":   `{"pddl_problem": "(define (problem p) (:init) (:goal (a b)))"}`,
	} {
		if _, err := household.Fingerprint([]byte(data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Whatever the text, reading ends, and the order of facts does not count.
func FuzzFingerprint(f *testing.F) {
	for _, text := range []string{
		"", "(", ")))", "(:init", "(define (:init (a b_bar_1)) (:goal (a b_bar_1)))", "(d (:init (a b) (c d_bar_1 e_bar_2)) (:goal ((x) (y))))",
		"(d (:INIT (on A_bar_1 B)) ; c\n (:goal (and)))", "(d (:init (()(a))) (:goal ()))",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data, err := json.Marshal(map[string]string{"pddl_problem": text})
		if err != nil {
			t.Skip()
		}
		first, err := household.Fingerprint(data)
		again, err2 := household.Fingerprint(data)
		if first != again || (err == nil) != (err2 == nil) || (err == nil) == (first == "") {
			t.Errorf("got %q %v and %q %v", first, err, again, err2)
		}
	})
}

package household

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
)

// problem is what counts here of a game's problem: the instances in its first facts, each fact once, and its goal
// in one line. It is read without asking whether the game can be played; the engine asks that.
type problem struct {
	facts [][]string // predicate and arguments, in lower case
	goal  string
}

var errNoGame = errors.New("household: not a game file")

// problemText returns the problem inside a game.tw-pddl file.
func problemText(data []byte) (string, error) {
	var file struct {
		Problem string `json:"pddl_problem"`
	}
	if err := exact.Unmarshal(data, &file); err != nil {
		return "", fmt.Errorf("%w: %w", errNoGame, err)
	}
	return file.Problem, nil
}

func readProblem(text string) (*problem, error) {
	p, once := &problem{}, map[string]bool{}
	section, depth, before := "", 0, ""
	var fact, goal []string
	for _, word := range words(text) {
		switch word {
		case "(":
			depth++
		case ")":
			depth--
		}
		switch {
		case depth == 2 && before == "(" && word[0] == ':':
			section = word
		case section == ":goal" && depth >= 2:
			goal = append(goal, word)
		case section == ":init" && depth == 3 && word != "(":
			fact = append(fact, word)
		case section == ":init" && depth == 2 && word == ")" && len(fact) > 0:
			if key := strings.Join(fact, " "); !once[key] {
				once[key] = true
				p.facts = append(p.facts, fact)
			}
			fact = nil
		}
		before = word
	}
	p.goal = strings.Join(goal, " ")
	if len(p.facts) == 0 || p.goal == "" {
		return nil, fmt.Errorf("%w: expected (:init …) with facts and (:goal …) in pddl_problem", errNoGame)
	}
	return p, nil
}

var spaced = strings.NewReplacer("(", " ( ", ")", " ) ")

// words cuts PDDL into parentheses and words, in lower case and without comments.
func words(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, ";")
		list = append(list, strings.Fields(spaced.Replace(strings.ToLower(line)))...)
	}
	return list
}

package alfworld

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pddlSymbol is a symbol of a PDDL text, and plainWord a word of a sentence or an id.
var (
	pddlSymbol = regexp.MustCompile(`[^ \t\r\n()]+`)
	plainWord  = regexp.MustCompile(`[0-9A-Za-z_]+`)
)

// kind is a type of things or receptacles.
type kind struct {
	symbol string // in the problem: "MugType"
	word   string // what a player reads: "mug"
}

// name is the symbol as task folders have it: "Mug".
func (k kind) name() string {
	if n := len(k.symbol) - len("type"); n > 0 && strings.EqualFold(k.symbol[n:], "type") {
		return k.symbol[:n]
	}
	return k.symbol
}

// template is a game file taken apart at what a variant exchanges.
type template struct {
	game          *Game
	file          map[string]json.RawMessage
	grammar       string
	before, goal  string // the problem up to its goal, and from there on
	target, place kind   // place is the zero kind where the goal names no destination
	sentence      string
	symbols       map[string]string // as they are spelled in the problem, by lower case
}

func newTemplate(g *Game, data []byte) (*template, error) {
	t := &template{game: g, sentence: g.goal.Text, symbols: map[string]string{}}
	if g.task.target < 0 {
		return nil, fmt.Errorf("%w: its goal is of no known family", ErrNoVariant)
	}
	var problem string
	if err := json.Unmarshal(data, &t.file); err != nil {
		return nil, err
	}
	if err := errors.Join(json.Unmarshal(t.file["pddl_problem"], &problem), json.Unmarshal(t.file["grammar"], &t.grammar)); err != nil {
		return nil, err
	}
	at := strings.LastIndex(strings.ToLower(problem), "(:goal")
	if at < 0 {
		return nil, fmt.Errorf("%w: its goal was not found", ErrNoVariant)
	}
	t.before, t.goal = problem[:at], problem[at:]
	for _, s := range pddlSymbol.FindAllString(t.before, -1) {
		if _, ok := t.symbols[strings.ToLower(s)]; !ok {
			t.symbols[strings.ToLower(s)] = s
		}
	}
	h := g.house
	t.target = t.kind(h.pred.objectType, g.task.target)
	if g.task.destination >= 0 {
		t.place = t.kind(h.pred.receptacleType, g.task.destination)
	}
	has := func(w string) bool { return slices.Contains(plainWord.FindAllString(t.sentence, -1), w) }
	if strings.Count(t.grammar, t.sentence) != 1 || !has(t.target.word) ||
		t.place != (kind{}) && (!has(t.place.word) || t.place.word == t.target.word) {
		return nil, fmt.Errorf("%w: expected its sentence once in the grammar and the words %q and %q in the sentence, got %q",
			ErrNoVariant, t.target.word, t.place.word, t.sentence)
	}
	return t, nil
}

func (t *template) kind(pred int, of int32) kind {
	id := t.game.problem.ID(of)
	return kind{cmp.Or(t.symbols[strings.ToLower(id)], id), t.game.spelled(pred, of)}
}

// kinds are the types that at least so many things have by predicate pred, by symbol.
func (t *template) kinds(pred, atLeast int) []kind {
	counts := map[int32]int{}
	t.game.problem.Start().Match(pred, []int32{-1, -1}, func(f []int32) bool {
		counts[f[1]]++
		return true
	})
	var list []kind
	for of, n := range counts {
		if k := t.kind(pred, of); n >= atLeast && !strings.ContainsAny(k.word, " \"\\") {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b kind) int { return strings.Compare(a.symbol, b.symbol) })
	return list
}

// targets are the types that the goal could ask for instead: there are as many things of them as it wants.
func (t *template) targets() []kind {
	list := t.kinds(t.game.house.pred.objectType, t.game.task.count)
	return slices.DeleteFunc(list, func(k kind) bool { return k == t.target })
}

// places are the types of receptacle that it could name; one that is none where it names none.
func (t *template) places() []kind {
	if t.place == (kind{}) {
		return []kind{{}}
	}
	return t.kinds(t.game.house.pred.receptacleType, 1)
}

// with is variant n.
func (t *template) with(target, place kind, n int) (Varied, error) {
	goal := pddlSymbol.ReplaceAllStringFunc(t.goal, func(s string) string {
		switch {
		case strings.EqualFold(s, t.target.symbol):
			return target.symbol
		case place != (kind{}) && strings.EqualFold(s, t.place.symbol):
			return place.symbol
		}
		return s
	})
	words := func(text string, exchange map[string]string) string {
		return plainWord.ReplaceAllStringFunc(text, func(w string) string { return cmp.Or(exchange[w], w) })
	}
	sentence := words(t.sentence, map[string]string{t.target.word: target.word, t.place.word: place.word})
	file := map[string]any{}
	for key, value := range t.file {
		file[key] = value
	}
	file["pddl_problem"], file["grammar"] = t.before+goal, strings.Replace(t.grammar, t.sentence, sentence, 1)
	if _, ok := file["walkthrough"]; ok {
		file["walkthrough"] = nil // it was another task's
	}
	data, err := json.Marshal(file) // the keys are sorted
	if err != nil {
		return Varied{}, err
	}
	id := words(t.game.id, map[string]string{t.target.name(): target.name(), t.place.name(): place.name()})
	return Varied{ID: id + "-v" + strconv.Itoa(n), Family: t.game.family, Data: data}, nil
}

package hints

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hone-rl/hone/agent"
)

// Leak names one way in which a dataset would tell the model more than types, or something untrue.
type Leak string

// The leaks that the audit counts, in records.
const (
	// HintEqualsCommand: H as a whole, or one of its values, is the record's command.
	HintEqualsCommand Leak = "hint_equals_command"
	// CommandInHint: the record's full command stands inside H among other words.
	CommandInHint Leak = "command_in_hint"
	// DigitsInHint: a digit of any script or form, a number word other than the count, or part of a PDDL id in H.
	DigitsInHint Leak = "digits_in_hint"
	// CommandNotAdmissible: the record's command is not among its admissible commands.
	CommandNotAdmissible Leak = "command_not_admissible"
	// HintDiffers: H is not that of the game's first record.
	HintDiffers Leak = "hint_differs_within_episode"
	// SourceMissing: the game's commands take the target from somewhere and H names no source.
	SourceMissing Leak = "source_missing"
	// SourceMismatched: the sources in H are not the types of the places that the game's commands take the target
	// from, or the plan in H takes it elsewhere.
	SourceMismatched Leak = "source_mismatched"
)

// Leaks are all leaks in the order of reports.
var Leaks = []Leak{
	HintEqualsCommand, CommandInHint, DigitsInHint, CommandNotAdmissible, HintDiffers, SourceMissing, SourceMismatched,
}

// gameAudit is what the audit must remember of a game.
type gameAudit struct {
	taken map[string]map[string]bool // by type of thing, the types of places it was taken from
	hints map[string]*heldHint       // by their JSON
	first *heldHint
}

// heldHint is an H of a game, with what the audit asks of it in each record.
type heldHint struct {
	hint      Hint
	at        []place         // the records that have it
	values    map[string]bool // plain, and all of them together
	plain     string          // between blanks
	instances bool
}

func (g *gameAudit) hold(h Hint) (*heldHint, error) {
	key, err := encode(h)
	if err != nil {
		return nil, err
	}
	held := g.hints[string(key)]
	if held != nil {
		return held, nil
	}
	all := append([]string{h.Skill, h.Count, h.Target, h.Device, h.Destination}, h.Source...)
	all = append(all, h.Plan...)
	held = &heldHint{hint: h, values: map[string]bool{}, plain: " " + agent.Plain(strings.Join(all, " ")) + " ", instances: instances(h)}
	for _, v := range append(all, h.Text(), held.plain) {
		held.values[agent.Plain(v)] = true
	}
	g.hints[string(key)] = held
	if g.first == nil {
		g.first = held
	}
	return held, nil
}

func (h *heldHint) equals(command string) bool { return h.values[agent.Plain(command)] }

func (h *heldHint) holds(command string) bool {
	return strings.Contains(h.plain, " "+agent.Plain(command)+" ")
}

// instances says whether h tells instances apart.
func instances(h Hint) bool {
	if agent.HoldsInstance(h.Text()) {
		return true
	}
	// "cabinet three" is an instance, too. The skill ("pick two and place") and the count are numbers by right.
	texts := slices.Concat([]string{h.Target, h.Device, h.Destination}, h.Source, h.Plan)
	for _, word := range strings.Fields(agent.Plain(strings.Join(texts, " "))) {
		if slices.Contains(numberWords, word) {
			return true
		}
	}
	return false
}

func (g *gameAudit) take(command string) {
	if thing, from, ok := taken(command); ok {
		t := agent.TypeOf(thing)
		if g.taken[t] == nil {
			g.taken[t] = map[string]bool{}
		}
		g.taken[t][agent.TypeOf(from)] = true
	}
}

// source judges the sources in h by the commands of the whole game.
func (g *gameAudit) source(h Hint) (Leak, string) {
	named := map[string]bool{}
	for _, s := range h.Source {
		if s != "" && s != none {
			named[s] = true
		}
	}
	places := slices.Sorted(maps.Keys(g.taken[h.Target]))
	if len(named) == 0 && len(places) > 0 {
		return SourceMissing, fmt.Sprintf("the commands take %s from %s", h.Target, listed(places))
	}
	if said := slices.Sorted(maps.Keys(named)); !slices.Equal(said, places) {
		return SourceMismatched, fmt.Sprintf("H says %s, the commands take %s from %s", listed(said), h.Target, listed(places))
	}
	for _, s := range sources(h.Target, h.Plan) {
		if !named[s] {
			return SourceMismatched, fmt.Sprintf("H says %s, its plan takes %s from %s", listed(places), h.Target, s)
		}
	}
	return "", ""
}

func listed(types []string) string {
	if len(types) == 0 {
		return "nowhere"
	}
	return strings.Join(types, ", ")
}

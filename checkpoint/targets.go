package checkpoint

import (
	"fmt"
	"regexp"
	"strings"
)

// What an adapter's targets may be beside names of layers. Each stands alone.
const (
	AllLinear    = "all-linear" // every linear layer of the blocks
	RegexpPrefix = "regexp:"    // what follows is an expression that a whole path matches, as PEFT's string is
)

// Projections are the seven linear layers of a Qwen2 block, the targets where none are named.
var Projections = []string{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}

// Targets are the linear layers of a model that targets name, as PEFT reads target_modules: a name is a whole path, or
// its end from a dot on. Each name has to be found.
func Targets(m Model, targets []string) ([]Linear, error) {
	wanted, err := NewTargetSet(targets)
	if err != nil {
		return nil, err
	}
	var chosen []Linear
	for _, l := range m.Linears() {
		if wanted.Has(l.Path) {
			chosen = append(chosen, l)
		}
	}
	if err := wanted.Found(true); err != nil {
		return nil, err
	}
	return chosen, nil
}

// TargetSet says of linear layers whether targets name them.
type TargetSet struct {
	names   []string
	found   []bool         // of names; nothing for the others
	pattern *regexp.Regexp // instead of names
	all     bool           // instead of names
	any     bool           // something was found
}

// NewTargetSet reads targets; none are the [Projections].
func NewTargetSet(targets []string) (*TargetSet, error) {
	if len(targets) == 0 {
		targets = Projections
	}
	if len(targets) == 1 && targets[0] == AllLinear {
		return &TargetSet{all: true}, nil
	}
	if expression, is := strings.CutPrefix(targets[0], RegexpPrefix); is && len(targets) == 1 {
		pattern, err := whole("", expression)
		if err != nil {
			return nil, fmt.Errorf("targets: %w", err)
		}
		return &TargetSet{names: targets, pattern: pattern}, nil
	}
	for _, name := range targets {
		if name == AllLinear || strings.HasPrefix(name, RegexpPrefix) {
			return nil, fmt.Errorf("targets %q: %s stands alone", targets, name)
		}
	}
	return &TargetSet{names: targets, found: make([]bool, len(targets))}, nil
}

// whole is an expression that all of a text must match, behind what another matches. What Python reads otherwise than
// Go, or not at all, is refused: letters in brackets at the front, as in (?i), except of all.
func whole(before, expression string) (*regexp.Regexp, error) {
	if at := inPython.FindStringIndex(expression); at != nil && (before != "" || at[0] > 0 || expression[0] != '(') {
		return nil, fmt.Errorf("expression %q: %s is not supported there", expression, expression[at[0]:at[1]])
	}
	pattern, err := regexp.Compile("^(?:" + before + "(?:" + expression + "))$")
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w (look-around and back references are not supported)", expression, err)
	}
	return pattern, nil
}

// inPython finds flags for the rest of an expression, which Python takes at its front alone, {,3}, which is literal in
// Go, and [[:alpha:], which is a set of letters in Python.
var inPython = regexp.MustCompile(`\(\?[A-Za-z-]+\)|\{,[0-9]*\}|\[\[:`)

// Has says whether the layer at path is named, and keeps it in mind for Found.
func (t *TargetSet) Has(path string) bool {
	is := t.all || t.pattern != nil && t.pattern.MatchString(path)
	for i := range t.found {
		if path == t.names[i] || strings.HasSuffix(path, "."+t.names[i]) {
			is, t.found[i] = true, true
		}
	}
	t.any = t.any || is
	return is
}

// Found is an error where Has found no layer, or with strict none of one name.
func (t *TargetSet) Found(strict bool) error {
	for i, found := range t.found {
		if !found && strict {
			return fmt.Errorf("target %q: the model has no such linear layer", t.names[i])
		}
	}
	if !t.any {
		return fmt.Errorf("target %q: the model has no such linear layer", strings.Join(t.names, ", "))
	}
	return nil
}

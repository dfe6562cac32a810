package checkpoint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What an adapter's targets may be beside names of layers. Each stands alone.
const (
	AllLinear    = "all-linear" // every linear layer of the blocks
	RegexpPrefix = "regexp:"    // what follows is an expression that a whole path matches
)

// Projections are the seven linear layers of a Qwen2 block, the targets where none are named.
var Projections = []string{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}

// Targets are the linear layers of a model that targets name, as PEFT reads target_modules: a name is a whole path, or
// its end from a dot on. Each name has to be found.
func Targets(m Model, targets []string) ([]Linear, error) {
	if len(targets) == 0 {
		targets = Projections
	}
	linears := m.Linears()
	if len(targets) == 1 && targets[0] == AllLinear {
		return linears, nil
	}
	has := make([]func(path string) bool, len(targets))
	for i, name := range targets {
		expression, is := strings.CutPrefix(name, RegexpPrefix)
		if name == AllLinear || is && len(targets) > 1 {
			return nil, fmt.Errorf("targets %q: %s stands alone", targets, name)
		}
		has[i] = func(path string) bool { return path == name || strings.HasSuffix(path, "."+name) }
		if is {
			pattern, err := regexp.Compile("^(?:" + expression + ")$")
			if err != nil {
				return nil, fmt.Errorf("targets: %w", err)
			}
			has[i] = pattern.MatchString
		}
	}
	var chosen []Linear
	found := make([]bool, len(targets))
	for _, l := range linears {
		is := false
		for i := range targets {
			if has[i](l.Path) {
				found[i], is = true, true
			}
		}
		if is {
			chosen = append(chosen, l)
		}
	}
	if i := slices.Index(found, false); i >= 0 {
		return nil, fmt.Errorf("target %q: the model has no such linear layer", targets[i])
	}
	return chosen, nil
}

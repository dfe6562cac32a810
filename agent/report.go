package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/gowebpki/jcs"
)

// Report is tables of evaluations.
type Report struct {
	Panels []Panel `json:"panels"`
}

// Panel is one table: rows under the same conditions on the same games.
type Panel struct {
	Name  string `json:"name"`  // the caller's, such as "valid_unseen"
	Label string `json:"label"` // the families it contains: "all six families", "pick_and_place_simple only"
	Cells []Cell `json:"cells"` // in the order given
	// Spread is the rows that have a seed, over all of them; absent where none has.
	Spread []Spread `json:"spread,omitempty"`
}

// alfworld are the families of ALFWorld, in the order of its task ids.
var alfworld = []string{
	"pick_and_place_simple", "look_at_obj_in_light", "pick_clean_then_place_in_recep",
	"pick_heat_then_place_in_recep", "pick_cool_then_place_in_recep", "pick_two_obj_and_place",
}

// NewPanel makes a table of cells. It refuses, with a *CompareError, rows whose conditions or games differ and
// rows that are the same.
func NewPanel(name string, cells ...Cell) (Panel, error) {
	if len(cells) == 0 {
		return Panel{}, fmt.Errorf("panel %s: expected a row", name)
	}
	for i, b := range cells {
		for _, a := range cells[:i] {
			if err := compare(a, b); err != nil {
				return Panel{}, fmt.Errorf("panel %s: %w", name, err)
			}
		}
	}
	return Panel{Name: name, Label: label(cells[0]), Cells: cells, Spread: spread(cells)}, nil
}

func compare(a, b Cell) error {
	differ := &CompareError{A: a.Name(), B: b.Name()}
	if a.Name() == b.Name() {
		differ.What, differ.ValueA, differ.ValueB = "row", a.Name(), b.Name()
		return differ
	}
	theirs := b.Conditions.list()
	theirs = append(theirs, condition{"games played", b.Played})
	for i, c := range append(a.Conditions.list(), condition{"games played", a.Played}) {
		if c.value != theirs[i].value {
			differ.What, differ.ValueA, differ.ValueB = c.name, c.value, theirs[i].value
			return differ
		}
	}
	return nil
}

// NewReport puts panels together. Two of the same name are refused.
func NewReport(panels ...Panel) (Report, error) {
	for i, p := range panels {
		for _, q := range panels[:i] {
			if p.Name == q.Name {
				return Report{}, fmt.Errorf("report: two panels are named %q", p.Name)
			}
		}
	}
	return Report{Panels: panels}, nil
}

// JSON is the report in canonical form (RFC 8785).
func (r Report) JSON() ([]byte, error) {
	plain, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding the report: %w", err)
	}
	return jcs.Transform(plain)
}

// label says which families a panel is of, so that one family is never taken for all.
func label(c Cell) string {
	families := c.families()
	switch {
	case len(families) == 1:
		return families[0] + " only"
	case slices.Equal(families, alfworld):
		return "all six families"
	}
	text := fmt.Sprintf("%d families: ", len(families))
	for i, f := range families {
		if i > 0 {
			text += ", "
		}
		text += f
	}
	return text
}

// families are the cell's, ALFWorld's in its order, then others by name.
func (c Cell) families() []string {
	var all []string
	for _, f := range alfworld {
		if _, ok := c.Families[f]; ok {
			all = append(all, f)
		}
	}
	for _, f := range slices.Sorted(maps.Keys(c.Families)) {
		if !slices.Contains(alfworld, f) {
			all = append(all, f)
		}
	}
	return all
}

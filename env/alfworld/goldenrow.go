package alfworld

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/internal/exact"
)

// goldenRow is one line of a transcript. Other keys are ignored.
type goldenRow struct {
	Walk     *string   `json:"walk"`
	Step     *int      `json:"step"` // 0 begins a walk
	Command  *string   `json:"command"`
	Feedback *string   `json:"feedback"`
	Commands *[]string `json:"admissible_commands"`
	Score    *float64  `json:"score"`
	Won      *bool     `json:"won"`
	Done     *bool     `json:"done"`
	Moves    *int      `json:"moves"`
}

// goldenOrder reads the rows of a transcript, walk after walk, each with its steps from 0 on.
type goldenOrder struct {
	walk  string
	step  int
	walks map[string]bool // those begun
}

// read reads the next row. All but the command of a first step must be there, in its place: a transcript that says
// less than it should would be found right.
func (o *goldenOrder) read(line []byte) (row goldenRow, err error) {
	if err := exact.Unmarshal(line, &row); err != nil {
		return row, goldenError(err)
	}
	for _, f := range []struct {
		name string
		lost bool
	}{
		{"walk", row.Walk == nil},
		{"step", row.Step == nil},
		{"command", row.Command == nil && row.Step != nil && *row.Step != 0},
		{"feedback", row.Feedback == nil},
		{"admissible_commands", row.Commands == nil},
		{"score", row.Score == nil},
		{"won", row.Won == nil},
		{"done", row.Done == nil},
		{"moves", row.Moves == nil},
	} {
		if f.lost {
			return row, fmt.Errorf("no %q in the row", f.name)
		}
	}
	walk, step := *row.Walk, *row.Step
	switch {
	case step == 0 && row.Command != nil:
		return row, fmt.Errorf("command %q at step 0 of walk %q, expected null: a walk begins without one", *row.Command, walk)
	case step == 0 && o.walks[walk]:
		return row, fmt.Errorf("walk %q begins again, expected each walk once", walk)
	case step == 0:
		if o.walks == nil {
			o.walks = map[string]bool{}
		}
		o.walks[walk] = true
	case o.walks == nil || walk != o.walk:
		return row, fmt.Errorf("step %d of walk %q, expected step 0 before it", step, walk)
	case step != o.step+1:
		return row, fmt.Errorf("step %d after step %d of walk %q, expected step %d", step, o.step, walk, o.step+1)
	}
	o.walk, o.step = walk, step
	return row, nil
}

// goldenError says what is wrong with the JSON of a row.
func goldenError(err error) error {
	var typ *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%w, expected a row of a walk", syntax)
	case !errors.As(err, &typ):
		return fmt.Errorf("%w, expected a row of a walk", err)
	}
	if typ.Field == "" {
		return fmt.Errorf("the row is %s, expected an object", exact.Value(typ))
	}
	return fmt.Errorf("%q is %s, expected %s", typ.Field, exact.Value(typ), exact.Kind(typ.Type))
}

package skills

import (
	"errors"
	"fmt"

	"github.com/hone-rl/hone/artifacts"
)

// DecodeChanges reads what Encode wrote, byte for byte. Anything else is refused, with the file, its line and field.
// Whether the changes fit a library is for Apply to say.
func DecodeChanges(files ChangeFiles) (Changes, error) {
	var head changesHeader
	var c Changes
	births := 0
	for n, text := range lines(files.Changes) {
		err := checkLine(text)
		switch {
		case err != nil:
		case n == 1:
			err = readChangesHeader(text, &head)
		case len(c.List) == head.Changes:
			err = fmt.Errorf("more than the %d changes of the header", head.Changes)
		default:
			var one Change
			var born bool
			one, born, err = readChange(text)
			c.List = append(c.List, one)
			if born {
				births++
			}
		}
		if err != nil {
			return Changes{}, atLine(ChangesName, n, err)
		}
	}
	switch {
	case head.Schema == "":
		return Changes{}, atLine(ChangesName, 1, errors.New("nothing there, expected the header"))
	case len(c.List) != head.Changes:
		return Changes{}, fmt.Errorf("%s: %d changes, expected %d as its header says: the file is cut off", ChangesName, len(c.List), head.Changes)
	case births != head.Births:
		return Changes{}, fmt.Errorf("%s: %d skills born or merged, expected %d as its header says", ChangesName, births, head.Births)
	}
	c.Step, c.Before, c.After = head.Step, head.Before, head.After
	vectors, err := readVectors(BornName, files.Born, head.Vectors, head.Births, head.Dimension)
	if err != nil {
		return Changes{}, err
	}
	c.hand(vectors, head.Dimension)
	return c, nil
}

// hand gives each newborn its vector.
func (c Changes) hand(vectors []float32, dimension int) {
	next := func() []float32 {
		row := vectors[:dimension:dimension]
		vectors = vectors[dimension:]
		return row
	}
	for _, one := range c.List {
		switch one := one.(type) {
		case *Born:
			one.Vector = next()
		case *Merged:
			one.Vector = next()
		}
	}
}

func readChangesHeader(text []byte, head *changesHeader) error {
	if err := readLine(text, head); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if head.Schema != ChangesSchema {
		return fmt.Errorf("schema: %.40q, expected %q", head.Schema, ChangesSchema)
	}
	for _, f := range []struct {
		name               string
		value, least, most int
	}{
		{"step", head.Step, 1, maxCount},
		{"changes", head.Changes, 0, MaxChanges},
		{"births", head.Births, 0, head.Changes},
		{"dimension", head.Dimension, min(head.Births, 1), min(head.Births, 1) * MaxDimension},
	} {
		if f.value < f.least || f.value > f.most {
			return fmt.Errorf("%s: %d, expected %d to %d", f.name, f.value, f.least, f.most)
		}
	}
	for _, f := range []struct {
		name  string
		value artifacts.Digest
	}{{"before", head.Before}, {"after", head.After}} {
		if err := f.value.Validate(); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// readChange reads a change without its vector, and says whether it has one.
func readChange(text []byte) (one Change, born bool, err error) {
	var line changeLine
	if err := readLine(text, &line); err != nil {
		return nil, false, err
	}
	var found []Change
	if line.Born != nil {
		found, born = append(found, line.Born), true
	}
	if line.Merged != nil {
		found, born = append(found, line.Merged), true
	}
	if line.Updated != nil {
		found = append(found, line.Updated)
	}
	if line.Retired != nil {
		found = append(found, line.Retired)
	}
	if len(found) != 1 {
		return nil, false, fmt.Errorf("%d changes, expected one of born, merged, updated, retired", len(found))
	}
	return found[0], born, found[0].check()
}

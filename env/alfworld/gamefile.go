package alfworld

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/internal/exact"
)

// file is the game file's JSON. Other keys are ignored.
type file struct {
	Domain      *string  `json:"pddl_domain"`
	Problem     *string  `json:"pddl_problem"`
	Grammar     *string  `json:"grammar"`
	Walkthrough []string `json:"walkthrough"`

	domain []byte // how it stands in the file, with the quotation mark at its end; nil where that is not known
}

// readGameFile reads a game file; known is as for quickFile.
func readGameFile(data []byte, known func(rest []byte) (text, quoted string)) (file, error) {
	var f file
	if len(data) > MaxFile {
		return f, fmt.Errorf("%w: %d bytes, expected at most %d", env.ErrBadGame, len(data), MaxFile)
	}
	if f, ok := quickFile(data, known); ok {
		return f, nil
	}
	if err := notUTF8(data); err != nil {
		return f, err
	}
	if err := exact.Unmarshal(data, &f); err != nil {
		return f, jsonError(data, err, "a game file")
	}
	return f, nil
}

// jsonError says where in data the JSON of what is broken.
func jsonError(data []byte, err error, what string) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at := min(int(syntax.Offset), len(data))
		return fmt.Errorf("%w: line %d, byte %d: %w, expected the JSON of %s", env.ErrBadGame,
			1+bytes.Count(data[:at], []byte("\n")), at, syntax, what)
	case errors.As(err, &typ):
		return fmt.Errorf("%w: %s is %s, expected %s", env.ErrBadGame,
			cmp.Or(typ.Field, "the file"), exact.Value(typ), exact.Kind(typ.Type))
	}
	return fmt.Errorf("%w: %w", env.ErrBadGame, err)
}

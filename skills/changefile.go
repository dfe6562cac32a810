package skills

import (
	"bytes"
	"fmt"

	"github.com/hone-rl/hone/artifacts"
)

// ChangeFiles are a step's changes as two files. They are a function of the changes, byte for byte.
type ChangeFiles struct {
	Changes []byte // ChangesName
	Born    []byte // BornName: the vectors of those born and merged, in the order of their lines
}

// The names of the files of changes.
const (
	ChangesName = "changes.jsonl"
	BornName    = "born.npy"
)

// ChangesSchema is of changes.jsonl.
const ChangesSchema = "hone.skills.changes/1"

// changesHeader is the first line of changes.jsonl.
type changesHeader struct {
	Schema    string           `json:"schema"`
	Step      int              `json:"step"`
	Before    artifacts.Digest `json:"before"` // of the library that they are for
	After     artifacts.Digest `json:"after"`  // of the library that they make
	Changes   int              `json:"changes"`
	Births    int              `json:"births"`    // vectors
	Dimension int              `json:"dimension"` // of a vector, 0 if there is none
	Vectors   artifacts.Digest `json:"vectors"`   // of born.npy
}

// MaxChanges bounds a step's changes.
const MaxChanges = 1_000_000

// changeLine is a change as a line: an object whose one member says what it is.
type changeLine struct {
	Born    *Born    `json:"born,omitempty"`
	Merged  *Merged  `json:"merged,omitempty"`
	Updated *Updated `json:"updated,omitempty"`
	Retired *Retired `json:"retired,omitempty"`
}

func lineOf(c Change) (line changeLine) {
	switch c := c.(type) {
	case *Born:
		line.Born = c
	case *Merged:
		line.Merged = c
	case *Updated:
		line.Updated = c
	case *Retired:
		line.Retired = c
	}
	return line
}

// Encode is the changes as their files.
func (c Changes) Encode() (ChangeFiles, error) {
	fail := func(err error) (ChangeFiles, error) {
		return ChangeFiles{}, fmt.Errorf("writing the changes of step %d: %w", c.Step, err)
	}
	head := changesHeader{Schema: ChangesSchema, Step: c.Step, Before: c.Before, After: c.After, Changes: len(c.List)}
	var body bytes.Buffer
	var vectors []float32
	for i, one := range c.List {
		line := lineOf(one)
		var vector []float32
		born := false
		switch one := one.(type) {
		case *Born:
			vector, born = one.Vector, true
		case *Merged:
			vector, born = one.Vector, true
		}
		if born {
			if head.Births > 0 && len(vector) != head.Dimension {
				return fail(fmt.Errorf("change %d: a vector of %d numbers, expected %d", i+1, len(vector), head.Dimension))
			}
			head.Births, head.Dimension = head.Births+1, len(vector)
			vectors = append(vectors, vector...)
		}
		if err := writeLine(&body, line); err != nil {
			return fail(fmt.Errorf("change %d: %w", i+1, err))
		}
	}
	files := ChangeFiles{Born: encodeVectors(vectors, head.Births, head.Dimension)}
	head.Vectors = artifacts.Of(files.Born)
	var b bytes.Buffer
	if err := writeLine(&b, head); err != nil {
		return fail(err)
	}
	files.Changes = append(b.Bytes(), body.Bytes()...)
	if len(c.List) > MaxChanges || max(len(files.Changes), len(files.Born)) > MaxFile {
		return fail(fmt.Errorf("%d changes, %d bytes and %d of vectors, expected at most %d changes and %d bytes each", len(c.List), len(files.Changes), len(files.Born), MaxChanges, MaxFile))
	}
	return files, nil
}

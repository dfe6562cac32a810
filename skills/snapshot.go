package skills

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/artifacts"
)

// Snapshot is a library as two files. They are a function of the library, byte for byte.
type Snapshot struct {
	Skills  []byte // SkillsName
	Vectors []byte // VectorsName
}

// The names of a snapshot's files.
const (
	SkillsName  = "skills.jsonl"
	VectorsName = "vectors.npy"
)

// MaxFile bounds each of the files that are read here, in bytes: for whoever fetches them. A library of 5,000 skills
// has some megabytes.
const MaxFile = 1 << 30

// Schema is of skills.jsonl.
const Schema = "hone.skills/1"

// snapshotHeader is the first line of skills.jsonl.
type snapshotHeader struct {
	Schema    string           `json:"schema"`
	Step      int              `json:"step"`
	Skills    int              `json:"skills"`
	Dimension int              `json:"dimension"`
	Vectors   artifacts.Digest `json:"vectors"` // of vectors.npy
	Rules     Rules            `json:"rules"`
}

// Encode is the library as its files.
func (l *Library) Encode() (Snapshot, error) {
	s := Snapshot{Vectors: encodeVectors(l.vectors, len(l.skills), l.dimension)}
	var b bytes.Buffer
	err := writeLine(&b, snapshotHeader{Schema, l.step, len(l.skills), l.dimension, artifacts.Of(s.Vectors), l.rules})
	for i := 0; i < len(l.skills) && err == nil; i++ {
		err = writeLine(&b, l.skills[i])
	}
	s.Skills = b.Bytes()
	if err == nil && max(len(s.Skills), len(s.Vectors)) > MaxFile {
		err = fmt.Errorf("%d bytes of skills and %d of vectors, expected at most %d each", len(s.Skills), len(s.Vectors), MaxFile)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("writing the library at step %d: %w", l.step, err)
	}
	return s, nil
}

// Decode reads what Encode wrote, byte for byte. Anything else is refused, with the file, its line and field: cut off,
// other vectors than the header names, a record that says the same in another way.
func Decode(s Snapshot) (*Library, error) {
	l := &Library{}
	var head snapshotHeader
	for n, text := range lines(s.Skills) {
		err := checkLine(text)
		switch {
		case err != nil:
		case n == 1:
			err = readSnapshotHeader(text, &head)
		case len(l.skills) == head.Skills:
			err = fmt.Errorf("more than the %d skills of the header", head.Skills)
		default:
			var one Skill
			if err = readLine(text, &one); err == nil {
				err = one.Validate()
			}
			l.skills = append(l.skills, one)
		}
		if err != nil {
			return nil, atLine(SkillsName, n, err)
		}
	}
	if head.Schema == "" {
		return nil, atLine(SkillsName, 1, errors.New("nothing there, expected the header"))
	}
	if len(l.skills) != head.Skills {
		return nil, fmt.Errorf("%s: %d skills, expected %d as its header says: the file is cut off", SkillsName, len(l.skills), head.Skills)
	}
	l.rules, l.step, l.dimension = head.Rules, head.Step, head.Dimension
	var err error
	if l.vectors, err = readVectors(VectorsName, s.Vectors, head.Vectors, head.Skills, head.Dimension); err != nil {
		return nil, err
	}
	if err := l.finish("line", 2); err != nil {
		return nil, fmt.Errorf("%s %w", SkillsName, err)
	}
	return l, nil
}

func readSnapshotHeader(text []byte, head *snapshotHeader) error {
	if err := readLine(text, head); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	switch {
	case head.Schema != Schema:
		return fmt.Errorf("schema: %.40q, expected %q", head.Schema, Schema)
	case head.Skills < 0 || head.Skills > MaxSkills:
		return fmt.Errorf("skills: %d, expected 0 to %d", head.Skills, MaxSkills)
	case head.Dimension < 1 || head.Dimension > MaxDimension:
		return fmt.Errorf("dimension: %d, expected 1 to %d", head.Dimension, MaxDimension)
	case head.Rules != head.Rules.WithDefaults():
		return errors.New("rules: one is missing, expected all")
	}
	return nil
}

// readVectors reads a file of vectors that another names by its digest.
func readVectors(name string, b []byte, want artifacts.Digest, rows, dimension int) ([]float32, error) {
	if got := artifacts.Of(b); got != want {
		return nil, fmt.Errorf("%s: digest %s, expected %s as the header says", name, got, want)
	}
	vectors, err := decodeVectors(b, rows, dimension)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return vectors, nil
}

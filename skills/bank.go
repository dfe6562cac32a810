package skills

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/hone-rl/hone/artifacts"
)

// Told is a skill as it is told from outside: without a birth, figures and a vector.
type Told struct {
	Name     string  `json:"name,omitempty"` // what its bank calls it
	Task     string  `json:"task"`           // text of the task that it is about
	Type     string  `json:"type,omitempty"` // as [Skill.Type]
	Head     string  `json:"head"`           // as [Skill.Head]
	Strategy string  `json:"strategy"`
	Outcome  Outcome `json:"outcome"` // Failure of a mistake
}

// Bank is skills from outside, in their order: what a library may begin with. [ReadBank] reads what others wrote.
type Bank []Told

// BankName is the file of a bank.
const BankName = "bank.jsonl"

// BankSchema is of bank.jsonl.
const BankSchema = "hone.skills.bank/1"

// bankHeader is the first line of bank.jsonl.
type bankHeader struct {
	Schema string `json:"schema"`
	Skills int    `json:"skills"`
}

// Encode is the bank as its file, which is a function of it, byte for byte. A skill that cannot be one is an error that
// names it.
func (b Bank) Encode() ([]byte, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	var file bytes.Buffer
	err := writeLine(&file, bankHeader{BankSchema, len(b)})
	for i := 0; i < len(b) && err == nil; i++ {
		err = writeLine(&file, b[i])
	}
	if err == nil && file.Len() > MaxBank {
		err = fmt.Errorf("%d bytes, expected at most %d", file.Len(), MaxBank)
	}
	return file.Bytes(), err
}

// check says which skill of the bank cannot be one.
func (b Bank) check() error {
	if len(b) == 0 || len(b) > MaxSkills {
		return fmt.Errorf("%d skills, expected 1 to %d", len(b), MaxSkills)
	}
	for i, t := range b {
		if err := t.Validate(); err != nil {
			return fmt.Errorf("skill %d: %w", i+1, err)
		}
	}
	return nil
}

// Validate says all that is wrong with t, nil if nothing is.
func (t Told) Validate() error { return t.skill(1, artifacts.Of(nil)).Validate() }

// DecodeBank reads what Encode wrote, byte for byte. Anything else is refused, with the file, its line and field.
func DecodeBank(file []byte) (Bank, error) {
	var head bankHeader
	var bank Bank
	for n, text := range lines(file) {
		err := checkLine(text)
		switch {
		case err != nil:
		case n == 1:
			if err = readLine(text, &head); err == nil && head.Schema != BankSchema {
				err = fmt.Errorf("schema: %.40q, expected %q", head.Schema, BankSchema)
			}
		default:
			var one Told
			if err = readLine(text, &one); err == nil {
				err = one.Validate()
			}
			bank = append(bank, one)
		}
		if err != nil {
			return nil, atLine(BankName, n, err)
		}
	}
	if head.Schema == "" {
		return nil, atLine(BankName, 1, errors.New("nothing there, expected the header"))
	}
	if len(bank) != head.Skills {
		return nil, fmt.Errorf("%s: %d skills, expected %d as its header says", BankName, len(bank), head.Skills)
	}
	if err := bank.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", BankName, err)
	}
	return bank, nil
}

// Skills are those that a library has which begins with the bank, in its order: born of no episode, but of a line of the
// bank's file.
func (b Bank) Skills() ([]Skill, error) {
	file, err := b.Encode()
	if err != nil {
		return nil, err
	}
	source := artifacts.Of(file)
	all := make([]Skill, len(b))
	for i, t := range b {
		all[i] = t.skill(i+1, source)
	}
	return all, nil
}

// skill is the n-th of a bank, from 1, whose file has that digest. The number keeps two apart that say the same.
func (t Told) skill(n int, source artifacts.Digest) Skill {
	episode := "bank/" + strconv.Itoa(n)
	if t.Name != "" {
		episode += "/" + t.Name
	}
	return Skill{
		ID: NewID(episode, source, t.Head, t.Strategy), Task: t.Task, Type: t.Type, Head: t.Head, Strategy: t.Strategy, Episode: episode,
		Source: source, Outcome: t.Outcome, Utility: BirthUtility, Count: BirthCount,
	}
}

// Counts are how many of a bank's skills are of which kind, as the rule by type tells them.
type Counts struct {
	Skills   int            `json:"skills"`
	General  int            `json:"general"`
	Types    map[string]int `json:"types,omitempty"`
	Mistakes int            `json:"mistakes"`
}

// Count counts them.
func (b Bank) Count() Counts {
	c := Counts{Skills: len(b)}
	for _, t := range b {
		switch {
		case t.Type != "":
			if c.Types == nil {
				c.Types = map[string]int{}
			}
			c.Types[t.Type]++
		case t.Outcome == Failure:
			c.Mistakes++
		default:
			c.General++
		}
	}
	return c
}

// filled is t with what nobody said: a task, as each skill has one, and an outcome.
func (t Told) filled() Told {
	about := "any task"
	if t.Type != "" {
		about = "a task of type " + t.Type
	}
	t.Task, t.Outcome = cmp.Or(t.Task, about), cmp.Or(t.Outcome, Unknown)
	return t
}

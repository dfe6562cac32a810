package skills

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hone-rl/hone/internal/exact"
)

// MaxBank bounds a bank's file, in bytes: for whoever reads it. SkillRL's own have some tens of kilobytes.
const MaxBank = 64 << 20

// ReadBank reads a bank that others wrote, in the layout that its name tells: .json is SkillRL's, .jsonl an object a line
// with task, type, head, strategy and outcome. Texts are brought onto one line, as skills are shown. Errors name the file,
// its line or field, and what was expected.
func ReadBank(name string, file []byte) (Bank, error) {
	read := map[string]func([]byte) (Bank, error){".json": readSkillRL, ".jsonl": readTold}[strings.ToLower(path.Ext(name))]
	if read == nil {
		return nil, fmt.Errorf("%s: expected a name that ends with .json, for SkillRL's layout, or .jsonl, for a skill a line", name)
	}
	if !utf8.Valid(file) {
		return nil, fmt.Errorf("%s: not UTF-8", name)
	}
	bank, err := read(bytes.TrimPrefix(file, []byte("\ufeff")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := bank.Encode(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return bank, nil
}

// readTold reads a skill a line, or a bank as it is stored. Empty lines are passed over.
func readTold(file []byte) (Bank, error) {
	if bytes.HasPrefix(file, []byte(`{"schema":"`)) {
		return DecodeBank(file)
	}
	var bank Bank
	for n, text := range lines(file) {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var one Told
		err := exact.UnmarshalKnown(text, &one)
		if err == nil {
			one = one.plain()
			switch {
			case one.Strategy == "":
				err = errors.New("strategy: empty, expected a text: what to do")
			case one.Head == "" && one.Task == "":
				err = errors.New("head: empty, expected it or task: when the skill applies")
			}
		}
		if err == nil {
			one = one.filled()
			err = one.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %s", n, strings.TrimPrefix(err.Error(), "line 1: "))
		}
		bank = append(bank, one)
	}
	return bank, nil
}

// plain has the texts on one line each.
func (t Told) plain() Told {
	for _, text := range []*string{&t.Name, &t.Task, &t.Type, &t.Head, &t.Strategy} {
		*text = strings.Join(strings.Fields(*text), " ")
	}
	return t
}

// skillRL is the layout of SkillRL's banks (memory_data/…/claude_style_skills.json). Other fields of an entry are passed
// over, another list is refused: it would be missing.
type skillRL struct {
	General  []principle            `json:"general_skills"`
	Types    map[string][]principle `json:"task_specific_skills"`
	Mistakes []mistake              `json:"common_mistakes"`
}

type principle struct {
	ID        string `json:"skill_id"`
	Title     string `json:"title"`
	Principle string `json:"principle"`
	When      string `json:"when_to_apply"`
}

type mistake struct {
	ID    string `json:"mistake_id"`
	What  string `json:"description"`
	Why   string `json:"why_it_happens"`
	Avoid string `json:"how_to_avoid"`
}

// readSkillRL reads SkillRL's layout: general skills first, then those of each type, by its name, then mistakes.
func readSkillRL(file []byte) (Bank, error) {
	var known struct {
		General  json.RawMessage `json:"general_skills"`
		Types    json.RawMessage `json:"task_specific_skills"`
		Mistakes json.RawMessage `json:"common_mistakes"`
	}
	if err := exact.UnmarshalKnown(file, &known); err != nil {
		return nil, fmt.Errorf("%w; expected general_skills, task_specific_skills and common_mistakes", err)
	}
	var from skillRL
	if err := exact.Unmarshal(file, &from); err != nil {
		return nil, err
	}
	count := len(from.General) + len(from.Mistakes)
	for _, list := range from.Types {
		count += len(list)
	}
	if count > MaxSkills {
		return nil, fmt.Errorf("%d skills, expected 1 to %d", count, MaxSkills)
	}
	r := &bankReader{}
	for i, p := range from.General {
		r.principle(fmt.Sprintf("general_skills[%d]", i), "", p)
	}
	for _, kind := range slices.Sorted(maps.Keys(from.Types)) {
		field := "task_specific_skills." + kind
		if strings.TrimSpace(kind) == "" {
			r.bad("task_specific_skills: a type without a name, expected one, such as clean")
		}
		for i, p := range from.Types[kind] {
			r.principle(fmt.Sprintf("%s[%d]", field, i), kind, p)
		}
	}
	for i, m := range from.Mistakes {
		r.mistake(fmt.Sprintf("common_mistakes[%d]", i), m)
	}
	return r.bank, errors.Join(r.wrong...)
}

// bankReader gathers skills, and all that is wrong with them.
type bankReader struct {
	bank  Bank
	wrong []error
}

// mostTold is how many complaints are told of.
const mostTold = 20

func (r *bankReader) bad(format string, args ...any) {
	if len(r.wrong) < mostTold {
		r.wrong = append(r.wrong, fmt.Errorf(format, args...))
	}
}

// need complains of a text that is empty.
func (r *bankReader) need(field, name, text, what string) {
	if strings.TrimSpace(text) == "" {
		r.bad("%s.%s: empty or missing, expected a text: %s", field, name, what)
	}
}

func (r *bankReader) principle(field, kind string, p principle) {
	r.need(field, "title", p.Title, "the skill in a few words")
	r.need(field, "principle", p.Principle, "what to do")
	r.need(field, "when_to_apply", p.When, "when")
	r.add(field, Told{Name: p.ID, Type: kind, Head: p.When, Strategy: p.Title + ": " + p.Principle, Outcome: Success})
}

func (r *bankReader) mistake(field string, m mistake) {
	r.need(field, "description", m.What, "the mistake")
	r.need(field, "how_to_avoid", m.Avoid, "what to do in its place")
	told := Told{Name: m.ID, Head: m.What, Strategy: m.Avoid, Outcome: Failure}
	if why := strings.TrimSpace(m.Why); why != "" {
		told.Strategy += " (why it happens: " + why + ")"
	}
	r.add(field, told)
}

func (r *bankReader) add(field string, t Told) {
	t = t.plain().filled()
	if err := t.Validate(); err != nil && len(r.wrong) == 0 { // else it is what is missing that is wrong
		r.bad("%s: %w", field, err)
	}
	r.bank = append(r.bank, t)
}

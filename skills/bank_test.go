package skills_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

const published = `{
  "general_skills": [{"skill_id": "gen_001", "title": "Look\naround", "principle": "Look  first.", "when_to_apply": "At the start.", "origin": "passed over"}],
  "task_specific_skills": {
    "heat": [{"skill_id": "hea_001", "title": "Warm", "principle": "Use the microwave.", "when_to_apply": "To warm."}],
    "clean": [{"title": "Wash", "principle": "Use the sink.", "when_to_apply": "To wash."}]
  },
  "common_mistakes": [
    {"mistake_id": "err_001", "description": "Going round.", "why_it_happens": "Nothing is kept in mind.", "how_to_avoid": "Go on."},
    {"mistake_id": "err_002", "description": "Waiting.", "how_to_avoid": "Act."}
  ]
}`

var read = skills.Bank{
	{Name: "gen_001", Task: "any task", Head: "At the start.", Strategy: "Look around: Look first.", Outcome: skills.Success},
	{Task: "a task of type clean", Type: "clean", Head: "To wash.", Strategy: "Wash: Use the sink.", Outcome: skills.Success},
	{Name: "hea_001", Task: "a task of type heat", Type: "heat", Head: "To warm.", Strategy: "Warm: Use the microwave.", Outcome: skills.Success},
	{Name: "err_001", Task: "any task", Head: "Going round.", Strategy: "Go on. (why it happens: Nothing is kept in mind.)", Outcome: skills.Failure},
	{Name: "err_002", Task: "any task", Head: "Waiting.", Strategy: "Act.", Outcome: skills.Failure},
}

const bankFile = `{"schema":"hone.skills.bank/1","skills":2}
{"task":"any task","head":"h","strategy":"s","outcome":"success"}
{"name":"b","task":"t","type":"heat","head":"","strategy":"do","outcome":"failure"}
`

var ofFile = skills.Bank{
	{Task: "any task", Head: "h", Strategy: "s", Outcome: skills.Success},
	{Name: "b", Task: "t", Type: "heat", Strategy: "do", Outcome: skills.Failure},
}

func TestReadBank(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		want       skills.Bank
	}{
		"SkillRL's layout":  {"a/bank.json", published, read},
		"behind a mark":     {"bank.JSON", "\ufeff" + published, read},
		"mistakes alone":    {"bank.json", `{"common_mistakes": [{"description": "d", "how_to_avoid": "h"}]}`, skills.Bank{{Task: "any task", Head: "d", Strategy: "h", Outcome: skills.Failure}}},
		"a skill a line":    {"bank.jsonl", `{"strategy": "s", "head": "h", "outcome": "success"}` + "\n\n" + `{"task":"t","type":"heat","strategy":"do","outcome":"failure","name":"b"}`, ofFile},
		"one as stored":     {"bank.jsonl", bankFile, ofFile},
		"without outcome":   {"bank.jsonl", `{"strategy": "s", "task": "t"}`, skills.Bank{{Task: "t", Strategy: "s", Outcome: skills.Unknown}}},
		"a type has a task": {"bank.jsonl", `{"strategy": "s", "head": "h\n1", "type": "cool"}`, skills.Bank{{Task: "a task of type cool", Type: "cool", Head: "h 1", Strategy: "s", Outcome: skills.Unknown}}},
	} {
		if got, err := skills.ReadBank(c.file, []byte(c.text)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}

// What is wrong is named with file and line or field, and what was expected.
func TestReadBankRefuses(t *testing.T) {
	general := func(entry string) string { return `{"general_skills": [` + entry + `]}` }
	for name, c := range map[string]struct{ file, text, want string }{
		"another name":     {"bank.txt", published, "bank.txt: expected a name that ends with .json, for SkillRL's layout, or .jsonl"},
		"not UTF-8":        {"bank.json", "{\xff}", "bank.json: not UTF-8"},
		"no JSON":          {"bank.json", "{\n\"general_skills\": [}\n", "bank.json: line 2: "},
		"another list":     {"bank.json", `{"general_skill": []}`, `bank.json: "general_skill" is not known; expected general_skills, task_specific_skills and common_mistakes`},
		"a list for types": {"bank.json", `{"task_specific_skills": []}`, "bank.json: line 1: "},
		"a list twice":     {"bank.json", `{"task_specific_skills": {"heat": [], "heat": []}}`, `task_specific_skills: "heat" stands twice`},
		"no principle":     {"bank.json", general(`{"title": "t", "when_to_apply": "w"}`), "bank.json: general_skills[0].principle: empty or missing, expected a text: what to do"},
		"an empty title":   {"bank.json", `{"task_specific_skills": {"heat": [{"title": " ", "principle": "p", "when_to_apply": "w"}]}}`, "task_specific_skills.heat[0].title: empty or missing"},
		"no when":          {"bank.json", general(`{"title": "t", "principle": "p"}`), "general_skills[0].when_to_apply: empty or missing, expected a text: when"},
		"a number":         {"bank.json", general(`{"title": 1}`), "general_skills"},
		"how to avoid":     {"bank.json", `{"common_mistakes": [{"description": "d"}]}`, "common_mistakes[0].how_to_avoid: empty or missing"},
		"no type":          {"bank.json", `{"task_specific_skills": {" ": []}}`, "task_specific_skills: a type without a name"},
		"too long":         {"bank.json", general(`{"title": "t", "principle": "p", "when_to_apply": "` + strings.Repeat("w", 65537) + `"}`), "general_skills[0]: head: 65537 bytes, expected at most 65536"},
		"nothing":          {"bank.json", `{}`, "bank.json: 0 skills, expected 1 to 100000"},
		"no line":          {"bank.jsonl", "\n", "bank.jsonl: 0 skills, expected 1 to 100000"},
		"a line's field":   {"bank.jsonl", "{\"strategy\": \"s\", \"head\": \"h\"}\n{\"strategie\": \"s\"}", `bank.jsonl: line 2: "strategie" is not known`},
		"a line's text":    {"bank.jsonl", "\n{\"head\": \"h\"}", "bank.jsonl: line 2: strategy: empty, expected a text: what to do"},
		"a line's key":     {"bank.jsonl", `{"strategy": "s"}`, "bank.jsonl: line 1: head: empty, expected it or task"},
		"a line's outcome": {"bank.jsonl", `{"strategy": "s", "head": "h", "outcome": "won"}`, `bank.jsonl: line 1: outcome: "won", expected success, failure or unknown`},
		"another schema":   {"bank.jsonl", strings.Replace(bankFile, "bank/1", "bank/2", 1), `bank.jsonl line 1: schema: "hone.skills.bank/2"`},
		"a line cut off":   {"bank.jsonl", `{"strategy": "s"`, "bank.jsonl: line 1: "},
	} {
		bank, err := skills.ReadBank(c.file, []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v, want %q", name, bank, err, c.want)
		}
	}
	var many []string
	for range 1000 {
		many = append(many, "{}")
	}
	_, err := skills.ReadBank("bank.json", []byte(general(strings.Join(many, ","))))
	if err == nil || strings.Count(err.Error(), "\n") != 19 {
		t.Errorf("3,000 complaints: %v, want the first 20", err)
	}
}

func TestBankFile(t *testing.T) {
	if got, err := ofFile.Encode(); err != nil || string(got) != bankFile {
		t.Errorf("written: got %s, %v, want %s", got, err, bankFile)
	}
	if got, err := skills.DecodeBank([]byte(bankFile)); err != nil || !reflect.DeepEqual(got, ofFile) {
		t.Errorf("read: got %+v, %v, want %+v", got, err, ofFile)
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing":       {"", "bank.jsonl line 1: nothing there, expected the header"},
		"cut off":       {bankFile[:len(bankFile)-1], "bank.jsonl line 3: expected a line break"},
		"a line less":   {strings.Join(strings.SplitAfter(bankFile, "\n")[:2], ""), "bank.jsonl: 1 skills, expected 2 as its header says"},
		"a line more":   {bankFile + strings.Split(bankFile, "\n")[1] + "\n", "bank.jsonl: 3 skills, expected 2 as its header says"},
		"another form":  {strings.Replace(bankFile, `"head":"h"`, `"head": "h"`, 1), "bank.jsonl line 2: head"},
		"a wrong skill": {strings.Replace(bankFile, `"success"`, `"won"`, 1), "bank.jsonl line 2: outcome"},
		"another file":  {strings.Replace(bankFile, "bank/1", "bank/2", 1), `bank.jsonl line 1: schema: "hone.skills.bank/2"`},
		"an empty bank": {`{"schema":"hone.skills.bank/1","skills":0}` + "\n", "bank.jsonl: 0 skills, expected 1"},
	} {
		if _, err := skills.DecodeBank([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// The skills of a bank are born of its lines: the same file gives the same ids, and two that say the same stay two.
func TestBankSkills(t *testing.T) {
	bank := skills.Bank{ofFile[0], ofFile[0], ofFile[1]}
	file, err := bank.Encode()
	if err != nil {
		t.Fatal(err)
	}
	all, err := bank.Skills()
	if err != nil {
		t.Fatal(err)
	}
	from := artifacts.Of(file)
	want := []skills.Skill{
		{Task: "any task", Head: "h", Strategy: "s", Episode: "bank/1", Outcome: skills.Success},
		{Task: "any task", Head: "h", Strategy: "s", Episode: "bank/2", Outcome: skills.Success},
		{Task: "t", Type: "heat", Strategy: "do", Episode: "bank/3/b", Outcome: skills.Failure},
	}
	for i := range want {
		want[i].Source, want[i].Utility, want[i].Count = from, 0.5, 1
		want[i] = named(want[i])
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("got %+v, want %+v", all, want)
	}
	if c := bank.Count(); !reflect.DeepEqual(c, skills.Counts{Skills: 3, General: 2, Types: map[string]int{"heat": 1}}) {
		t.Errorf("counts %+v", c)
	}
	if c := read.Count(); !reflect.DeepEqual(c, skills.Counts{Skills: 5, General: 1, Types: map[string]int{"clean": 1, "heat": 1}, Mistakes: 2}) {
		t.Errorf("counts %+v", c)
	}
}

// The shipped bank is of types that tasks have, each with some, and of what is shown at all, general skills but the last two.
func TestHouseholdBank(t *testing.T) {
	const file = "../experiments/banks/household.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bank, err := skills.ReadBank(file, text)
	if err != nil {
		t.Fatal(err)
	}
	want := skills.Counts{Skills: 25, General: 8, Mistakes: 4, Types: map[string]int{
		"pick_and_place": 3, "look_at_obj_in_light": 2, "clean": 2, "heat": 2, "cool": 2, "examine": 2,
	}}
	if got := bank.Count(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What is read is written, and read again as it was.
func FuzzReadBank(f *testing.F) {
	f.Add("bank.json", []byte(published))
	f.Add("bank.json", []byte(`{"general_skills": [null, 1, {"title": {}}], "task_specific_skills": null}`))
	f.Add("bank.jsonl", []byte(`{"strategy": "s", "head": "h"}`+"\n"))
	f.Add("bank.jsonl", []byte(bankFile))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		bank, err := skills.ReadBank(name, text)
		if err != nil {
			return
		}
		file, err := bank.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := skills.DecodeBank(file); err != nil || !reflect.DeepEqual(again, bank) {
			t.Errorf("%v: %+v is read again as %+v", err, bank, again)
		}
	})
}

// What is read is written again byte for byte.
func FuzzDecodeBank(f *testing.F) {
	f.Add([]byte(bankFile))
	f.Fuzz(func(t *testing.T, text []byte) {
		bank, err := skills.DecodeBank(text)
		if err != nil {
			return
		}
		if again, err := bank.Encode(); err != nil || string(again) != string(text) {
			t.Errorf("%v: %q is written as %q", err, text, again)
		}
	})
}

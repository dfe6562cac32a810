package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/skills"
)

// storeRun names the spec of a run, as it is when it has been opened.
func storeRun(t *testing.T, store artifacts.Store, run string) {
	t.Helper()
	lineagetest.OpenRun(t, store, run)
}

func name(t *testing.T, store artifacts.Store, name string, d artifacts.Digest) {
	t.Helper()
	lineagetest.Name(t, store, name, d)
}

// told is what hone skill prints of a library, or the error.
func told(t *testing.T, store artifacts.Store, asJSON bool, asked skillAsked, args ...string) (string, error) {
	t.Helper()
	var err error
	a := &app{json: asJSON}
	out := output(t, func() { err = a.tellSkills(t.Context(), store, asked, args) })
	return out, err
}

// TestSkill: a list word for word, an earlier one, a life, by digest, its beginning, and run; all of it as JSON.
func TestSkill(t *testing.T) {
	store := mem.New()
	made := lineagetest.StoreTraining(t, store, 5)
	storeRun(t, store, "skill1")
	name(t, store, activities.RunName("skill1", "grpo"), made.Outcome(t, store))
	last := made.Libraries[5]
	list := "library " + string(last) + ` after step 5: 2 skills, mean utility 0.5000
id                      utility  count  selected  born  head
`
	rows := []string{}
	for _, s := range []struct {
		name string
		born int
	}{{"E", 5}, {"F", 3}} {
		rows = append(rows, fmt.Sprintf("%s  0.5000   1      0         %d     when %s\n", lineagetest.ID(s.name), s.born, s.name))
	}
	if rows[0] > rows[1] { // of equals the lower id
		rows[0], rows[1] = rows[1], rows[0]
	}
	list += rows[0] + rows[1]
	for _, asked := range []skillAsked{
		{library: string(last), step: -1},
		{library: last.Short(), step: -1},
		{library: string(last), step: 5},
		{run: "skill1", step: -1},
		{run: "skill1/grpo", step: -1},
	} {
		if got, err := told(t, store, false, asked); err != nil || got != list {
			t.Errorf("%+v: got\n%s, %v\nwant\n%s", asked, got, err, list)
		}
	}
	d := lineagetest.ID("D")
	earlier := "library " + string(made.Libraries[2]) + ` after step 2: 1 skill, mean utility 0.3750
id                      utility  count  selected  born  head
` + string(d) + "  0.3750   3      1         1     when D\n"
	if got, err := told(t, store, false, skillAsked{run: "skill1", step: 2}); err != nil || got != earlier {
		t.Errorf("got\n%s, %v\nwant\n%s", got, err, earlier)
	}
	life, err := told(t, store, false, skillAsked{run: "skill1", step: -1}, string(d)[6:14])
	if err != nil || !strings.HasPrefix(life, string(d)+"\n") || !strings.Contains(life, "now       retired; utility 0.4375") || strings.Count(life, "\nstep ") != 5 {
		t.Errorf("got %s, %v", life, err)
	}
	text, err := told(t, store, true, skillAsked{run: "skill1", step: -1}, string(d))
	var story struct {
		Gone   bool
		Events []map[string]json.RawMessage
	}
	if err != nil || json.Unmarshal([]byte(text), &story) != nil || !story.Gone || len(story.Events) != 5 || story.Events[1]["updated"] == nil {
		t.Errorf("got %s, %v", text, err)
	}
	text, err = told(t, store, true, skillAsked{run: "skill1", step: 0})
	var listing listedLibrary
	if err != nil || json.Unmarshal([]byte(text), &listing) != nil || listing.Library != made.Libraries[0] || !strings.Contains(text, `"skills": []`) {
		t.Errorf("got %s, %v", text, err)
	}
}

// TestSkillRefuses: wrong arguments say what was expected and end with status 2.
func TestSkillRefuses(t *testing.T) {
	store := mem.New()
	made := lineagetest.StoreTraining(t, store, 3)
	storeRun(t, store, "begun")
	storeRun(t, store, "seeds")
	for _, seed := range []string{"seed-1", "seed-2"} {
		name(t, store, activities.RunName("seeds", "grpo/"+seed), made.Outcome(t, store))
	}
	for _, tt := range []struct {
		asked skillAsked
		id    string
		want  string
	}{
		{skillAsked{library: string(made.Libraries[3]), step: -1}, "skill-0000000000000000", "no such skill"},
		{skillAsked{library: string(made.Libraries[3]), step: 4}, "", "expected 0 to 3"},
		{skillAsked{library: string(made.Updates[0]), step: -1}, "", "is of kind update, expected a skill library"},
		{skillAsked{library: "0123456", step: -1}, "", "no such run or artifact"},
		{skillAsked{run: "none", step: -1}, "", `no run "none"`},
		{skillAsked{run: "begun", step: -1}, "", "has no stage grpo here"},
		{skillAsked{run: "seeds", step: -1}, "", "name one of seeds/grpo/seed-1, seeds/grpo/seed-2"},
		{skillAsked{run: "seeds/grpo/seed-3", step: -1}, "", "has no stage grpo/seed-3"},
	} {
		var args []string
		if tt.id != "" {
			args = append(args, tt.id)
		}
		_, err := told(t, store, false, tt.asked, args...)
		var c coded
		if err == nil || !strings.Contains(err.Error(), tt.want) || !asCoded(err, &c) || c.code != exitUsage {
			t.Errorf("%+v: got %v, want %q and status 2", tt.asked, err, tt.want)
		}
	}
	if _, err := told(t, store, false, skillAsked{run: "seeds/grpo/seed-2", step: -1}); err != nil {
		t.Errorf("one of several seeds: %v", err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"skill"}, "expected --library DIGEST or --run RUN"},
		{[]string{"skill", "--library", "0123456", "--run", "x"}, "expected --library DIGEST or --run RUN"},
		{[]string{"skill", "--library", "x/y/../z"}, "expected a run, RUN/STAGE, or a digest"},
		{[]string{"skill", "--run", "x/teacher"}, "expected a run, or RUN/grpo/seed-N"},
		{[]string{"skill", "--run", "x", "--at", "-2"}, "--at -2: expected a step"},
		{[]string{"skill", "--run", "x", "Skill-12"}, "expected a skill's id or its beginning"},
		{[]string{"skill", "a", "b", "--run", "x"}, "expected at most a skill's id, got 2 arguments"},
		{[]string{"curve"}, "expected a run, got 0 arguments"},
		{[]string{"curve", "x/report"}, "expected a run, or RUN/grpo/seed-N"},
	} {
		if code, _, err := hone(t, tt.args...); code != exitUsage || !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%q: exit code %d, %v, want %q", tt.args, code, err, tt.want)
		}
	}
}

// TestSkillListEnds: a long list is cut and says so, and a head is kept from the terminal and to its width.
func TestSkillListEnds(t *testing.T) {
	l := &listedLibrary{Step: 1}
	for i := range 25 {
		l.Skills = append(l.Skills, skills.Skill{ID: skills.ID(fmt.Sprintf("skill-%016d", i)), Head: "\x1b[2J" + strings.Repeat("ü", 80)})
	}
	l.Skills[1].Head, l.Skills[1].Task = "", "put a mug on desk"
	for _, all := range []bool{false, true} {
		var b strings.Builder
		if err := l.print(&b, all); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		want := 23 // a title, a heading, 20 skills, what is left out
		if all {
			want = 27
		}
		if len(lines) != want || all == strings.Contains(b.String(), "… and 5 more: --all lists them") {
			t.Errorf("all %v: %d lines, want %d:\n%s", all, len(lines), want, &b)
		}
		if strings.Contains(b.String(), "\x1b") || !strings.HasSuffix(lines[2], `  "\x1b[2J`+strings.Repeat("ü", 63)+"…") || !strings.HasSuffix(lines[3], "(put a mug on desk)") {
			t.Errorf("got %q and %q", lines[2], lines[3])
		}
	}
}

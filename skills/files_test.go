package skills_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

const skillLine = `{"id":"skill-%s","task":"task of A","head":"when A","strategy":"do A","episode":"episode/A","source":"%s","outcome":"success","born":0,"utility":0.5,"count":2,"selected":1}` + "\n"

// The files of a small library, written out.
func TestSnapshotBytes(t *testing.T) {
	e := entry("A", .6, .5, 2)
	e.Skill.Selected = 1
	snapshot := encode(t, library(t, skills.Rules{}, e))
	vectors := []byte("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }" + strings.Repeat(" ", 58) + "\n")
	vectors = binary.LittleEndian.AppendUint32(vectors, 0x3f19999a) // 0.6
	vectors = binary.LittleEndian.AppendUint32(vectors, 0x3f4ccccd) // 0.8
	text := fmt.Sprintf(`{"schema":"hone.skills/1","step":0,"skills":1,"dimension":2,"vectors":"%s","rules":{"rate":0.05,"admit":"won","merge":"strategy","merge_above":0.85,"capacity":5000,"retire":"utility_log"}}`+"\n"+skillLine,
		artifacts.Of(vectors), strings.TrimPrefix(string(idOf("A")), "skill-"), source)
	if string(snapshot.Skills) != text {
		t.Errorf("got  %s\nwant %s", snapshot.Skills, text)
	}
	if !bytes.Equal(snapshot.Vectors, vectors) {
		t.Errorf("got  %q\nwant %q", snapshot.Vectors, vectors)
	}
	if d := digest(t, library(t, skills.Rules{}, e)); d != artifacts.Of([]byte(text)) {
		t.Errorf("digest %s", d)
	}
}

func encode(t testing.TB, l *skills.Library) skills.Snapshot {
	t.Helper()
	s, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func encodeChanges(t testing.TB, c skills.Changes) skills.ChangeFiles {
	t.Helper()
	f, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEmptyLibrary(t *testing.T) {
	l := library(t, skills.Rules{Admit: skills.AdmitNone})
	again, err := skills.Decode(encode(t, l))
	if err != nil || again.Len() != 0 || again.Rules() != l.Rules() || digest(t, again) != digest(t, l) || again.Dimension() != 2 {
		t.Errorf("%+v, %v", again, err)
	}
	next, c := take(t, l)
	read, err := skills.DecodeChanges(encodeChanges(t, c))
	if err != nil || !reflect.DeepEqual(read, c) || next.Step() != 1 || digest(t, next) == digest(t, l) {
		t.Errorf("%+v, %v, want %+v", read, err, c)
	}
}

func TestDecodeRefuses(t *testing.T) {
	l := library(t, skills.Rules{}, entry("A", .6, .5, 2), entry("B", .8, .25, 3))
	for _, c := range []struct{ name, from, to, want string }{
		{"empty", "all", "", "skills.jsonl line 1: nothing there, expected the header"},
		{"a blank line", "all", "\n", "skills.jsonl line 1: header: "},
		{"no JSON", "all", "x\n", "skills.jsonl line 1: header: invalid character"},
		{"schema", "hone.skills/1", "hone.skills/2", `skills.jsonl line 1: schema: "hone.skills/2", expected "hone.skills/1"`},
		{"no schema", `"schema":"hone.skills/1",`, "", "skills.jsonl line 1: header: schema, byte 4"},
		{"fewer", `"skills":2`, `"skills":1`, "skills.jsonl line 3: more than the 1 skills"},
		{"more", `"skills":2`, `"skills":3`, "skills.jsonl: 2 skills, expected 3 as its header says"},
		{"count of skills", `"skills":2`, `"skills":-1`, "skills.jsonl line 1: skills: -1, expected 0 to 100000"},
		{"dimension", `"dimension":2`, `"dimension":0`, "skills.jsonl line 1: dimension: 0, expected 1"},
		{"another dimension", `"dimension":2`, `"dimension":3`, "vectors.npy: header"},
		{"vectors", `"vectors":"sha256:`, `"vectors":"sha256:0`, "vectors.npy: digest"},
		{"rules", `"rate":0.05,`, ``, "skills.jsonl line 1: rules: one is missing"},
		{"rule", `"rate":0.05`, `"rate":2`, "skills.jsonl rules: rate: 2, expected above 0"},
		{"capacity", `"capacity":5000`, `"capacity":1`, "2 skills: expected at most the capacity, 1"},
		{"step", `"step":0`, `"step":-1`, "step: -1, expected 0"},
		{"unknown field", `"task":"task of A"`, `"task":"task of A","note":1`, `skills.jsonl line 2: "note" is not known`},
		{"field twice", `"born":0`, `"born":0,"born":0`, `skills.jsonl line 2: "born" stands twice`},
		{"other letters", `"born":0`, `"Born":0`, `skills.jsonl line 2: "Born" is not known`},
		{"field left out", `"born":0,`, ``, "skills.jsonl line 2: born, byte"},
		{"blank", `"born":0`, `"born": 0`, "skills.jsonl line 2: born, byte"},
		{"number in other digits", `"utility":0.25`, `"utility":0.250`, "skills.jsonl line 3: utility, byte"},
		{"escape", `"task of B"`, `"\u0074ask of B"`, "skills.jsonl line 3: task, byte"},
		{"not UTF-8", `"task of B"`, "\"\xff\"", "skills.jsonl line 3: task, byte"},
		{"type", `"utility":0.25`, `"utility":"0.25"`, "skills.jsonl line 3: utility is a string, expected a number"},
		{"no number", `"utility":0.25`, `"utility":NaN`, "skills.jsonl line 3: invalid character"},
		{"utility", `"utility":0.25`, `"utility":1.25`, "skills.jsonl line 3: utility: 1.25, expected 0 to 1"},
		{"null", `"utility":0.25`, `"utility":null`, "skills.jsonl line 3: utility, byte"},
		{"outcome", `"outcome":"success"`, `"outcome":"won"`, `skills.jsonl line 2: outcome: "won"`},
		{"id", `"strategy":"do A"`, `"strategy":"do C"`, "skills.jsonl line 2: id: "},
		{"born later", `"born":0`, `"born":1`, "skills.jsonl line 2: born: 1, expected 0 to 0"},
		{"cut off", `"selected":0}` + "\n", `"sel`, "skills.jsonl line 2: expected a line break at its end"},
		{"a line twice", "twice", "", "skills.jsonl line 3: id: " + string(idOf("A")) + " stands there twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := encode(t, l)
			text := string(s.Skills)
			switch c.from {
			case "all":
				text = c.to
			case "twice":
				lines := strings.SplitAfter(text, "\n")
				text = lines[0] + lines[1] + lines[1]
			default:
				if text = strings.Replace(text, c.from, c.to, 1); text == string(s.Skills) {
					t.Fatalf("%q is not there", c.from)
				}
				if c.name == "cut off" {
					text = text[:strings.Index(text, c.to)+len(c.to)]
				}
			}
			s.Skills = []byte(text)
			if _, err := skills.Decode(s); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
	s := encode(t, l)
	s.Vectors = s.Vectors[:len(s.Vectors)-1]
	if _, err := skills.Decode(s); err == nil || !strings.Contains(err.Error(), "vectors.npy: digest") {
		t.Errorf("vectors cut off: error %v", err)
	}
}

func TestDecodeChangesRefuses(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"empty", "all", "", "changes.jsonl line 1: nothing there, expected the header"},
		{"a snapshot", `"schema":"hone.skills.changes/1"`, `"schema":"hone.skills/1"`, `changes.jsonl line 1: schema: "hone.skills/1", expected "hone.skills.changes/1"`},
		{"step", `"step":1`, `"step":0`, "changes.jsonl line 1: step: 0, expected 1"},
		{"before", `"before":"sha256:`, `"before":"sha256:0`, "changes.jsonl line 1: before: digest"},
		{"after", `"after":"sha256:`, `"after":"`, "changes.jsonl line 1: after: digest"},
		{"fewer", `"changes":11`, `"changes":10`, "changes.jsonl line 12: more than the 10 changes"},
		{"more", `"changes":11`, `"changes":12`, "changes.jsonl: 11 changes, expected 12"},
		{"births", `"births":3`, `"births":2`, "changes.jsonl: 3 skills born or merged, expected 2"},
		{"too many births", `"births":3`, `"births":12`, "changes.jsonl line 1: births: 12, expected 0 to 11"},
		{"dimension", `"dimension":2`, `"dimension":0`, "changes.jsonl line 1: dimension: 0, expected 1"},
		{"vectors", `"vectors":"sha256:`, `"vectors":"sha256:0`, "born.npy: digest"},
		{"kind", `{"updated":`, `{"forgotten":`, `changes.jsonl line 2: "forgotten" is not known`},
		{"no kind", `{"born":{`, `{}` + "\n" + `{"born":{`, "changes.jsonl line 4: 0 changes, expected one of born"},
		{"two kinds", `{"updated":`, `{"retired":{"id":"skill-0000000000000000","rule":"oldest","utility":0,"count":0,"selected":0},"updated":`, "changes.jsonl line 2: "},
		{"null", `{"updated":{`, `{"updated":null}` + "\n" + `{"updated":{`, "changes.jsonl line 2: "},
		{"id", `{"updated":{"task":0,"rollout":0,"id":"skill-`, `{"updated":{"task":0,"rollout":0,"id":"`, `changes.jsonl line 2: id "`},
		{"place", `"rollout":1`, `"rollout":-1`, "changes.jsonl line 5: rollout: -1, expected 0"},
		{"target", `"target":1`, `"target":10`, "changes.jsonl line 2: target: 10, expected 0 to 1"},
		{"into", `"into":"skill-`, `"into":"x`, "changes.jsonl line 10: into: id"},
		{"rule", `"rule":"utility_log"`, `"rule":"age"`, `changes.jsonl line 12: rule: "age", expected one of`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, episodes := busy(t)
			_, changes := take(t, l, episodes...)
			f := encodeChanges(t, changes)
			text := strings.Replace(string(f.Changes), c.from, c.to, 1)
			if c.from == "all" {
				text = c.to
			} else if text == string(f.Changes) {
				t.Fatalf("%q is not there", c.from)
			}
			f.Changes = []byte(text)
			if _, err := skills.DecodeChanges(f); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// Any past library is rebuilt from the first snapshot and the lists, all read from their files, byte for byte. The
// steps are those of a run: skills are retrieved by query, updated, born, merged and retired.
func TestRebuild(t *testing.T) {
	for _, rule := range []skills.Retirement{"utility_log", "selected_log", "lowest_utility", "oldest", "least_used"} {
		t.Run(string(rule), func(t *testing.T) {
			l := library(t, skills.Rules{Capacity: 12, Rate: .3, Retire: rule, Admit: skills.AdmitAny}, entry("A", .9, .5, 1))
			first := encode(t, l)
			var past []skills.Snapshot
			var files []skills.ChangeFiles
			rng := rand.New(rand.NewPCG(9, 9))
			total := skills.Figures{}
			for step := range 25 {
				next, c := take(t, l, random(t, l, rng, step)...)
				past, files = append(past, encode(t, next)), append(files, encodeChanges(t, c))
				f := c.Figures()
				total = skills.Figures{Born: total.Born + f.Born, Merged: total.Merged + f.Merged, Updated: total.Updated + f.Updated, Retired: total.Retired + f.Retired}
				l = next
			}
			if min(total.Born, total.Merged, total.Updated, total.Retired) < 10 || l.Len() != 12 {
				t.Fatalf("figures %+v: expected enough of each", total)
			}
			var lists []skills.Changes
			for i, f := range files {
				c, err := skills.DecodeChanges(f)
				if err != nil {
					t.Fatal(err)
				}
				if again := encodeChanges(t, c); !reflect.DeepEqual(again, f) {
					t.Fatalf("step %d: changes are written otherwise than read", i+1)
				}
				lists = append(lists, c)
				start, err := skills.Decode(first)
				if err != nil {
					t.Fatal(err)
				}
				rebuilt, err := skills.Rebuild(start, lists...)
				if err != nil {
					t.Fatal(err)
				}
				if got := encode(t, rebuilt); !reflect.DeepEqual(got, past[i]) {
					t.Fatalf("step %d: rebuilt is not what was there", i+1)
				}
			}
		})
	}
}

// random is a step of six episodes.
func random(t testing.TB, l *skills.Library, rng *rand.Rand, step int) []skills.Episode {
	var episodes []skills.Episode
	for task := range 3 {
		for rollout := range 2 {
			e := skills.Episode{Place: skills.Place{Task: task, Rollout: rollout}, Target: float64(rng.IntN(2))}
			picks, err := l.Retrieve(skills.Query{Vector: at(rng.Float64()), Seed: rng.Uint64()}, skills.Retrieval{Mode: skills.ModeSoftmax, TopK: 3})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range picks {
				e.Retrieved = append(e.Retrieved, p.Skill.ID)
				e.Selected = picks[0].Skill.ID
			}
			b := birth(fmt.Sprintf("%d.%d.%d", step, task, rollout), rng.Float64())
			b.Strategy = fmt.Sprintf("do %d", rng.IntN(30)) // so that some are the same
			if e.Target == 0 {
				b.Outcome = skills.Failure
			}
			e.Births = append(e.Births, b)
			episodes = append(episodes, e)
		}
	}
	return episodes
}

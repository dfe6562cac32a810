package hints_test

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/hints"
)

const recordLine = `{"game":"g","family":"pick_and_place_simple","expert":"straight","step":1,` +
	`"x":{"goal":"put a mug on desk","history":[],"observation":"You see a desk 1, a drawer 3, a drawer 2, and a drawer 1.\n\nYour task is to: put a mug on desk.",` +
	`"admissible":["go to desk 1","go to drawer 1","go to drawer 2","go to drawer 3","help","look"]},` +
	`"h":{"skill":"pick and place","target":"mug","count":"one","source":["drawer"],"device":"","destination":"desk",` +
	`"plan":["go to drawer","open drawer","take mug from drawer","go to desk","move mug to desk"]},"y":"go to drawer 2"}` + "\n"

func TestRecordLine(t *testing.T) {
	records, err := hints.Generate(t.Context(), room{id: "g", at: 2}, hints.GenerateConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, r := range records {
		if err := hints.WriteRecord(&b, r); err != nil {
			t.Fatal(err)
		}
	}
	if got, _, _ := strings.Cut(b.String(), "\n"); got+"\n" != recordLine {
		t.Errorf("got  %s\nwant %s", got, recordLine)
	}
	i := 0
	for got, err := range hints.Records(&b) {
		if err != nil || !reflect.DeepEqual(got, records[i]) {
			t.Errorf("record %d: %+v, %v", i, got, err)
		}
		i++
	}
	if i != len(records) {
		t.Errorf("read %d records of %d", i, len(records))
	}
}

func TestRecordsRefuse(t *testing.T) {
	edit := func(from, to string) string { return recordLine + strings.Replace(recordLine, from, to, 1) }
	for _, c := range []struct{ name, in, want string }{
		{"cut off", recordLine + recordLine[:100], "records line 2: expected a line break at its end"},
		{"not JSON", recordLine + "x\n", "records line 2: invalid character"},
		{"unknown field", edit(`"y":`, `"z":1,"y":`), `records line 2: json: unknown field "z"`},
		{"field twice", edit(`"y":`, `"y":"go to drawer 1","y":`), "records line 2: byte"},
		{"hint twice", edit(`"h":`, `"h":{"plan":["go to drawer 2"]},"h":`), "records line 2: byte"},
		{"other case", edit(`"game":`, `"GAME":`), "records line 2: byte"},
		{"field left out", edit(`"device":"",`, ``), "records line 2: byte"},
		{"blanks", edit(`"step":1`, `"step": 1`), "records line 2: byte"},
		{"escapes", edit(`"g"`, `"\u0067"`), "records line 2: byte"},
		{"null", edit(`"history":[]`, `"history":null`), "records line 2: history, admissible, source or plan is null"},
		{"wrong type", edit(`"step":1`, `"step":"1"`), "records line 2"},
		{"step 0", edit(`"step":1`, `"step":0`), "expected a game, a step from 1"},
		{"no game", edit(`"g"`, `""`), "expected a game, a step from 1"},
		{"detour 0 said", edit(`"step":1,`, `"step":1,"detour":0,`), "records line 2: byte"},
		{"detour without its commands", edit(`"step":1,`, `"step":2,"detour":1,`), "expected a detour from 1 with its commands"},
		{"commands without a detour", edit(`"step":1,`, `"step":2,"astray":["look"],`), "expected a detour from 1 with its commands"},
		{"detour longer than the way", edit(`"step":1,`, `"step":2,"detour":1,"astray":["look","look"],`), "a step after them"},
		{"detour below 0", edit(`"step":1,`, `"step":3,"detour":-1,"astray":["look"],`), "expected a detour from 1"},
		{"empty line", recordLine + "\n", "records line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var last error
			n := 0
			for _, err := range hints.Records(strings.NewReader(c.in)) {
				if last = err; err == nil {
					n++
				}
			}
			if last == nil || !strings.Contains(last.Error(), c.want) || n != 1 {
				t.Errorf("%d records, error %v, want %q in it", n, last, c.want)
			}
		})
	}
}

func TestWriteRecordRefusesOtherEncodings(t *testing.T) {
	for text, ok := range map[string]bool{"caf\xe9": false, "café": true, "\ufffd": true, `\ufffd`: true} {
		r := hints.Record{Game: "g", Step: 1, Y: "look", H: hints.Hint{Source: []string{}, Plan: []string{}}}
		r.X.Observation, r.X.History, r.X.Admissible = text, []agent.Turn{}, []string{}
		if err := hints.WriteRecord(io.Discard, r); (err == nil) != ok {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// A line of as many bytes as Records reads is written, one more is refused, and so are more lines than a game may have.
func TestRecordBounds(t *testing.T) {
	record := func(bytes int) hints.Record {
		r := hints.Record{Game: "g", Step: 1, Y: "look", H: hints.Hint{Source: []string{}, Plan: []string{}}}
		r.X.History, r.X.Admissible = []agent.Turn{}, []string{}
		line, err := hints.Lines([]hints.Record{r})
		if err != nil {
			t.Fatal(err)
		}
		r.X.Observation = strings.Repeat("x", bytes-len(line))
		return r
	}
	const most = 4 << 20
	line, err := hints.Lines([]hints.Record{record(most)})
	if err != nil || len(line) != most {
		t.Fatalf("%d bytes, %v, want %d", len(line), err, most)
	}
	for r, err := range hints.Records(bytes.NewReader(line)) {
		if err != nil || len(r.X.Observation) < most-1000 {
			t.Errorf("it cannot be read: %v", err)
		}
	}
	_, err = hints.Lines([]hints.Record{record(most + 1)})
	want := "writing record 1 of g: bad game file: it has 4194305 bytes, expected at most 4194304"
	if err == nil || err.Error() != want || hints.Exclude("g", err).Kind != hints.ExcludedByError {
		t.Errorf("error %v, want %s", err, want)
	}
	_, err = hints.Lines(slices.Repeat([]hints.Record{record(most)}, 17))
	if want := "writing 17 records of g: bad game file: a game's records have at most 67108864 bytes"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// What is read is written again and read again.
func FuzzExcluded(f *testing.F) {
	f.Add([]byte(`{"game":"g","kind":"budget","reason":"more than 5 objects"}` + "\n"))
	f.Add([]byte(`{"game":"g","kind":"lazy","reason":""}` + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := hints.ReadExcluded(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := hints.WriteExcluded(&b, first); err != nil {
			t.Fatal(err)
		}
		again, err := hints.ReadExcluded(&b)
		if err != nil || len(again) != len(first) {
			t.Errorf("read %+v, and again %+v, %v", first, again, err)
		}
	})
}

// What is read is written again byte for byte.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(recordLine))
	f.Add([]byte(strings.Replace(recordLine, "mug", "<m\\u2028>", 1)))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var b bytes.Buffer
		for r, err := range hints.Records(bytes.NewReader(data)) {
			if err != nil {
				return
			}
			if err := hints.WriteRecord(&b, r); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(b.Bytes(), data) {
			t.Errorf("read %q, wrote %q", data, b.Bytes())
		}
	})
}

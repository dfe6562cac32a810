package alfworld

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// quickFiles are files of which some are read the quick way and some are left to encoding/json.
var quickFiles = []struct {
	text  string
	quick bool
}{
	{`{"pddl_domain": "a\nb", "pddl_problem": "", "grammar": "x \"y\" \\ \/ \t\r\b\f", "solvable": true, "walkthrough": ["a", "b c"]}`, true},
	{" {\n\"solvable\" :\tfalse,\"walkthrough\":[ ] } \r\n", true},
	{`{"walkthrough": null, "solvable": null}`, true},
	{`{"grammar": "` + strings.Repeat("12345678", 5) + `\n` + strings.Repeat("x", 9) + `"}`, true},
	{`{}`, false},
	{`{"grammar": "a", "grammar": "b"}`, false},
	{`{"Grammar": "a"}`, false},
	{`{"grammar": "\u0041"}`, false},
	{`{"grammar": "é"}`, false},
	{`{"grammar": null}`, false},
	{`{"grammar": 1}`, false},
	{"{\"grammar\": \"a\nb\"}", false},
	{"{\"grammar\": \"a\x7f\"}", true},
	{`{"grammar": "a\x"}`, false},
	{`{"grammar": "a`, false},
	{`{"grammar": "a\`, false},
	{`{"grammar": "a"`, false},
	{`{"grammar": "a",}`, false},
	{`{"grammar": "a"} x`, false},
	{`{"walkthrough": ["a", 1]}`, false},
	{`{"walkthrough": ["a",]}`, false},
	{`{"other": 1}`, false},
	{`{"solvable": truefalse}`, false},
	{`[]`, false},
	{``, false},
}

// TestQuickFile: what is read the quick way means what encoding/json reads.
func TestQuickFile(t *testing.T) {
	for _, f := range quickFiles {
		if quick := sameAsJSON(t, []byte(f.text)); quick != f.quick {
			t.Errorf("%q: read the quick way: %v, want %v", f.text, quick, f.quick)
		}
	}
}

func sameAsJSON(t *testing.T, data []byte) bool {
	t.Helper()
	got, ok := quickFile(data, (*Library)(nil).known)
	if !ok {
		return false
	}
	want := file{domain: got.domain}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Errorf("%q is read, encoding/json has %v", data, err)
	} else if !reflect.DeepEqual(got, want) {
		t.Errorf("%q: got %+v, want %+v", data, got, want)
	}
	return true
}

// FuzzFile compares both ways on any text.
func FuzzFile(f *testing.F) {
	for _, q := range quickFiles {
		f.Add([]byte(q.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameAsJSON(t, data) })
}

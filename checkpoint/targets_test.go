package checkpoint_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/checkpoint"
)

func TestTargets(t *testing.T) {
	m, err := checkpoint.Parse([]byte(published)) // 24 layers of seven
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		targets []string
		want    int
		err     string
	}{
		{nil, 168, ""},
		{[]string{"all-linear"}, 168, ""},
		{[]string{"q_proj"}, 24, ""},
		{[]string{"self_attn.q_proj", "v_proj"}, 48, ""},
		{[]string{"model.layers.3.mlp.up_proj"}, 1, ""},
		{[]string{`regexp:.*\.[0-3]\.mlp\..*`}, 12, ""},
		{[]string{"proj"}, 0, `target "proj"`}, // not from a dot on
		{[]string{"q_proj", "in_proj_z"}, 0, `target "in_proj_z": the model has no such`},
		{[]string{"q_proj", "all-linear"}, 0, "all-linear stands alone"},
		{[]string{"regexp:q_proj"}, 0, `target "regexp:q_proj"`}, // of the whole path
		{[]string{"regexp:("}, 0, "targets: expression"},
		{[]string{"regexp:(?i).*Q_PROJ"}, 24, ""}, // as in Python, for all of it
		{[]string{"regexp:.*(?i)Q_PROJ"}, 0, "(?i) is not supported there"},
		{[]string{"regexp:.*(?i:Q)_proj"}, 24, ""},
		{[]string{"regexp:.*q_proj{,1}"}, 0, "{,1} is not supported there"}, // literal in Go
		{[]string{"regexp:.*[[:alpha:]]_proj"}, 0, "[[: is not supported there"},
	} {
		got, err := checkpoint.Targets(m, tt.targets)
		if len(got) != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %d layers, %v, want %d and %q", tt.targets, len(got), err, tt.want, tt.err)
		}
	}
}

package hints_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
)

// TestTeach: the student's texts are those of its records, the teacher's those with the hint; the answers are the same.
func TestTeach(t *testing.T) {
	file := chunk(t, 0, 1)
	var records []hints.Record
	for r, err := range hints.Records(bytes.NewReader(file)) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	played := agent.Trajectory{Game: records[0].Game}
	for _, r := range records {
		played.Steps = append(played.Steps, agent.Step{Observation: r.X.Observation, Admissible: r.X.Admissible, Command: r.Y})
	}
	hint := records[0].H.Text()
	for _, format := range []agent.Format{agent.Lite, agent.Full, agent.Turns} {
		cfg := hints.EncodeConfig{Tokens: bytesEncoder{}, Format: format}
		got, over, err := hints.Teach(cfg, records[0].X.Goal, 2, played, hint)
		if err != nil || over != 0 {
			t.Fatalf("%s: %d over, %v", format, over, err)
		}
		want, _, err := hints.Examples(cfg, hints.Records(bytes.NewReader(file)))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d texts, want %d", format, len(got), len(want))
		}
		for i, one := range got {
			if !same(one.Student, want[i]) {
				t.Errorf("%s, text %d: %q, want %q", format, i, asBytes(one.Student.Tokens), asBytes(want[i].Tokens))
			}
			if !slices.Equal(one.Student.Learned(), one.Teacher.Learned()) {
				t.Errorf("%s, text %d: other answers", format, i)
			}
			with, without := string(asBytes(one.Teacher.Tokens)), string(asBytes(one.Student.Tokens))
			if strings.Replace(with, hint, "", 1) != without || strings.Contains(without, hint) {
				t.Errorf("%s, text %d: %q and %q", format, i, with, without)
			}
		}
		longest := 0
		for _, one := range got {
			longest = max(longest, len(one.Teacher.Tokens))
		}
		cfg.MaxTokens = longest - 1
		if _, over, err := hints.Teach(cfg, records[0].X.Goal, 2, played, hint); err != nil || over != 1 {
			t.Errorf("%s: %d over, %v, want the longest", format, over, err)
		}
	}
	if _, _, err := hints.Teach(hints.EncodeConfig{Tokens: bytesEncoder{}, WithHint: true}, "", 2, played, hint); err == nil {
		t.Error("a student with the hint is taught")
	}
}

func same(a, b gpu.Example) bool {
	return a.Answer == b.Answer && slices.Equal(a.Tokens, b.Tokens) && slices.Equal(a.Read, b.Read)
}

package workflows_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/workflows"
)

// FuzzSpec reads any spec: no panic, an error names the file, and what is accepted is valid.
func FuzzSpec(f *testing.F) {
	for _, text := range []string{
		goodSpec, "", "name: [", goodSpec + "colour: red\n", goodSpec + "hints: {deadline: soon}\n", goodSpec + "teacher: {weight_decay: .nan}\n",
		strings.Replace(goodSpec, "train: 20", "train: &a [*a]", 1), goodSpec + "hints:\n  <<: {plan: search}\n", "\x00", "- - - ?\n",
		goodSpec + "---\n", goodSpec + "teacher: &t {<<: *t}\n", goodSpec + "model:\n  qwen2: {hidden: 192}\n", "? a\n: b\n", "!!int a: 1\n",
		goodSpec + "teacher: {steps: &s 3}\nstudent: {steps: *s, epsilon: 1e-9}\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		spec, err := workflows.ParseSpec("fuzz.yaml", text)
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "fuzz.yaml:"):
			t.Errorf("got %v, want the file's name before it", err)
		case err == nil && spec.Validate() != nil:
			t.Errorf("accepted, and then %v", spec.Validate())
		}
	})
}

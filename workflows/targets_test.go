package workflows_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/workflows"
)

// TestTargets: PEFT's own spelling of all linear layers, and an expression, are the same run as the list of it.
func TestTargets(t *testing.T) {
	run := func(targets string) (string, *workflows.Spec) {
		t.Helper()
		spec, err := workflows.ParseSpec("a.yaml", []byte(goodSpec+"student:\n  lora: {rank: 4, alpha: 8, targets: "+targets+"}\nseeds: [1]\n"))
		if err != nil {
			t.Fatalf("%s: %v", targets, err)
		}
		id, err := spec.RunID("test")
		if err != nil {
			t.Fatal(err)
		}
		return id, spec
	}
	for text, list := range map[string]string{
		"all-linear": "[all-linear]", `"all-linear"`: "[all-linear]", `'regexp:.*\.[qv]_proj'`: `['regexp:.*\.[qv]_proj']`, "": "null",
		"&t [q_proj, v_proj]": "[q_proj, v_proj]",
	} {
		got, spec := run(text)
		if want, listed := run(list); got != want || !slices.Equal(spec.Student.LoRA.Targets, listed.Student.LoRA.Targets) {
			t.Errorf("%s: got %s %q, want %s %q", text, got, spec.Student.LoRA.Targets, want, listed.Student.LoRA.Targets)
		}
	}
	const aliased = "teacher: {lora: {rank: 4, alpha: 8, targets: &t [q_proj, v_proj]}}\nstudent: {lora: {rank: 4, alpha: 8, targets: *t}}\n"
	spec, err := workflows.ParseSpec("a.yaml", []byte(goodSpec+aliased))
	if err != nil || !slices.Equal(spec.Student.LoRA.Targets, []string{"q_proj", "v_proj"}) {
		t.Fatalf("an alias: got %+v, %v", spec, err)
	}
	raw, err := json.Marshal(spec.Student.LoRA)
	if err != nil || !strings.Contains(string(raw), `"targets":["q_proj","v_proj"]`) {
		t.Errorf("JSON %s, %v", raw, err)
	}
	for _, bad := range []string{"q_proj", "7", "{a: b}"} {
		_, err := workflows.ParseSpec("a.yaml", []byte(goodSpec+"student: {lora: {rank: 4, alpha: 8, targets: "+bad+"}}\n"))
		if err == nil || !strings.Contains(err.Error(), "student.lora.targets ") || !strings.Contains(err.Error(), "expected a list of layers, such as [q_proj, v_proj]") {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}

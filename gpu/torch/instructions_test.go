package torch_test

import (
	"os"
	"os/exec"
	"testing"
)

// The loops for lesser machines pass what those for this one do: everything about values again, in a process of its own
// for each.
func TestInstructions(t *testing.T) {
	const asked = "HONE_INSTRUCTIONS"
	if os.Getenv(asked) != "" {
		t.Skip("it is such a process")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"v3", "base"} {
		cmd := exec.CommandContext(t.Context(), self, "-test.run",
			"Attention|Pages|Delta|Draw|Products|GELU|LayerNorm|MeanUnit|Encoder|Fused|AdamW|Layers|Dropout|Token|Rows|Padded|Neighbours")
		cmd.Env = append(os.Environ(), asked+"="+set)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", set, err, out)
		}
	}
}

package workflows_test

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/hone-rl/hone/"

// TestImportLaw asks the go command what each room reaches. The linter checks direct imports; this checks all.
func TestImportLaw(t *testing.T) {
	libtorch := "github.com/sugarme/gotch"
	server := "go.temporal.io/server"
	bodies := module + "gpu/"
	tests := []struct {
		room   string
		never  []string
		reason string
	}{
		{"workflows", []string{libtorch, server, bodies}, "workflows are replayed anywhere"},
		{"activities", []string{libtorch, server, bodies}, "activities see contracts"},
		{"starter", []string{libtorch, server, bodies, module + "worker", module + "devserver/internal", module + "devserver/gateway"}, "hone starts fast and anywhere"},
		{"lineage", []string{libtorch, server, bodies}, "hone links it"},
		{"runs", []string{libtorch, server, bodies, module + "starter", module + "stack"}, "hone links it"},
		{"page", []string{libtorch, server, bodies, module + "starter", module + "stack"}, "hone links it"},
		{"plan", []string{libtorch, server, bodies, module + "starter"}, "hone links it"},
		{"games", []string{libtorch, server, bodies, module + "workflows"}, "worker and hone link it"},
		{"worker", []string{server, module + "starter"}, "only hone-stack links the server"},
		{"hints", []string{libtorch, server, bodies, module + "activities", module + "workflows"}, "imports run one way"},
		{"agent", []string{libtorch, server, bodies, module + "hints", module + "activities"}, "imports run one way"},
		{"agent/rollout", []string{libtorch, server, bodies, module + "hints", module + "activities", module + "env/", module + "artifacts/"}, "imports run one way"},
		{"agent/credit", []string{libtorch, server, module + "agent/ask", module + "agent/reply", module + "agent/rollout", module + "agent/grpo", module + "env", module + "gpu", module + "skills"}, "pure functions of plain values"},
		{"agent/grpo", []string{libtorch, server, bodies, module + "agent/ask", module + "agent/rollout", module + "env", module + "skills"}, "a loss knows tokens and advantages"},
		{"agent/reply", []string{module + "agent/ask", module + "env", module + "gpu", module + "tokenizer"}, "a noun imports nothing"},
		{"env", []string{module + "agent", module + "artifacts", module + "gpu"}, "a noun imports nothing"},
		{"tokenizer", []string{module + "agent", module + "artifacts", module + "gpu", module + "env"}, "a noun imports nothing"},
		{"skills", []string{libtorch, server, module + "agent", module + "checkpoint", module + "gpu", module + "env", module + "tokenizer"}, "a noun knows digests and nothing else of ours"},
		{"hub", []string{module + "agent", module + "artifacts", module + "checkpoint", module + "gpu", module + "env"}, "a noun imports nothing"},
		{"checkpoint/folder", []string{libtorch, module + "agent", module + "artifacts", module + "gpu", module + "env"}, "a noun imports nouns"},
		{"checkpoint", []string{libtorch, module + "agent", module + "artifacts", module + "gpu", module + "env"}, "a noun imports nothing"},
		{"checkpoint/memory", []string{libtorch, module + "agent", module + "artifacts", module + "gpu", module + "env"}, "a noun imports nothing"},
		{"artifacts", []string{module + "agent", module + "env", module + "gpu"}, "a noun imports nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.room, func(t *testing.T) {
			for _, dep := range deps(t, tt.room) {
				for _, never := range tt.never {
					if strings.HasPrefix(dep, never) {
						t.Errorf("%s reaches %s: %s", tt.room, dep, tt.reason)
					}
				}
			}
		})
	}
	t.Run("gotch", func(t *testing.T) {
		reaches := func(room string) bool {
			for _, dep := range deps(t, room) {
				if strings.HasPrefix(dep, libtorch) {
					return true
				}
			}
			return false
		}
		if !reaches("worker") {
			t.Error("hone-worker does not reach gotch: this test would see nothing")
		}
	})
}

func deps(t *testing.T, room string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+room).Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", room, err)
	}
	return strings.Fields(string(out))
}

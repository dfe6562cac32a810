package lineage_test

import (
	"testing"

	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/internal/outside"
)

// plain is a run that learns by GiGPO, skilled one by RetroAgent, with a library, and asked one by Skill1, which is asked for
// queries and orders, with what was done in its library.
var plain, skilled, asked learnt

type learnt struct{ lasting }

func (l *learnt) made(t *testing.T, more string) *mem.Store {
	t.Helper()
	encoder := outside.MiniLM(t) // here: a test that is skipped in what is done once leaves nothing to those behind it
	l.once.Do(func() {
		l.store = mem.New()
		l.run = runSpecBy(t, l.store, runID, learnSpec+more, &pupils{Plans: planned(t)}, encoder)
	})
	return l.copy(t)
}

func plainRun(t *testing.T) *mem.Store {
	t.Helper()
	return plain.made(t, "  method: gigpo\n  max_steps: 3\n  group: 2\n")
}

func skilledRun(t *testing.T) *mem.Store {
	t.Helper()
	return skilled.made(t, "  method: retroagent\n  max_steps: 12\n  group: 4\n")
}

func askedRun(t *testing.T) *mem.Store {
	t.Helper()
	return asked.made(t, "  method: skill1-paper\n  max_steps: 3\n  ablation: no-distillation\n  library: {admit: any}\n  group: 2\n")
}

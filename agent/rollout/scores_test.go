package rollout_test

import (
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/rollout"
)

// TestScores: scores are reported apart from success where they say more, and else leave no trace.
func TestScores(t *testing.T) {
	episode := func(won bool, last *agent.State) rollout.Episode {
		return rollout.Episode{Trajectory: agent.Trajectory{Last: last, Outcome: agent.Outcome{Won: won}}}
	}
	won, lost := episode(true, &agent.State{Score: 1}), episode(false, &agent.State{})
	nearly, cut := episode(false, &agent.State{Score: 0.6}), episode(false, nil)
	for name, tt := range map[string]struct {
		episodes []rollout.Episode
		want     float64
	}{
		"none":      {nil, 0},
		"household": {[]rollout.Episode{won, lost, cut}, 0},
		"shop":      {[]rollout.Episode{won, nearly, cut, lost}, 0.4},
		"thirds":    {[]rollout.Episode{nearly, cut, cut}, 0.2},
		"rounded":   {[]rollout.Episode{won, won, nearly}, 0.866667},
	} {
		var s rollout.Scores
		for _, e := range tt.episodes {
			s.Add(e)
		}
		if got := s.Mean(); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

package grpo

import (
	"math"

	"github.com/hone-rl/hone/agent/credit"
)

// token is one answer token as the loss sees it, and what the loss says of it. Losses are before weights of any kind.
type token struct {
	logp, old, reference, sampler float64
	advantage                     float64

	ratio, policy, slope float64 // exp(logp - old); the policy's loss and its derivative by logp
	clipped, dual        bool    // the clip's term, or the second clip's, stands in the place of the ratio's
	k3, pull             float64 // estimate of the distance to the reference, and its derivative by logp
}

// score fills in the results.
func (c Config) score(t *token, loss credit.Loss, penalised bool) {
	t.ratio = math.Exp(t.logp - t.old)
	a := t.advantage
	switch {
	case a == 0:
	case loss == credit.Reinforce:
		t.policy, t.slope = -a*t.logp, -a
	default:
		c.clip(t)
	}
	if c.Cap > 0 {
		w := min(math.Exp(t.old-t.sampler), c.Cap)
		t.policy, t.slope = w*t.policy, w*t.slope
	}
	if penalised {
		c.distance(t)
	}
}

// clip is PPO's pessimistic bound, max(-Aρ, -A·clip(ρ)) (Schulman et al. 2017, eq. 7), and for A < 0 the second bound
// -A·c above it (Ye et al. 2020, eq. 5), without which a token that has become much likelier weighs without end. A
// token that is cut has no gradient.
func (c Config) clip(t *token) {
	a := t.advantage
	t.policy, t.slope = -a*t.ratio, -a*t.ratio
	if cut := -a * min(max(t.ratio, 1-c.ClipLow), 1+c.ClipHigh); cut > t.policy {
		t.policy, t.slope, t.clipped = cut, 0, true
	}
	if bound := -a * c.Dual; a < 0 && t.policy > bound {
		t.policy, t.slope, t.dual = bound, 0, true
	}
}

// distance is Schulman's k3 = e^d - d - 1 with d = reference - logp, never negative, cut at KLLimit as in verl.
func (c Config) distance(t *token) {
	d := t.reference - t.logp
	t.k3, t.pull = math.Expm1(d)-d, -math.Expm1(d)
	if t.k3 > c.KLLimit {
		t.k3, t.pull = c.KLLimit, 0
	}
}

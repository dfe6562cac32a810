package skills

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Query is what skills are wanted for.
type Query struct {
	Vector []float32 // of length 1; ModeType does not look at it
	Type   string    // the task's type, for ModeType alone
	Seed   uint64    // for ModeSoftmax alone; from ids, so that a retry draws the same
}

// Pick is a skill that was retrieved, as it was then: Skill.Utility is the utility that Û is made of, whatever the step's
// other episodes do to it.
type Pick struct {
	Skill     Skill
	Relevance float64 // cosine of query and key; 0 in ModeType
	Score     float64 // by the mode; 0 in ModeType
}

// Retrieve finds at most how.TopK skills, the best first, of equals the one with the lower id: on every machine the
// same. None is no error. A vector of another dimension or length is.
func (l *Library) Retrieve(q Query, how Retrieval) ([]Pick, error) {
	if err := how.Validate(); err != nil {
		return nil, fmt.Errorf("retrieve: %w", err)
	}
	how = how.WithDefaults()
	if how.Mode == ModeType {
		return l.byType(q.Type, how.Outcome), nil
	}
	if err := checkVector(q.Vector, l.dimension); err != nil {
		return nil, fmt.Errorf("retrieve: query: %w", err)
	}
	score := how.scorer(l.counts, len(l.skills))
	floor := float32(*how.Floor)
	best := ranking{of: l, most: how.TopK}
	drawn := ranking{of: l, most: how.TopK}
	draws := rand.New(rand.NewPCG(q.Seed, 0))
	passed := 0
	for at := range l.skills {
		s := &l.skills[at]
		if !how.Outcome.keeps(s.Outcome) {
			continue
		}
		rel := dot(q.Vector, l.row(at))
		if !(rel >= floor) {
			continue
		}
		passed++
		r := ranked{at: at, relevance: float64(rel), score: score(float64(rel), s.Utility, s.Count)}
		r.key = r.score
		best.add(r)
		if how.Mode == ModeSoftmax {
			r.key = r.score/how.Temperature + gumbel(draws)
			drawn.add(r)
		}
	}
	if how.Mode == ModeSoftmax && passed > how.TopK { // else there is nothing to choose
		best = drawn
	}
	return best.picks(), nil
}

// gumbel is a draw from the standard Gumbel distribution. Those with the greatest logit plus such a draw, in this
// order, are drawn by softmax without replacement. It takes a logarithm where the usual way takes exponentials, and is
// the same everywhere.
func gumbel(draws *rand.Rand) float64 {
	u := (float64(draws.Uint64()>>12) + 0.5) / (1 << 52) // between 0 and 1, and neither
	return -ln(-ln(u))
}

type ranked struct {
	at                    int // in the library
	relevance, score, key float64
}

// ranking keeps the first so many by key.
type ranking struct {
	of   *Library
	most int
	kept []ranked
}

func (r *ranking) order(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(r.of.skills[a.at].ID, r.of.skills[b.at].ID))
}

func (r *ranking) add(one ranked) {
	n := len(r.kept)
	if n == r.most {
		if r.order(r.kept[n-1], one) < 0 {
			return
		}
		r.kept = r.kept[:n-1]
	}
	at, _ := slices.BinarySearchFunc(r.kept, one, r.order)
	r.kept = slices.Insert(r.kept, at, one)
}

func (r *ranking) picks() []Pick {
	picks := make([]Pick, len(r.kept))
	for i, k := range r.kept {
		picks[i] = Pick{Skill: r.of.skills[k.at], Relevance: k.relevance, Score: k.score}
	}
	return picks
}

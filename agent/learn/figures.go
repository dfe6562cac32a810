package learn

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/hone-rl/hone/agent/credit"
	"github.com/hone-rl/hone/agent/rollout"
)

// Figures are what the episodes of a step come to, for its log. Shares and means are rounded to six decimals, and 0 where
// there is nothing to count: a count beside them says so.
type Figures struct {
	Episodes int            `json:"episodes"`
	Won      int            `json:"won"`
	WonShare float64        `json:"won_share"`
	Score    float64        `json:"score,omitempty"` // of an episode, mean; left out where it is the share of won
	Turns    float64        `json:"turns"`           // commands an episode, mean
	WonTurns float64        `json:"won_turns"`       // of those won
	Ends     map[string]int `json:"ends"`            // episodes by how they ended: agent.Outcome.Cause
	// Excluded are episodes that were asked for and are not there, as their game did not let them end. Whoever has the
	// episodes does not know; the caller says.
	Excluded int `json:"excluded"`

	Phases    map[rollout.Phase]PhaseFigures `json:"phases"` // those that were asked for
	Selection SelectionFigures               `json:"selection"`
	Distil    DistilFigures                  `json:"distil"`

	// The library that the episodes saw and the one after them, said by the caller; nil where there is none.
	Before *LibraryFigures `json:"library_before,omitempty"`
	After  *LibraryFigures `json:"library_after,omitempty"`
}

// PhaseFigures are of the answers of a phase.
type PhaseFigures struct {
	Answers   int     `json:"answers"`
	Tokens    float64 `json:"tokens"`    // of an answer, mean
	Truncated int     `json:"truncated"` // ended by the most tokens and not by themselves
	Invalid   float64 `json:"invalid"`   // share that is not in form
	// Faults are those that are not in form, by what is wrong.
	Faults map[string]int `json:"faults,omitempty"`
}

// SelectionFigures are of the skills that were found, and of their order.
type SelectionFigures struct {
	Episodes   int     `json:"episodes"`    // that found a skill
	FoundShare float64 `json:"found_share"` // of those that might: not of bare ones
	Skills     float64 `json:"skills"`      // found by an episode that found any, mean
	// QueryForm is the share of queries that are in form and ended by themselves.
	QueryForm float64 `json:"query_form"`
	// Relevance is the mean cosine of the query, or the task's text, and the chosen skill's key: Skill1's similarity of
	// task and skill. RelevanceAll is that of all skills found.
	Relevance    float64 `json:"relevance"`
	RelevanceAll float64 `json:"relevance_all"`
	// Precision is the mean utility, at retrieval, of the chosen skill: Skill1's selection precision.
	Precision float64 `json:"precision"`
	// RankParsed is the share of the answers to rank that gave an order; NDCG is what they earned, an answer without 0.
	RankParsed float64       `json:"rank_parsed"`
	NDCG       credit.Spread `json:"ndcg"`
}

// DistilFigures are of lessons.
type DistilFigures struct {
	Asked    int     `json:"asked"`
	Parsed   float64 `json:"parsed"`   // share that gave a lesson
	Kept     int     `json:"kept"`     // lessons that say something: only those can be born
	Positive float64 `json:"positive"` // share of those asked with r above Û: Skill1's distillation positive rate
	Expected float64 `json:"expected"` // mean Û of those asked, 0 for who found nothing
}

// LibraryFigures are of a skill library.
type LibraryFigures struct {
	Skills  int     `json:"skills"`
	Utility float64 `json:"utility"` // mean
}

// FiguresOf counts episodes. By is how the utilities of skills make an expectation, "" is max. An order or a utility that
// none could have is an error.
func FiguresOf(episodes []rollout.Episode, by credit.Expect) (Figures, error) {
	t := NewTally(by)
	for _, e := range episodes {
		if err := t.Add(e); err != nil {
			return Figures{}, err
		}
	}
	return t.Figures(), nil
}

// NewTally begins Figures, for who has one episode after the other.
func NewTally(by credit.Expect) *Tally {
	return &Tally{by: cmp.Or(by, credit.ByMax), phases: map[rollout.Phase]*phaseTally{}, ends: map[string]int{}}
}

// Add counts an episode.
func (t *Tally) Add(e rollout.Episode) error {
	if err := t.add(e); err != nil {
		return fmt.Errorf("figures of rollout %d of %s: %w", e.Rollout, e.Game, err)
	}
	return nil
}

// Tally is Figures being counted.
type Tally struct {
	by   credit.Expect
	ends map[string]int

	scores                               rollout.Scores
	episodes, won, bare, turns, wonTurns int
	phases                               map[rollout.Phase]*phaseTally

	chose, found                     int // episodes that found a skill, skills found
	relevance, relevanceAll, utility float64
	queries, ranked                  int // in form
	ndcg                             []float64
	asked, lessons, kept, positive   int
	expected                         float64
}

type phaseTally struct {
	answers, tokens, truncated, invalid int
	faults                              map[string]int
}

func (t *Tally) add(e rollout.Episode) error {
	t.episodes++
	t.scores.Add(e)
	t.turns += len(e.Steps)
	t.ends[e.Outcome.Cause()]++
	if e.Outcome.Won {
		t.won++
		t.wonTurns += len(e.Steps)
	}
	if e.Bare {
		t.bare++
	}
	utilities := make([]float64, len(e.Found))
	for i, f := range e.Found {
		utilities[i] = f.Utility
		t.relevanceAll += f.Relevance
	}
	t.found += len(e.Found)
	if len(e.Order) > 0 {
		first := e.Order[0]
		if first < 0 || first >= len(e.Found) {
			return fmt.Errorf("order %v of %d skills", e.Order, len(e.Found))
		}
		t.chose++
		t.relevance += e.Found[first].Relevance
		t.utility += utilities[first]
	}
	for _, s := range e.Said {
		t.say(s)
		switch s.Phase {
		case rollout.Query:
			if s.Fault == "" && s.Stopped {
				t.queries++
			}
		case rollout.Rank:
			order := e.Order
			if !e.Ranked {
				order = nil
			} else {
				t.ranked++
			}
			reward, err := credit.NDCG(utilities, order)
			if err != nil {
				return err
			}
			t.ndcg = append(t.ndcg, reward)
		case rollout.Distil:
			if err := t.distil(e, utilities); err != nil {
				return err
			}
		}
	}
	return nil
}

// say counts an answer.
func (t *Tally) say(s rollout.Said) {
	p := t.phases[s.Phase]
	if p == nil {
		p = &phaseTally{}
		t.phases[s.Phase] = p
	}
	p.answers++
	p.tokens += len(s.Tokens)
	if !s.Stopped {
		p.truncated++
	}
	if s.Fault != "" {
		p.invalid++
		if p.faults == nil {
			p.faults = map[string]int{}
		}
		p.faults[kind(s)]++
	}
}

// kind is a fault without what differs from answer to answer: of lessons, whose faults are errors, the part that is wrong.
func kind(s rollout.Said) string {
	if s.Phase != rollout.Distil {
		return s.Fault
	}
	switch {
	case strings.Contains(s.Fault, "expected a JSON object"):
		return "no object"
	case strings.Contains(s.Fault, "expected task_success"):
		return "no task_success"
	case strings.Contains(s.Fault, ".status "):
		return "status"
	}
	return "no JSON"
}

func (t *Tally) distil(e rollout.Episode, utilities []float64) error {
	expected, err := credit.Expected(utilities, t.by)
	if err != nil {
		return err
	}
	reward, err := credit.DistilReward(e.Outcome.Won, utilities, t.by)
	if err != nil {
		return err
	}
	t.asked++
	t.expected += expected
	if reward > 0 {
		t.positive++
	}
	if e.Lesson != nil {
		t.lessons++
		if e.Lesson.Strategy() != "" {
			t.kept++
		}
	}
	return nil
}

// Figures are those of the episodes so far.
func (t *Tally) Figures() Figures {
	f := Figures{
		Episodes: t.episodes, Won: t.won, WonShare: share(t.won, t.episodes), Score: t.scores.Mean(), Turns: share(t.turns, t.episodes), WonTurns: share(t.wonTurns, t.won),
		Ends: t.ends, Phases: map[rollout.Phase]PhaseFigures{},
		Selection: SelectionFigures{
			Episodes: t.chose, FoundShare: share(t.chose, t.episodes-t.bare), Skills: share(t.found, t.chose),
			Relevance: over(t.relevance, t.chose), RelevanceAll: over(t.relevanceAll, t.found), Precision: over(t.utility, t.chose),
			RankParsed: share(t.ranked, len(t.ndcg)), NDCG: rounded(credit.SpreadOf(t.ndcg)),
		},
		Distil: DistilFigures{
			Asked: t.asked, Parsed: share(t.lessons, t.asked), Kept: t.kept, Positive: share(t.positive, t.asked), Expected: over(t.expected, t.asked),
		},
	}
	for phase, p := range t.phases {
		f.Phases[phase] = PhaseFigures{
			Answers: p.answers, Tokens: share(p.tokens, p.answers), Truncated: p.truncated, Invalid: share(p.invalid, p.answers), Faults: p.faults,
		}
	}
	f.Selection.QueryForm = share(t.queries, f.Phases[rollout.Query].Answers)
	return f
}

func share(part, whole int) float64 { return over(float64(part), whole) }

// over is a sum over n, 0 for none.
func over(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return round(sum / float64(n))
}

func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }

func rounded(s credit.Spread) credit.Spread {
	return credit.Spread{Count: s.Count, Mean: round(s.Mean), Std: round(s.Std), Min: round(s.Min), Max: round(s.Max)}
}

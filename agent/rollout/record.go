package rollout

import (
	"fmt"
	"math"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/reply"
)

// Phase is what an answer is for.
type Phase string

// The phases, in the order of an episode.
const (
	Query  Phase = "query"
	Rank   Phase = "rank"
	Act    Phase = "act"
	Distil Phase = "distil"
)

// Phases are all of them.
var Phases = []Phase{Query, Rank, Act, Distil}

// Said is an answer as it was sampled.
type Said struct {
	Phase Phase `json:"phase"`
	// The prompt begins with the first Same tokens of the prompt and answer before it in the episode and ends with Prompt.
	Same   int     `json:"same,omitempty"`
	Prompt []int32 `json:"prompt"`
	Tokens []int32 `json:"tokens"` // the stop token, too
	// LogProbs are those of the tokens in the distribution that they were drawn from, natural log.
	LogProbs []float32 `json:"logprobs"`
	Stopped  bool      `json:"stopped"`         // by a stop token rather than by the most tokens
	Fault    string    `json:"fault,omitempty"` // what is not in form
}

// Found is a skill that was found, with its utility then.
type Found struct {
	ID        string  `json:"id"`
	Utility   float64 `json:"utility"`
	Relevance float64 `json:"relevance"` // cosine of query and head
	Head      string  `json:"-"`
	Strategy  string  `json:"-"`
}

// Episode is a game played with skills, to its end. Its trajectory's commands are what was made of the answers, and not
// all of them admissible.
type Episode struct {
	Rollout int    `json:"rollout"` // of the task's group, from 0
	Seed    uint64 `json:"seed"`
	Bare    bool   `json:"bare,omitempty"` // without skills, where others of the group have them
	Task    string `json:"task,omitempty"` // its sentence; "" if the game did not start
	agent.Trajectory
	Found []Found `json:"found,omitempty"` // by the query, the best first
	// Order is the answer's order of Found; Ranked says whether it gave one.
	Order  []int    `json:"order,omitempty"`
	Ranked bool     `json:"ranked,omitempty"`
	Shown  []string `json:"shown,omitempty"` // ids of the skills that stood in the prompts for commands
	Said   []Said   `json:"said"`            // query, rank, one for each step, distil: those that were asked for
	// Lesson is what the last answer says; nil where none was asked for or it is not in form.
	Lesson *reply.Lesson `json:"lesson,omitempty"`
}

// Score is what the game gave for the episode, 0 where it did not come to its end. Apart says that this is another number
// than whether it was won: in a shop what was bought may be nearly right.
func (e Episode) Score() (score float64, apart bool) {
	if e.Last != nil {
		score = e.Last.Score
	}
	won := 0.0
	if e.Outcome.Won {
		won = 1
	}
	return score, score != won
}

// Scores add up the scores of episodes.
type Scores struct {
	sum   float64
	apart bool
	count int
}

// Add takes an episode in.
func (s *Scores) Add(e Episode) {
	score, apart := e.Score()
	s.sum, s.apart, s.count = s.sum+score, s.apart || apart, s.count+1
}

// Mean is their mean, 0 where it is the share of episodes won.
func (s *Scores) Mean() float64 {
	if !s.apart {
		return 0
	}
	return math.Round(s.sum/float64(s.count)*1e6) / 1e6
}

// Check says why the episode cannot be told from its record, nil if it can: Prompts and Samples need that.
func (e Episode) Check() error {
	last := 0 // tokens of the prompt before and its answer
	for i, s := range e.Said {
		if s.Same < 0 || s.Same > last {
			return fmt.Errorf("said[%d].same %d: expected 0 to %d, the tokens before it", i, s.Same, last)
		}
		last = s.Same + len(s.Prompt) + len(s.Tokens)
	}
	return nil
}

// Prompts are the whole prompts of Said.
func (e Episode) Prompts() [][]int32 {
	all := make([][]int32, len(e.Said))
	var last []int32
	for i, s := range e.Said {
		all[i] = append(last[:s.Same:s.Same], s.Prompt...)
		last = append(all[i][:len(all[i]):len(all[i])], s.Tokens...)
	}
	return all
}

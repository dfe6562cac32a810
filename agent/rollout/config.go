package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
)

// Form makes a prompt's tokens: of the text alone, or of a conversation in the model's chat template.
type Form interface {
	Prompt(ctx context.Context, text string) ([]int32, error)
	// More goes on behind an answer, whose last token is given, with another text.
	More(ctx context.Context, text string, last int32) ([]int32, error)
}

// Decoder is what sampled tokens say. *tokenizer.Tokenizer is one.
type Decoder interface {
	DecodePlain(ids []int32) string
}

// Finder finds skills, the best first. It is called from many goroutines and gives the same for the same query and seed.
type Finder interface {
	Find(ctx context.Context, query string, seed uint64) ([]Found, error)
}

// Config sets up Play.
type Config struct {
	Policy  gpu.Policy // required
	Form    Form       // required
	Decoder Decoder    // required
	Skills  Finder     // nil: no skills are looked for, shown or ranked

	Prompts    ask.Set   // required
	World      ask.World // household
	Projection reply.Projection
	// Query and Rank ask the policy to look for skills and to put them in order; else they are found by the task's text,
	// and shown as found. Distil asks it for a lesson.
	Query, Rank, Distil bool
	Show                int // skills shown with the task, at most; 1 as the published training, 0 is 1

	History   int            // turns shown; 2 as published, 0 is 2
	MaxSteps  int            // commands a game; 0 is 50
	Positions int            // tokens the model can read, prompt and answer together; required
	Answer    map[Phase]int  // most tokens of an answer; required of each phase asked for
	Stop      []int32        // tokens that end an answer
	Draw      Draw           // how answers are drawn
	Limits    env.Limits     // counted work of a game
	Clock     time.Duration  // net for the time spent inside one game; 0: none
	Batch     int            // episodes at once; 0 is 32
	Progress  func(Progress) // called after each episode, one call after the other
	Times     *Times         // takes in what the time is spent on; nil: no clock is read for it
}

// Draw is how tokens are drawn, as in gpu.Sampling.
type Draw struct {
	Temperature float32 `json:"temperature" yaml:"temperature"` // 0 is greedy
	TopK        int     `json:"top_k,omitempty" yaml:"top_k"`
	TopP        float32 `json:"top_p,omitempty" yaml:"top_p"`
}

// Progress is where Play stands.
type Progress struct {
	Episodes, Finished, Won int
}

// Validate says what of the settings cannot be, nil if nothing: Play refuses it.
func (c Config) Validate() error {
	_, err := c.withDefaults()
	return err
}

func (c Config) withDefaults() (Config, error) {
	if c.Policy == nil || c.Form == nil || c.Decoder == nil {
		return c, errors.New("rollouts: expected a policy, a form of prompts and a decoder")
	}
	if c.Positions <= 0 || min(c.Show, c.History, c.MaxSteps, c.Batch) < 0 || c.Clock < 0 {
		return c, fmt.Errorf("rollouts: expected positions above 0 and no negative setting, got positions %d, show %d, history %d, steps %d, batch %d, clock %s",
			c.Positions, c.Show, c.History, c.MaxSteps, c.Batch, c.Clock)
	}
	if err := c.Prompts.Validate(); err != nil {
		return c, fmt.Errorf("rollouts: %w", err)
	}
	for _, p := range []struct {
		phase Phase
		asked bool
	}{{Query, c.Query && c.Skills != nil}, {Rank, c.Rank && c.Skills != nil}, {Act, true}, {Distil, c.Distil}} {
		if n := c.Answer[p.phase]; p.asked && (n <= 0 || n >= c.Positions) {
			return c, fmt.Errorf("rollouts: answers to %s of %d tokens: expected 1 to %d", p.phase, n, c.Positions-1)
		}
	}
	c.World = cmp.Or(c.World, ask.Household)
	c.Show = cmp.Or(c.Show, 1)
	c.History = cmp.Or(c.History, 2)
	c.MaxSteps = cmp.Or(c.MaxSteps, agent.DefaultMaxSteps)
	c.Batch = cmp.Or(c.Batch, agent.DefaultBatch)
	return c, nil
}

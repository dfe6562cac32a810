package plan

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// lengths are those of training examples in tokens.
type lengths struct {
	examples, overlong int // an example is a record, or in prompts of turns a game
	longest            int
	mean               float64
	largest            []length // of the largest micro-batch
	exact              bool
	from               string // what they are estimated from, where they are not exact
}

// length is an example's tokens, and those of answers among them.
type length struct{ tokens, answers int64 }

// typical are tokens of a record: measured with the prompts that the pipeline writes, lite/1.
type typical struct {
	with, without float64
	where         string // they were measured
}

var (
	phrases   = typical{80, 59, "as household games have with the phrase cut and 2,048 tokens"}    // docs/recipes.md
	ownBytes  = typical{385, 364, "as household games have with Qwen2's cut and 2,048 tokens"}     // docs/recipes.md
	published = typical{331, 268, "as the games of experiments/tiny.yaml have with Qwen2.5's own"} // tokenizer
)

// lengthsOf are the lengths of a stage's examples: counted where the dataset and a tokenizer are stored, else estimated.
func (p *planner) lengthsOf(ctx context.Context, s activities.Stage, params activities.TrainParameters) (*lengths, error) {
	of := kind{params.WithHint, params.ColdStart != nil}
	if l := p.lengths[of]; l != nil {
		return l, nil
	}
	if of.cold {
		p.lengths[of] = p.cold(params)
		return p.lengths[of], nil
	}
	l, err := p.counted(ctx, s, params)
	if err == nil && l == nil {
		l, err = p.sampled(ctx, params)
	}
	if err != nil {
		return nil, err
	}
	if l == nil {
		t := published
		switch {
		case p.Spec.Model.Qwen2 == nil:
		case p.Spec.Tokenizer.Split == tokenizer.SplitPhrase:
			t = phrases
		default:
			t = ownBytes
		}
		mean := t.without
		if params.WithHint {
			mean = t.with
		}
		l = &lengths{examples: p.Records.Train, longest: params.MaxTokens, mean: mean, from: fmt.Sprintf(
			"from %.0f tokens a record with the hint and %.0f without, %s", t.with, t.without, t.where)}
		one := length{int64(params.MaxTokens), 16}
		if params.Prompt == agent.Turns {
			// About as much is read anew in each turn as a prompt without its list of commands has.
			each := p.each()
			l.examples, l.mean = int(math.Ceil(float64(l.examples)/each)), mean/2*each
			one.answers = one.tokens / 8
		}
		l.mean = min(l.mean, float64(params.MaxTokens))
		l.largest = slices.Repeat([]length{one}, params.Batch)
	}
	p.lengths[of] = l
	return l, nil
}

// coldTokens are those of a won game's examples in skill-turns/1 with the word cut, of the lesson those that it adds to the
// commands.
type coldTokens struct {
	query, rank, commands, lesson float64
	where                         string // they were measured
}

// Measured with a vocabulary of 1,024.
var (
	homeTokens = coldTokens{115, 220, 307, 114, "household games have"}                            // 560
	shopTokens = coldTokens{83, 248, 722, 225, "goals of the catalogue that ships with Hone have"} // 600
)

func (c coldTokens) String() string {
	return fmt.Sprintf("from %v, %v, %v and %v tokens a query, order, game and lesson, as %s in skill-turns/1 with the word cut",
		c.query, c.rank, c.commands, c.lesson, c.where)
}

// cold are the lengths of a cold start's examples: estimates in conversations, and elsewhere the most that there can be.
func (p *planner) cold(params activities.TrainParameters) *lengths {
	c := params.ColdStart
	games := int(math.Ceil(float64(p.Records.Train) / p.each()))
	records := p.Records.Train
	if c.Games > 0 && c.Games < games {
		records = records * c.Games / games
		games = c.Games
	}
	of := homeTokens
	if p.Spec.Games.Shop != nil {
		of = shopTokens
	}
	besides, tokens := 0, 0.0 // of a game; conversations have the lesson in them
	for _, part := range []struct {
		asked, within bool
		tokens        float64
	}{{c.Query, false, of.query}, {c.Rank, false, of.rank}, {c.Distil, c.Prompts.Grows(), of.lesson}} {
		if !part.asked {
			continue
		}
		if tokens += part.tokens; !part.within {
			besides++
		}
	}
	asked := games // beside their commands
	if c.Beside > 0 {
		asked = int(math.Round(float64(games) * c.Beside))
	}
	l := &lengths{longest: params.MaxTokens, from: of.String()}
	if c.Prompts.Grows() {
		l.examples = games + asked*besides
		l.mean = (float64(games)*of.commands + float64(asked)*tokens) / float64(l.examples)
	} else {
		l.examples, l.mean = asked*besides+records, float64(params.MaxTokens)
		l.from = "as long as max_tokens allows"
	}
	l.mean = min(l.mean, float64(params.MaxTokens))
	one := length{int64(params.MaxTokens), int64(params.MaxTokens) / 2}
	l.largest = slices.Repeat([]length{one}, params.Batch)
	return l
}

// counted encodes the stored records; nil where that cannot be done or is not asked for.
func (p *planner) counted(ctx context.Context, s activities.Stage, params activities.TrainParameters) (*lengths, error) {
	var set, start artifacts.Digest // "" where they are not made yet
	for _, in := range s.Inputs {
		switch in.Role {
		case "dataset":
			set = in.Digest
		case "model":
			start = in.Digest
		}
	}
	if p.based { // stored, though its stage may be still to do
		start = p.Spec.Model.Base
	}
	set = cmp.Or(set, p.Spec.Hints.Dataset)
	if p.Store == nil || set == "" || start == "" || p.Records.Source != Dataset {
		return nil, nil
	}
	tokens, err := p.stored(ctx, start)
	if err != nil {
		return nil, err
	}
	train, held, err := p.dataset(ctx, set)
	if err != nil {
		return nil, err
	}
	cfg := hints.EncodeConfig{Tokens: tokens, WithHint: params.WithHint, Format: params.Prompt, MaxTokens: params.MaxTokens}
	examples, told, err := hints.Examples(cfg, each(ctx, train))
	if err != nil {
		return nil, err
	}
	if told.Examples == 0 {
		return nil, fmt.Errorf("%s.max_tokens %d: none of the %d records to train on is that short: the shortest has %d tokens, the longest %d",
			role(params), params.MaxTokens, told.Over, told.Shortest, told.Longest)
	}
	if fits, err := anyFits(ctx, cfg, held); err != nil || !fits {
		return nil, cmp.Or(err, fmt.Errorf("%s.max_tokens %d: none of the %d records to validate with is that short", role(params), params.MaxTokens, len(held)))
	}
	l := &lengths{examples: told.Examples, overlong: told.Over, exact: true}
	l.mean = float64(told.Tokens-told.Examples) / float64(told.Examples) // the last token of a record is only a target
	for _, e := range examples {
		one := length{tokens: int64(len(e.Tokens))}
		for a := range e.Answers() {
			one.answers += int64(a.To - a.From)
		}
		l.largest = append(l.largest, one)
		l.longest = max(l.longest, len(e.Tokens))
	}
	slices.SortStableFunc(l.largest, func(a, b length) int { return cmp.Compare(b.tokens, a.tokens) })
	l.largest = l.largest[:min(params.Batch, len(l.largest))]
	return l, nil
}

// anyFits says whether a training has anything to validate with, which it cannot be without.
func anyFits(ctx context.Context, cfg hints.EncodeConfig, held []hints.Record) (bool, error) {
	for _, r := range held {
		if len(hints.Encode(cfg, r).Tokens) <= cfg.MaxTokens {
			return true, nil
		}
	}
	return false, ctx.Err()
}

// dataset reads the stored records, once for all trainings.
func (p *planner) dataset(ctx context.Context, d artifacts.Digest) (train, held []hints.Record, err error) {
	if p.train == nil {
		p.train, p.held, err = activities.ReadDataset(ctx, p.Store, d)
	}
	return p.train, p.held, err
}

func each(ctx context.Context, records []hints.Record) iter.Seq2[hints.Record, error] {
	return func(yield func(hints.Record, error) bool) {
		for _, r := range records {
			if !yield(r, ctx.Err()) {
				return
			}
		}
	}
}

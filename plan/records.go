package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// Records are those of the dataset.
type Records struct {
	Train      int    `json:"train"`
	Validation int    `json:"validation"`
	Source     Source `json:"source"`
}

// Source is where a figure comes from.
type Source string

// The sources of figures.
const (
	Given     Source = "given"     // by who asked
	Dataset   Source = "dataset"   // counted in the stored one
	Estimated Source = "estimated" // from the number of games
	Nowhere   Source = "unknown"
)

// perGame are records a game by plan: docs/games.md, counted on ALFWorld's 3,553 training games.
var perGame = map[env.PlanKind]float64{
	env.Straight: 6.04, env.Search: 6.83, env.Planner: 6.01, env.Explore: 10.86, env.Walkthrough: 5.99,
}

// records finds the number of records.
func (p *planner) records(ctx context.Context, dataset artifacts.Digest) error {
	dataset = cmp.Or(dataset, p.Spec.Hints.Dataset)
	h, r := p.Spec.Hints, &p.Records
	switch {
	case p.Count > 0:
		*r = Records{Train: p.Count, Source: Given}
	case dataset != "" && p.Store != nil:
		m, err := artifacts.GetManifest(ctx, p.Store, dataset)
		if err != nil {
			return err
		}
		var said struct {
			Train, Validation hints.Part
		}
		if err := json.Unmarshal(m.Summary, &said); err != nil {
			return fmt.Errorf("dataset %s: %w", dataset.Short(), err)
		}
		*r = Records{Train: said.Train.Records, Validation: said.Validation.Records, Source: Dataset}
	case p.games[trainGames] > 0:
		each := perGame[h.Plan]
		all := float64(p.games[trainGames]) * each
		// A detour's way back is about as long as a plan.
		all += all * float64(h.Recovery.PerGame) * float64(h.Recovery.Share) / 1000
		held := all * float64(h.Validation) / 1000
		*r = Records{Train: int(all - held), Validation: int(held), Source: Estimated}
	default:
		r.Source = Nowhere
	}
	return nil
}

// lengths are those of training examples in tokens.
type lengths struct {
	examples, overlong int // an example is a record, or in prompts of turns a game
	longest            int
	mean               float64
	largest            []length // of the largest micro-batch
	exact              bool
}

// length is an example's tokens, and those of answers among them.
type length struct{ tokens, answers int64 }

// typical are tokens of a record: measured with the prompts that the pipeline writes, lite/1.
type typical struct{ with, without float64 }

var (
	phrases   = typical{80, 59}   // docs/recipes.md: the phrase cut, 2,048 tokens
	ownBytes  = typical{385, 364} // docs/recipes.md: Qwen2's cut with a vocabulary of 2,048
	published = typical{331, 268} // Qwen2.5's tokenizer on the household games of experiments/tiny.yaml
)

// lengthsOf are the lengths of a stage's examples: counted where the dataset and a tokenizer are stored, else estimated.
func (p *planner) lengthsOf(ctx context.Context, s activities.Stage, params activities.TrainParameters) (*lengths, error) {
	if l := p.lengths[params.WithHint]; l != nil {
		return l, nil
	}
	l, err := p.counted(ctx, s, params)
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
		l = &lengths{examples: p.Records.Train, longest: params.MaxTokens, mean: mean}
		one := length{int64(params.MaxTokens), 16}
		if params.Prompt == agent.Turns {
			// About as much is read anew in each turn as a prompt without its list of commands has.
			each := perGame[p.Spec.Hints.Plan]
			l.examples, l.mean = int(math.Ceil(float64(l.examples)/each)), mean/2*each
			one.answers = one.tokens / 8
		}
		l.mean = min(l.mean, float64(params.MaxTokens))
		l.largest = slices.Repeat([]length{one}, params.Batch)
	}
	p.lengths[params.WithHint] = l
	return l, nil
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
	if p.Store == nil || set == "" || start == "" || p.Records.Source != Dataset {
		return nil, nil
	}
	raw, err := activities.ReadOutput(ctx, p.Store, start, artifacts.KindModel, "tokenizer.json")
	if err != nil {
		return nil, err
	}
	tokens, err := tokenizer.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", start.Short(), err)
	}
	records, _, err := activities.ReadDataset(ctx, p.Store, set)
	if err != nil {
		return nil, err
	}
	cfg := hints.EncodeConfig{Tokens: tokens, WithHint: params.WithHint, Format: params.Prompt, MaxTokens: params.MaxTokens}
	examples, told, err := hints.Examples(cfg, func(yield func(hints.Record, error) bool) {
		for _, r := range records {
			if !yield(r, ctx.Err()) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	l := &lengths{examples: told.Examples, overlong: told.Over, exact: true}
	if told.Examples == 0 {
		return l, nil
	}
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

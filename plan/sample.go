package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/household"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// sample is some of a run's records, made as the run will make them.
type sample struct {
	records []hints.Record
	games   int
	drawn   bool
	tokens  *tokenizer.Tokenizer // nil where the model's is not there
}

// draw makes the records of some games, at most Config.Sample, once. What cannot be made is left out: a sample is for
// estimates alone.
func (p *planner) draw(ctx context.Context) error {
	if p.Sample == 0 || p.sample.drawn || p.hints.Kind != "hints" {
		return nil
	}
	p.sample.drawn = true
	var params activities.HintParameters
	if err := json.Unmarshal(p.hints.Parameters, &params); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	library := &alfworld.Library{}
	for file, err := range p.someGames(ctx) {
		if err != nil || ctx.Err() != nil || p.sample.games == p.Sample {
			break
		}
		game, err := library.Parse(file.ID, file.Data)
		if err != nil {
			continue
		}
		records, err := hints.Generate(ctx, game, hints.GenerateConfig{Plans: params.Plans, Limits: params.Limits, History: params.History})
		if err != nil {
			continue
		}
		p.sample.records = append(p.sample.records, records...)
		p.sample.games++
	}
	return nil
}

// sampleTime is the most that drawing a sample may take. Twelve games take a second.
const sampleTime = 20 * time.Second

// someGames are those of the split that records are made of, as many as a sample may need.
func (p *planner) someGames(ctx context.Context) iter.Seq2[activities.GameFile, error] {
	split := p.Spec.Hints.Split
	if h := p.Spec.Games.Household; h != nil {
		return func(yield func(activities.GameFile, error) bool) {
			for g, err := range household.Generate(household.Config{Seed: h.Seed, Train: h.Train, ValidSeen: h.ValidSeen, ValidUnseen: h.ValidUnseen}) {
				if (err != nil || g.Split == split) && !yield(activities.GameFile{ID: g.ID, Split: g.Split, Data: g.Data}, err) {
					return
				}
			}
		}
	}
	return func(yield func(activities.GameFile, error) bool) {
		if p.Store == nil {
			return
		}
		list, err := activities.ReadGameList(ctx, p.Store, p.Spec.Games.List)
		if err != nil {
			yield(activities.GameFile{}, err)
			return
		}
		step := max(1, p.games[trainGames]/p.Sample) // through all of a list, which has its task types one after the other
		n := 0
		for _, g := range list {
			if g.Split != split {
				continue
			}
			if n++; (n-1)%step != 0 {
				continue
			}
			data, err := artifacts.ReadAll(ctx, p.Store, g.Digest, g.Size)
			if !yield(activities.GameFile{ID: g.ID, Split: g.Split, Data: data}, err) {
				return
			}
		}
	}
}

// tokenizer is the one that the run will train with: of the stored base, or of a new model one learnt from the sample;
// nil where neither is there.
func (p *planner) tokenizer(ctx context.Context) (*tokenizer.Tokenizer, error) {
	if p.sample.tokens != nil {
		return p.sample.tokens, nil
	}
	var err error
	switch m := p.Spec.Model; {
	case m.Qwen2 != nil:
		texts := func(yield func(string) bool) {
			for _, r := range p.sample.records {
				if !yield(hints.Teacher(cmp.Or(p.Spec.Hints.Prompt, agent.Lite), r.X, r.H) + agent.Answer(r.Y)) {
					return
				}
			}
		}
		config := tokenizer.TrainConfig{Vocabulary: p.Spec.Tokenizer.Vocabulary, Split: p.Spec.Tokenizer.Split, Special: []string{activities.EndOfText}}
		if p.sample.tokens, err = tokenizer.Train(config, texts); err != nil {
			err = fmt.Errorf("tokenizer: %w", err)
		}
	case p.based:
		p.sample.tokens, err = p.stored(ctx, m.Base)
	}
	return p.sample.tokens, err
}

// stored is a stored model's tokenizer.
func (p *planner) stored(ctx context.Context, model artifacts.Digest) (*tokenizer.Tokenizer, error) {
	raw, err := activities.ReadOutput(ctx, p.Store, model, artifacts.KindModel, "tokenizer.json")
	if err != nil {
		return nil, err
	}
	tokens, err := tokenizer.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", model.Short(), err)
	}
	return tokens, nil
}

// role is the step of a training, under which its fields stand in a spec.
func role(params activities.TrainParameters) string {
	if params.WithHint {
		return "teacher"
	}
	return "student"
}

// sampled estimates lengths from a sample of records; nil where there is none, or no tokenizer for it.
func (p *planner) sampled(ctx context.Context, params activities.TrainParameters) (*lengths, error) {
	if err := p.draw(ctx); err != nil || len(p.sample.records) == 0 {
		return nil, err
	}
	tokens, err := p.tokenizer(ctx)
	if err != nil || tokens == nil {
		return nil, err
	}
	cfg := hints.EncodeConfig{Tokens: tokens, WithHint: params.WithHint, Format: params.Prompt, MaxTokens: params.MaxTokens}
	_, told, err := hints.Examples(cfg, each(ctx, p.sample.records))
	if err != nil {
		return nil, err
	}
	all := len(p.sample.records)
	one := length{tokens: int64(params.MaxTokens), answers: 16}
	if params.Prompt == agent.Turns {
		one.answers = one.tokens / 8
	}
	l := &lengths{longest: params.MaxTokens, largest: slices.Repeat([]length{one}, params.Batch)}
	l.from = fmt.Sprintf("from %d records of %d of the run's games", all, p.sample.games)
	if p.Spec.Model.Qwen2 != nil {
		l.from += " and a tokenizer that learnt from them"
	}
	field := fmt.Sprintf("%s.max_tokens %d", role(params), params.MaxTokens)
	switch {
	case told.Examples == 0:
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s: nothing to train on is that short: of %d records of %d of the run's games the shortest has %d tokens, the longest %d",
			field, all, p.sample.games, told.Shortest, told.Longest))
		return l, nil
	case told.Over > 0:
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s: of %d records of %d of the run's games %d are longer and would be left out, the longest has %d tokens",
			field, all, p.sample.games, told.Over, told.Longest))
	}
	// An example holds several records in prompts of turns.
	l.examples = int(math.Round(float64(p.Records.Train) * float64(told.Examples) / float64(all)))
	l.mean = float64(told.Tokens-told.Examples) / float64(told.Examples)
	return l, nil
}

package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/coldstart"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// ColdStartParameters say in what forms a training teaches the games of a dataset (package coldstart): those that the
// policy is to be asked in afterwards.
type ColdStartParameters struct {
	Prompts ask.Set         `json:"prompts" yaml:"prompts"`
	World   ask.World       `json:"world,omitempty" yaml:"world"` // "" is household
	Chat    *ChatParameters `json:"chat,omitempty" yaml:"chat"`
	// Query, Rank and Distil are taught beside commands.
	Query   bool    `json:"query,omitempty" yaml:"query"`
	Rank    bool    `json:"rank,omitempty" yaml:"rank"`
	Distil  bool    `json:"distil,omitempty" yaml:"distil"`
	Beside  float64 `json:"beside,omitempty" yaml:"beside"`   // share of the games that they are taught of; 0: all
	Skilled float64 `json:"skilled,omitempty" yaml:"skilled"` // share of the games that are played with a skill shown
	// History is how many turns are shown where prompts do not grow, as in play: 0 is 2. The dataset may have fewer.
	History int    `json:"history,omitempty" yaml:"history"`
	Games   int    `json:"games,omitempty" yaml:"games"` // learn from so many of the dataset's training games, drawn by seed; 0: all
	Seed    uint64 `json:"seed,omitempty" yaml:"seed"`   // of what is shown to whom, and of which games
}

const defaultHistory = 2 // of rollouts, too

// Validate says all that is wrong with p, nil if nothing is.
func (p ColdStartParameters) Validate() error {
	var wrong []error
	if err := p.Prompts.Validate(); err != nil {
		wrong = append(wrong, fmt.Errorf("cold_start.%w", err))
	}
	if !slices.Contains([]ask.World{"", ask.Household, ask.Shop}, p.World) {
		wrong = append(wrong, fmt.Errorf("cold_start.world %q: expected %s or %s", p.World, ask.Household, ask.Shop))
	}
	if !(p.Skilled >= 0 && p.Skilled <= 1) {
		wrong = append(wrong, fmt.Errorf("cold_start.skilled %v: expected 0 to 1", p.Skilled))
	}
	if !(p.Beside >= 0 && p.Beside <= 1) {
		wrong = append(wrong, fmt.Errorf("cold_start.beside %v: expected 0 to 1", p.Beside))
	}
	if p.History < 0 {
		wrong = append(wrong, fmt.Errorf("cold_start.history %d: expected 0 or more", p.History))
	}
	if p.Games < 0 {
		wrong = append(wrong, fmt.Errorf("cold_start.games %d: expected 0 or more", p.Games))
	}
	return errors.Join(wrong...)
}

// of are the records that p learns from.
func (p ColdStartParameters) of(train []hints.Record) []hints.Record {
	return ofGames(train, p.Games, p.Seed)
}

// config is p for package coldstart, without the encoders.
func (p ColdStartParameters) config() coldstart.Config {
	return coldstart.Config{
		Prompts: p.Prompts, World: cmp.Or(p.World, ask.Household), Query: p.Query, Rank: p.Rank, Distil: p.Distil,
		Beside: p.Beside, Skilled: p.Skilled, Seed: p.Seed,
	}
}

// fits refuses lessons that cannot be shown or put in order as p asks: there are too few games.
func (p ColdStartParameters) fits(pool *coldstart.Pool) error {
	switch {
	case p.Rank && !pool.Ranks():
		return errors.New("cold_start.rank: expected three training games")
	case p.Skilled > 0 && !pool.Shows():
		return fmt.Errorf("cold_start.skilled %v: expected two training games", p.Skilled)
	}
	return nil
}

// taught makes the examples of whole games, and says how many tokens the shortest has. Lessons that are shown come from
// games to train on, to those held out as well.
func (r *sftRun) taught(ctx context.Context, tokens *tokenizer.Tokenizer, set *dataset) (shortest int, err error) {
	p := *r.ColdStart
	if err := p.Validate(); err != nil {
		return 0, final(ErrTypeBadInput, err)
	}
	if r.WithHint || r.Prompt != "" {
		return 0, final(ErrTypeBadInput, fmt.Errorf("cold_start: a hint %v and prompts in the form %q: expected neither, cold_start.prompts says in what form", r.WithHint, r.Prompt))
	}
	cfg := p.config()
	cfg.Answers, cfg.MaxTokens = tokens, r.MaxTokens
	if cfg.Form, cfg.Stop, err = formOf(ctx, r.base, tokens, p.Chat); err != nil {
		return 0, fmt.Errorf("cold_start: model %s: %w", r.Model.Short(), err)
	}
	games := &expertGames{Activities: r.Activities, ColdStartParameters: p, dataset: r.Dataset, limits: set.limits, tick: func(n int) {
		r.beat.report(Beat{Done: n, Unit: "games", Note: "making examples"})
	}}
	train, err := games.episodes(ctx, p.of(set.train))
	if err != nil {
		return 0, err
	}
	held, err := games.episodes(ctx, set.validation)
	if err != nil {
		return 0, err
	}
	pool := coldstart.NewPool(p.World, train)
	if err := p.fits(pool); err != nil {
		return 0, final(ErrTypeBadInput, err)
	}
	var named []string
	for _, part := range []struct {
		episodes []coldstart.Episode
		to       *[]gpu.Example
	}{{train, &r.train}, {held, &r.validation}} {
		named = named[:0]
		for _, e := range part.episodes {
			made, err := cfg.Examples(ctx, e, pool)
			if err != nil {
				return 0, final(ErrTypeBadInput, fmt.Errorf("dataset %s: %w", r.Dataset.Short(), err))
			}
			*part.to = append(*part.to, made.Examples...)
			for i := range made.Examples {
				named = append(named, fmt.Sprintf("%s %d", e.Game, i))
			}
			r.overlong += made.Over
			if shortest == 0 || made.Shortest < shortest {
				shortest = made.Shortest
			}
		}
	}
	r.validation = drawExamples(r.validation, named, r.Validate)
	return shortest, nil
}

// drawExamples are n of the examples, drawn by name, in their order; 0: all.
func drawExamples(examples []gpu.Example, names []string, n int) []gpu.Example {
	if n == 0 || n >= len(examples) {
		return examples
	}
	places := make([]int, len(examples))
	for i := range places {
		places[i] = i
	}
	places = draw(places, n, 0, func(i int) string { return names[i] })
	slices.Sort(places)
	drawn := make([]gpu.Example, n)
	for i, at := range places {
		drawn[i] = examples[at]
	}
	return drawn
}

// coldTexts are what a new tokenizer learns from: the texts of n games' examples, drawn by seed.
func (a *Activities) coldTexts(ctx context.Context, in InitInput, set *dataset, tick func(int)) ([]string, error) {
	p := *in.ColdStart
	if err := p.Validate(); err != nil {
		return nil, final(ErrTypeBadInput, err)
	}
	// Lessons that are shown may come from any game to train on, as in the training; they tell nothing of its end.
	lessons := &expertGames{dataset: in.Dataset}
	train := p.of(set.train)
	all, err := lessons.episodes(ctx, train)
	if err != nil {
		return nil, err
	}
	pool := coldstart.NewPool(p.World, all)
	if err := p.fits(pool); err != nil {
		return nil, final(ErrTypeBadInput, err)
	}
	games := &expertGames{Activities: a, ColdStartParameters: p, dataset: in.Dataset, limits: set.limits, tick: tick}
	drawn, err := games.episodes(ctx, ofGames(train, in.Games, in.TokenizerSeed))
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range drawn {
		more, err := p.config().Texts(ctx, e, pool)
		if err != nil {
			return nil, final(ErrTypeBadInput, fmt.Errorf("dataset %s: %w", in.Dataset.Short(), err))
		}
		texts = append(texts, more...)
	}
	return texts, nil
}

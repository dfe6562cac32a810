package hints

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
)

// DatasetConfig says how WriteDataset describes a dataset.
type DatasetConfig struct {
	Name     string
	Generate GenerateConfig // as the records were made
	Split    SplitConfig
	// Tokens counts the tokens of a text; nil: lengths are not measured.
	Tokens    func(text string) int
	Format    agent.Format // of prompts measured; "lite/1"
	MaxTokens int          // of prompt and answer; 0: no record is over it
}

// WriteDataset joins chunks, each written by WriteRecord and sorted by game, into one dataset sorted by game, and
// writes its records to w. Excluded are the games that have none. The whole is audited; whether leaks are an error
// is the caller's to say, by Audit.Err. Which chunk a game stood in changes nothing.
func WriteDataset(cfg DatasetConfig, w io.Writer, chunks []io.Reader, excluded []Excluded) (Manifest, error) {
	d := newDataset(cfg)
	out := bufio.NewWriter(w)
	for n, err := range merged(chunks) {
		if err != nil {
			return Manifest{}, fmt.Errorf("writing dataset %s: %w", cfg.Name, err)
		}
		if err := d.add(n.record); err != nil {
			return Manifest{}, fmt.Errorf("writing dataset %s: %w", cfg.Name, err)
		}
		if _, err := out.Write(n.text); err != nil {
			return Manifest{}, fmt.Errorf("writing dataset %s: %w", cfg.Name, err)
		}
	}
	if err := out.Flush(); err != nil {
		return Manifest{}, fmt.Errorf("writing dataset %s: %w", cfg.Name, err)
	}
	return d.manifest(excluded)
}

// dataset counts records as they are written.
type dataset struct {
	cfg     DatasetConfig
	audit   *Auditor
	games   []counted // in the order of ids
	lengths PromptLengths
}

func newDataset(cfg DatasetConfig) *dataset {
	cfg.Format = cmp.Or(cfg.Format, agent.Lite)
	cfg.Generate = cfg.Generate.withDefaults()
	return &dataset{cfg: cfg, audit: NewAuditor(), lengths: PromptLengths{Format: string(cfg.Format), MaxTokens: cfg.MaxTokens}}
}

func (d *dataset) add(r Record) error {
	if err := d.audit.Add(r); err != nil {
		return err
	}
	if r.Step == 1 {
		d.games = append(d.games, counted{Ref: Ref{r.Game, r.Family}, expert: r.Expert})
	}
	g := &d.games[len(d.games)-1]
	part := g.of(r)
	if r.Family != g.Family || r.Expert != part.expert {
		return fmt.Errorf("game %s step %d: family %q and expert %q, expected %q and %q as in its first record",
			r.Game, r.Step, r.Family, r.Expert, g.Family, part.expert)
	}
	if err := part.follows(r, g.records); err != nil {
		return err
	}
	part.records++
	if count := d.cfg.Tokens; count != nil {
		answer := count(agent.Answer(r.Y))
		d.lengths.WithHint.add(count(Teacher(d.cfg.Format, r.X, r.H))+answer, d.cfg.MaxTokens)
		d.lengths.WithoutHint.add(count(d.cfg.Format.Prompt(r.X, ""))+answer, d.cfg.MaxTokens)
	}
	return nil
}

func (d *dataset) manifest(excluded []Excluded) (Manifest, error) {
	m := Manifest{
		Schema: Schema, Name: d.cfg.Name, Generate: d.cfg.Generate, Games: len(d.games), Audit: d.audit.Result(),
		Excluded: map[string]int{}, Families: map[string]Coverage{},
		Experts: map[env.PlanKind]int{}, ExpertRecords: map[env.PlanKind]int{}, Plans: PlanLengths{Games: map[int]int{}},
	}
	if r := d.cfg.Generate.Recovery; r != nil && r.PerGame > 0 {
		m.Recovery = &Recovered{Experts: map[env.PlanKind]int{}, Failed: map[string]int{}}
	}
	m.Records = m.Audit.Records
	refs := make([]Ref, len(d.games))
	for i, g := range d.games {
		refs[i] = g.Ref
	}
	for _, e := range excluded {
		if err := d.exclude(&m, e); err != nil {
			return Manifest{}, fmt.Errorf("dataset %s: %w", d.cfg.Name, err)
		}
	}
	validation, err := Split(d.cfg.Split, refs)
	if err != nil {
		return Manifest{}, fmt.Errorf("dataset %s: %w", d.cfg.Name, err)
	}
	m.Split = SplitCoverage{SplitConfig: d.cfg.Split.withDefaults(), ValidationGames: validation}
	ordinary := 0
	for _, g := range d.games {
		_, held := slices.BinarySearch(validation, g.Game)
		if err := m.count(g, held); err != nil {
			return Manifest{}, fmt.Errorf("dataset %s: %w", d.cfg.Name, err)
		}
		ordinary += g.records
	}
	m.Plans.Mean = mean(ordinary, m.Games)
	if d.cfg.Tokens != nil {
		d.lengths.WithHint.Mean = mean(d.lengths.WithHint.total, m.Records)
		d.lengths.WithoutHint.Mean = mean(d.lengths.WithoutHint.total, m.Records)
		m.Lengths = &d.lengths
	}
	return m, nil
}

func (l *Length) add(tokens, most int) {
	l.total += tokens
	l.Max = max(l.Max, tokens)
	if most > 0 && tokens > most {
		l.Over++
	}
}

func mean(total, n int) float64 {
	if n == 0 {
		return 0
	}
	return math.Round(1e4*float64(total)/float64(n)) / 1e4
}

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

type counted struct {
	Ref
	expert  env.PlanKind
	records int       // from the first state
	detours []counted // by number
	number  int       // of a detour
	astray  []string  // its commands
}

// of is the part of g that r belongs to, which begins with r if there is none yet.
func (g *counted) of(r Record) *counted {
	if r.Detour == 0 {
		return g
	}
	if n := len(g.detours); n == 0 || g.detours[n-1].number != r.Detour {
		g.detours = append(g.detours, counted{expert: r.Expert, number: r.Detour, astray: r.Astray})
	}
	return &g.detours[len(g.detours)-1]
}

// follows says whether r goes on from the detour g, which leaves a plan of so many commands.
func (g *counted) follows(r Record, plan int) error {
	if r.Detour == 0 {
		return nil
	}
	if from := r.from() - g.records; from >= plan || !slices.Equal(r.Astray, g.astray) {
		return fmt.Errorf("game %s detour %d step %d: astray %q after %d commands of %d, expected %q after fewer than all",
			r.Game, r.Detour, r.Step, r.Astray, from, plan, g.astray)
	}
	return nil
}

// all is the records of g, those of detours too.
func (g *counted) all() int {
	n := g.records
	for _, d := range g.detours {
		n += d.records
	}
	return n
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

// exclude counts a game without records, or a detour without.
func (d *dataset) exclude(m *Manifest, e Excluded) error {
	at, found := slices.BinarySearchFunc(d.games, e.Game, func(g counted, id string) int { return cmp.Compare(g.Game, id) })
	switch {
	case e.Detour == 0 && found:
		return fmt.Errorf("game %s is excluded and has records", e.Game)
	case e.Detour == 0:
		m.Excluded[e.Kind]++
	case m.Recovery == nil:
		return fmt.Errorf("detour %d of game %s is excluded: expected no detours", e.Detour, e.Game)
	case !found:
		return fmt.Errorf("detour %d of game %s is excluded, expected records of the game", e.Detour, e.Game)
	case slices.ContainsFunc(d.games[at].detours, func(d counted) bool { return d.number == e.Detour }):
		return fmt.Errorf("detour %d of game %s is excluded and has records", e.Detour, e.Game)
	default:
		m.Recovery.Failed[e.Kind]++
	}
	return nil
}

// count adds a game to what there is.
func (m *Manifest) count(g counted, held bool) error {
	c := m.Families[g.Family]
	parts := [...]*Part{&m.Split.Train, &c.Train}
	if held {
		parts = [...]*Part{&m.Split.Validation, &c.Validation}
	}
	for _, p := range parts {
		p.Games++
		p.Records += g.all()
	}
	m.Families[g.Family] = c
	m.Experts[g.expert]++
	m.ExpertRecords[g.expert] += g.records
	m.Plans.Games[g.records]++
	m.Plans.Max = max(m.Plans.Max, g.records)
	if m.Plans.Min == 0 || g.records < m.Plans.Min {
		m.Plans.Min = g.records
	}
	if len(g.detours) == 0 {
		return nil
	}
	if m.Recovery == nil {
		return fmt.Errorf("game %s has records of a detour: expected none", g.Game)
	}
	m.Recovery.Games++
	for _, d := range g.detours {
		m.Recovery.Detours++
		m.Recovery.Records += d.records
		m.Recovery.Experts[d.expert]++
		m.ExpertRecords[d.expert] += d.records
	}
	return nil
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

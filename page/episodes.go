package page

import (
	"context"
	"fmt"
	"iter"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
)

// episodes are games to step through.
type episodes struct {
	List   []*episode
	Shown  table // how many of each source
	Left   int   // that are not shown, of the sources
	Others int   // further ones of the run, of earlier steps
}

// episode is one.
type episode struct {
	ID      string
	Of      string // its source
	Game    string
	Family  string
	Task    string
	Hint    string
	Outcome agent.Outcome
	Score   string
	Skills  []shownSkill // that stood in its prompts
	Turns   []turn
	Cut     int    // turns that are left out
	Note    string // what could not be told
	End     string // the game's last words
}

// turn is an answer with what it was asked, and what the game said before it.
type turn struct {
	Phase       string // "" where there is one kind
	Observation string
	Prompt      string
	Before      string // what stands in the prompt before it
	Reasoning   string
	Answer      string
	Command     string
	Commands    []string // admissible ones
	More        int      // that are left out
	Fault       string
	Expert      string
	Reward      string
	Drawn       string // how likely it was
}

// Chosen says whether a command is the one that was given.
func (t turn) Chosen(command string) bool { return command == t.Command }

// shownSkill is a skill that an episode was shown.
type shownSkill struct {
	ID, Head string
	Href     string // "" where the page does not have it
}

// budget is what is left of the page's room for episodes.
type budget struct {
	episodes, runs, bytes int
}

// share takes a run's part of the episodes.
func (b *budget) share() int {
	n := (b.episodes + b.runs - 1) / max(b.runs, 1)
	b.episodes, b.runs = b.episodes-n, b.runs-1
	return n
}

// text is a text cut to what there is room for.
func (b *budget) text(s string) string {
	s = clipped(s, mostText)
	b.bytes -= len(s)
	return s
}

// source is episodes that were played under the same conditions.
type source struct {
	label string
	total int
	each  func(context.Context) iter.Seq2[candidate, error]
}

// candidate is an episode that may be shown.
type candidate struct {
	key  string // as skills name the episode that they were born of; "" where none can be
	won  bool
	view func(*budget) *episode
}

// choose takes of a source the first that were won and the first that were lost in turn, as many as asked for.
func (s source) choose(ctx context.Context, n int) ([]candidate, error) {
	var won, lost []candidate
	if n == 0 {
		return nil, nil
	}
	for c, err := range s.each(ctx) {
		switch {
		case err != nil:
			return nil, err
		case c.won && len(won) < n:
			won = append(won, c)
		case !c.won && len(lost) < n:
			lost = append(lost, c)
		}
		if half := (n + 1) / 2; len(won) >= half && len(lost) >= half {
			break
		}
	}
	var all []candidate
	for i := range n {
		if i < len(won) {
			all = append(all, won[i])
		}
		if i < len(lost) {
			all = append(all, lost[i])
		}
	}
	return all[:min(len(all), n)], ctx.Err()
}

// play chooses the run's episodes: of every source the first few that were won and lost.
func (r *run) play(ctx context.Context, b *budget) error {
	sources, others, err := r.sources(ctx)
	if err != nil || len(sources) == 0 {
		return err
	}
	room := b.share()
	r.Episodes = &episodes{Others: others, Shown: table{Caption: "Episodes shown", Heads: []string{"of", "shown", "of all"}}}
	chosen := make([][]candidate, len(sources))
	for i, s := range sources {
		// Twice its part: others may have less.
		if chosen[i], err = s.choose(ctx, 2*(room+len(sources)-1)/len(sources)); err != nil {
			return fmt.Errorf("%s: %w", s.label, err)
		}
	}
	take := make([]int, len(sources)) // of each source: one of each before two of any
	for k, left := 0, room; left > 0; k++ {
		more := false
		for i := range chosen {
			if k < len(chosen[i]) && left > 0 {
				take[i]++
				left--
				more = true
			}
		}
		if !more {
			break
		}
	}
	for i, s := range sources {
		shown := 0
		for _, c := range chosen[i][:take[i]] {
			if b.bytes <= 0 {
				break
			}
			if c.key != "" && r.origins[c.key] != "" {
				continue // shown before
			}
			e := c.view(b)
			e.ID, e.Of = fmt.Sprintf("%s-e%d", r.ID, len(r.Episodes.List)+1), s.label
			if c.key != "" {
				r.origins[c.key] = e.ID
			}
			r.Episodes.List = append(r.Episodes.List, e)
			shown++
		}
		r.Episodes.Shown.Rows = append(r.Episodes.Shown.Rows, cells(s.label, fmt.Sprint(shown), fmt.Sprint(s.total)))
		r.Episodes.Left += s.total - shown
	}
	return nil
}

// sources are where the run's episodes are: its evaluations, its trainings' panels and their last steps. Others counts those of
// other steps.
func (r *run) sources(ctx context.Context) (all []source, others int, err error) {
	for _, p := range r.cells {
		s, err := r.evaluated(ctx, p)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", p.name(), err)
		}
		all = append(all, s)
	}
	for _, t := range r.Trainings {
		some, left, err := r.trained(ctx, t)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", t.name, err)
		}
		all, others = append(all, some...), others+left
	}
	return all, others, nil
}

// trajectoriesOf is the store's file as a stream, closed at its end.
func trajectoriesOf(ctx context.Context, store artifacts.Store, d artifacts.Digest) iter.Seq2[agent.Trajectory, error] {
	return func(yield func(agent.Trajectory, error) bool) {
		file, err := store.Open(ctx, d)
		if err != nil {
			yield(agent.Trajectory{}, err)
			return
		}
		defer func() { _ = file.Close() }() // only read from
		for t, err := range agent.Trajectories(file) {
			if !yield(t, err) {
				return
			}
		}
	}
}

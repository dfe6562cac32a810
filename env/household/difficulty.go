package household

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
)

// Difficulty is what makes a list of games easy or hard, in numbers.
type Difficulty struct {
	Games       int       `json:"games"`
	Receptacles Quartiles `json:"receptacles"` // named in the opening text
	Things      Quartiles `json:"things"`      // that can be picked up
	Start       Quartiles `json:"start"`       // admissible commands at the start
	Along       Quartiles `json:"along"`       // admissible commands at every state of the straight plan that has a next command
	Straight    Quartiles `json:"straight"`    // commands of the straight plan
	Search      Quartiles `json:"search"`      // commands of the searching plan
	Sources     Quartiles `json:"sources"`     // receptacles of the kind that the straight plan first takes something from
	Openable    Quartiles `json:"openable"`    // receptacles that can be opened, in percent of a game's
	Shared      float64   `json:"shared"`      // games where several receptacles are reached from one place, in percent
}

// Quartiles of a sorted list of n values are those at n/4, n/2 and 3n/4, counted from 0.
type Quartiles struct {
	Lower  float64 `json:"lower"`
	Median float64 `json:"median"`
	Upper  float64 `json:"upper"`
}

func quartiles[N cmp.Ordered](values []N, number func(N) float64) Quartiles {
	if len(values) == 0 {
		return Quartiles{}
	}
	slices.Sort(values)
	n := len(values)
	return Quartiles{number(values[n/4]), number(values[n/2]), number(values[3*n/4])}
}

// Survey measures games one by one. Its zero value is ready.
type Survey struct {
	receptacles, things, start, along, straight, search, sources []int
	openable                                                     []float64
	shared                                                       int
}

// Add measures one game: data is its file, game the same loaded, whose episodes must be experts.
func (s *Survey) Add(ctx context.Context, game env.Game, data []byte) error {
	text, err := problemText(data)
	if err != nil {
		return fmt.Errorf("measuring game %s: %w", game.ID(), err)
	}
	p, err := readProblem(text)
	if err != nil {
		return fmt.Errorf("measuring game %s: %w", game.ID(), err)
	}
	if err := s.play(ctx, game); err != nil {
		return fmt.Errorf("measuring game %s: %w", game.ID(), err)
	}
	here := map[string]int{}
	open, things := 0, 0
	for _, fact := range p.facts {
		switch fact[0] {
		case "receptacleatlocation":
			here[fact[2]]++
		case "openable":
			open++
		case "pickupable":
			things++
		}
	}
	receptacles, shared := 0, false
	for _, n := range here {
		receptacles += n
		shared = shared || n > 1
	}
	s.receptacles, s.things = append(s.receptacles, receptacles), append(s.things, things)
	s.openable = append(s.openable, 100*float64(open)/float64(max(receptacles, 1)))
	if shared {
		s.shared++
	}
	return nil
}

// play follows the straight plan to its end and asks for the searching one.
func (s *Survey) play(ctx context.Context, game env.Game) error {
	episode, err := game.Start(ctx, env.Limits{})
	if err != nil {
		return err
	}
	expert, ok := episode.(env.Expert)
	if !ok {
		return errors.New("its episodes are no experts")
	}
	search, err := expert.Plan(ctx, env.Search)
	if err != nil {
		return fmt.Errorf("searching plan: %w", err)
	}
	straight, err := expert.Plan(ctx, env.Straight)
	if err != nil {
		return fmt.Errorf("straight plan: %w", err)
	}
	now := episode.Now()
	first := now.Actions.Commands
	source := 0
	var along []int
	for _, command := range straight {
		along = append(along, len(now.Actions.Commands))
		if source == 0 && strings.HasPrefix(command, "take ") {
			source = countSources(command, first)
		}
		if now, err = episode.Step(ctx, command); err != nil {
			return err
		}
	}
	if !now.Won {
		return fmt.Errorf("its straight plan does not win: %s", strings.Join(straight, ", "))
	}
	s.along = append(s.along, along...)
	s.start, s.sources = append(s.start, len(first)), append(s.sources, source)
	s.straight, s.search = append(s.straight, len(straight)), append(s.search, len(search))
	return nil
}

// countSources counts the places one can go to at first that are of the kind that command takes something from.
func countSources(command string, first []string) int {
	_, from, _ := strings.Cut(command, " from ")
	kind := "go to " + strings.TrimRight(from, "0123456789")
	n := 0
	for _, c := range first {
		if strings.TrimRight(c, "0123456789") == kind {
			n++
		}
	}
	return n
}

// Difficulty is the measure of the games added so far.
func (s *Survey) Difficulty() Difficulty {
	count := func(n int) float64 { return float64(n) }
	share := func(x float64) float64 { return x }
	n := len(s.receptacles)
	return Difficulty{
		Games:       n,
		Receptacles: quartiles(s.receptacles, count),
		Things:      quartiles(s.things, count),
		Start:       quartiles(s.start, count),
		Along:       quartiles(s.along, count),
		Straight:    quartiles(s.straight, count),
		Search:      quartiles(s.search, count),
		Sources:     quartiles(s.sources, count),
		Openable:    quartiles(s.openable, share),
		Shared:      100 * float64(s.shared) / float64(max(n, 1)),
	}
}

// ALFWorld is the difficulty of ALFWorld's 3,553 playable training games, measured once (README.md says how).
var ALFWorld = Difficulty{
	Games:       3553,
	Receptacles: Quartiles{14, 21, 33},
	Things:      Quartiles{21, 30, 44},
	Start:       Quartiles{17, 24, 36},
	Along:       Quartiles{19, 27, 39},
	Straight:    Quartiles{4, 6, 7},
	Search:      Quartiles{4, 7, 8},
	Sources:     Quartiles{1, 1, 2},
	Openable:    Quartiles{100. * 2 / 7, 100. * 3 / 7, 100. * 6 / 11},
	Shared:      100. * 2607 / 3553,
}

package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
)

// Row says what a row of the table is of.
type Row struct {
	Model    string `json:"model"`     // its role: "untrained", "teacher", "student"
	WithHint bool   `json:"with_hint"` // H in the prompt
	// Seed is what the model was trained with where the table has several; 0: it has one.
	Seed uint64 `json:"seed,omitempty"`
	// Weights are digests of the manifests of model and, if any, adapter.
	Weights []string `json:"weights"`
	// Trajectories is the digest of their manifest.
	Trajectories string     `json:"trajectories"`
	Conditions   Conditions `json:"conditions"`
}

// Name is the row for people.
func (r Row) Name() string {
	name := r.Model
	if r.Seed != 0 {
		name += fmt.Sprintf(" of seed %d", r.Seed)
	}
	if r.WithHint {
		return name + " with H"
	}
	return name + " without H"
}

// Cell is a row with its numbers.
type Cell struct {
	Row
	Played   string           `json:"played"` // sha256 of the sorted ids of the games played, line breaks between
	All      Score            `json:"all"`
	Families map[string]Score `json:"families"`
}

// Score counts how games of one family, or of all, went. Shares are rounded to six decimals.
type Score struct {
	Games int     `json:"games"`
	Won   int     `json:"won"`
	Rate  float64 `json:"rate"` // won of games
	Low   float64 `json:"low"`  // Wilson's 95 % interval of the rate
	High  float64 `json:"high"`
	// MeanSteps is over won games, 0 if there is none.
	MeanSteps float64 `json:"mean_steps"`
	Decisions int     `json:"decisions"` // choices where the oracle knew what to say
	Exact     float64 `json:"exact"`     // of Decisions: the same command
	Template  float64 `json:"template"`  // of Decisions: the same by types
	// NoOracle counts the choices where the oracle knew nothing.
	NoOracle int `json:"no_oracle"`
	// Failures counts lost games by cause, those by limit, clock and positions too: each is a failure in Rate.
	Failures map[string]int `json:"failures"`
	// HintDigits and HintCommands count games whose hint held a digit, or a command chosen there. Expected 0.
	HintDigits   int `json:"hint_digits"`
	HintCommands int `json:"hint_commands"`
}

// NewCell counts the trajectories of a row. A game played twice, none at all, or a hint where the row has none
// is an error.
func NewCell(row Row, trajectories iter.Seq2[Trajectory, error]) (Cell, error) {
	ids := map[string]bool{}
	all, families := &tally{}, map[string]*tally{}
	for t, err := range trajectories {
		if err != nil {
			return Cell{}, fmt.Errorf("counting %s: %w", row.Name(), err)
		}
		if ids[t.Game] {
			return Cell{}, fmt.Errorf("counting %s: game %s is played twice", row.Name(), t.Game)
		}
		if t.Hint != "" && !row.WithHint || t.Hint == "" && row.WithHint && len(t.Steps) > 0 {
			return Cell{}, fmt.Errorf("counting %s: game %s has hint %q", row.Name(), t.Game, clip(t.Hint))
		}
		ids[t.Game] = true
		if families[t.Family] == nil {
			families[t.Family] = &tally{}
		}
		all.add(t)
		families[t.Family].add(t)
	}
	if len(ids) == 0 {
		return Cell{}, fmt.Errorf("counting %s: no game was played", row.Name())
	}
	cell := Cell{Row: row, All: all.score(), Families: map[string]Score{}}
	for family, t := range families {
		cell.Families[family] = t.score()
	}
	played := sha256.Sum256([]byte(strings.Join(slices.Sorted(maps.Keys(ids)), "\n")))
	cell.Played = "sha256:" + hex.EncodeToString(played[:])
	return cell, nil
}

// tally is a Score being counted.
type tally struct {
	games, won, steps, decisions, exact, template, noOracle, digits, commands int
	failures                                                                  map[string]int
}

func (y *tally) add(t Trajectory) {
	y.games++
	if t.Outcome.Won {
		y.won++
		y.steps += t.Outcome.Steps
	} else {
		if y.failures == nil {
			y.failures = map[string]int{}
		}
		y.failures[t.Outcome.Cause()]++
	}
	count := func(to *int, that bool) {
		if that {
			*to++
		}
	}
	count(&y.digits, t.HintDigits)
	count(&y.commands, t.HintCommand)
	for _, s := range t.Steps {
		count(&y.decisions, s.Oracle != "")
		count(&y.exact, s.Exact)
		count(&y.template, s.Template)
		count(&y.noOracle, s.NoOracle != "")
	}
}

func (y *tally) score() Score {
	s := Score{
		Games: y.games, Won: y.won, Rate: share(y.won, y.games), MeanSteps: share(y.steps, y.won),
		Decisions: y.decisions, Exact: share(y.exact, y.decisions), Template: share(y.template, y.decisions),
		NoOracle: y.noOracle, Failures: map[string]int{}, HintDigits: y.digits, HintCommands: y.commands,
	}
	s.Low, s.High = Wilson(y.won, y.games)
	maps.Copy(s.Failures, y.failures)
	return s
}

// Wilson is the 95 % score interval of won in games (Wilson 1927), rounded to six decimals.
func Wilson(won, games int) (low, high float64) {
	if games == 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // 97.5 % point of the normal distribution
	n, p := float64(games), float64(won)/float64(games)
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return round(max(0, (middle-half)/scale)), round(min(1, (middle+half)/scale))
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return round(float64(part) / float64(whole))
}

func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }

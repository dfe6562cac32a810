package activities

import (
	"fmt"

	"github.com/hone-rl/hone/agent/rollout"
)

// PanelTally is a panel's figures being counted, one episode after the other.
type PanelTally struct {
	said   Validation
	listed []ListedGame
	at     int // of the last episode's game in listed
	last   int // its rollout
	place  map[string]int
	turns  int
	scores rollout.Scores
}

// NewPanelTally begins to count a panel of listed games. Of said are step, panel, with and group.
func NewPanelTally(said Validation, listed []ListedGame) *PanelTally {
	begun := Validation{Step: said.Step, Panel: said.Panel, With: said.With, Group: said.Group, Families: []FamilyEpisodes{}}
	return &PanelTally{said: begun, listed: listed, last: -1, place: map[string]int{}}
}

// Add counts an episode and returns its game's place in the list. Games stand in the order of the panel, each as often as
// asked for and no more: anything else is an error.
func (t *PanelTally) Add(e rollout.Episode) (place int, err error) {
	for t.at < len(t.listed) && t.listed[t.at].ID != e.Game {
		t.at++
		t.last = -1
	}
	if t.at == len(t.listed) || e.Rollout <= t.last || e.Rollout >= t.said.Group {
		return 0, fmt.Errorf("episode %d is rollout %d of %s: expected %d of each of the panel's games, in order", t.said.Count+1, e.Rollout, e.Game, t.said.Group)
	}
	t.last = e.Rollout
	i, there := t.place[e.Family]
	if !there {
		i = len(t.said.Families)
		t.place[e.Family] = i
		t.said.Families = append(t.said.Families, FamilyEpisodes{Family: e.Family})
	}
	t.said.Count++
	t.said.Families[i].Count++
	t.turns += len(e.Steps)
	t.scores.Add(e)
	if e.Outcome.Won {
		t.said.Families[i].Won++
		t.said.Won++
	}
	return t.at, nil
}

// Validation is what the episodes come to. What was asked for and is not there is excluded.
func (t *PanelTally) Validation() Validation {
	v := t.said
	v.Excluded = len(t.listed)*v.Group - v.Count
	if v.Count > 0 {
		v.Turns = float64(t.turns) / float64(v.Count)
		v.Score = t.scores.Mean()
	}
	return v
}

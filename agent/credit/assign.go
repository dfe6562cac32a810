package credit

import (
	"fmt"
	"slices"
)

// Credit is what one sample gets.
type Credit struct {
	Part      int     `json:"part"`             // index in Config.Parts, -1: none, and all else 0
	Value     float64 `json:"value"`            // before the baseline; of Anchored the episode's
	Return    float64 `json:"return,omitempty"` // of Anchored: the discounted one
	Advantage float64 `json:"advantage"`
	// Learn says whether the sample's tokens are in the gradient. Where it is false they are in no sum either.
	Learn bool `json:"learn"`
}

// Result is the credit of a step.
type Result struct {
	Credits [][][]Credit `json:"credits"` // by group, episode and sample, as they were given
	Parts   []PartResult `json:"parts"`   // as Config.Parts
	// Rewards are the spreads of each phase's own rewards, under its name, and of whole episodes' under "episode".
	Rewards map[string]Spread `json:"rewards"`
	Dropped []Dropped         `json:"dropped,omitempty"`
	Short   []Short           `json:"short,omitempty"`
}

// PartResult is what a step's logs say about a part.
type PartResult struct {
	Name       string `json:"name"`
	Values     Spread `json:"values"`      // of all its samples
	Advantages Spread `json:"advantages"`  // of those in the gradient
	Groups     int    `json:"groups"`      // with a sample in it
	ZeroGroups int    `json:"zero_groups"` // of them, each advantage 0, dropped or not
}

// Dropped is a group that is out of the gradient.
type Dropped struct {
	Group int    `json:"group"`
	Task  string `json:"task"`
	Part  string `json:"part,omitempty"` // "" for all
	// Reason is "empty", no episode is left, or the Drop that it fell under.
	Reason string `json:"reason"`
	// Value is what all its episodes got, where that is why.
	Value float64 `json:"value"`
}

// Short is a group that has lost episodes and goes on with the others.
type Short struct {
	Group int    `json:"group"`
	Task  string `json:"task"`
	Size  int    `json:"size"`
	Have  int    `json:"have"`
}

// Assign says what each sample of a step's groups gets. A reward or an advantage that is not finite is an error that
// names the place.
func Assign(c Config, groups []Group) (Result, error) {
	if err := c.Check(); err != nil {
		return Result{}, fmt.Errorf("credit: %w", err)
	}
	r := Result{Credits: make([][][]Credit, len(groups)), Rewards: map[string]Spread{}}
	kinds := map[string][]float64{}
	for g, group := range groups {
		if err := group.check(); err != nil {
			return Result{}, fmt.Errorf("credit: %w", err)
		}
		r.Credits[g] = blank(c, group)
		for _, e := range group.Episodes {
			kinds["episode"] = append(kinds["episode"], c.reward(e))
			for _, s := range e.Samples {
				kinds[string(s.Phase)] = append(kinds[string(s.Phase)], s.Reward)
			}
		}
		switch have := len(group.Episodes); {
		case have == 0:
			r.Dropped = append(r.Dropped, Dropped{Group: g, Task: group.Task, Reason: "empty"})
		case have < group.Size:
			r.Short = append(r.Short, Short{g, group.Task, group.Size, have})
		}
	}
	for kind, values := range kinds {
		r.Rewards[kind] = SpreadOf(values)
	}
	for i, part := range c.Parts {
		result := PartResult{Name: part.Name}
		var values, advantages []float64
		for g, group := range groups {
			p := partOf{c, i, group, r.Credits[g]}
			places := p.places()
			if len(places) == 0 {
				continue
			}
			p.fill(places)
			dropped := p.drop(places)
			if dropped != nil {
				dropped.Group = g
				r.Dropped = append(r.Dropped, *dropped)
			}
			result.Groups++
			if p.zero(places) {
				result.ZeroGroups++
			}
			for _, at := range places {
				credit := p.at(at)
				if !finite(credit.Advantage) {
					return Result{}, fmt.Errorf("credit: group %q: %v: advantage %v of value %v", group.Task, at, credit.Advantage, credit.Value)
				}
				values = append(values, credit.Value)
				if credit.Learn {
					advantages = append(advantages, credit.Advantage)
				}
			}
		}
		result.Values, result.Advantages = SpreadOf(values), SpreadOf(advantages)
		r.Parts = append(r.Parts, result)
	}
	return r, nil
}

func blank(c Config, group Group) [][]Credit {
	all := make([][]Credit, len(group.Episodes))
	for i, e := range group.Episodes {
		all[i] = make([]Credit, len(e.Samples))
		for j, s := range e.Samples {
			all[i][j] = Credit{Part: c.part(s.Phase), Learn: c.learns(s.Phase)}
		}
	}
	return all
}

// partOf is one part's view of a group.
type partOf struct {
	Config
	part    int
	group   Group
	credits [][]Credit
}

func (p partOf) in(phase Phase) bool { return slices.Contains(p.Parts[p.part].Phases, phase) }

func (p partOf) at(at Place) *Credit { return &p.credits[at.Episode][at.Sample] }

// places are the part's samples, by episode and then sample.
func (p partOf) places() (all []Place) {
	for i, e := range p.group.Episodes {
		for j, s := range e.Samples {
			if p.in(s.Phase) {
				all = append(all, Place{i, j})
			}
		}
	}
	return all
}

// fill sets values and advantages.
func (p partOf) fill(places []Place) {
	part := p.Parts[p.part]
	returns := make([][]float64, len(p.group.Episodes))
	for i, e := range p.group.Episodes {
		returns[i] = p.returns(e, p.in)
	}
	for _, at := range places {
		e, credit := p.group.Episodes[at.Episode], p.at(at)
		s := e.Samples[at.Sample]
		switch part.Signal {
		case WholeEpisode, Anchored:
			credit.Value = p.reward(e) - p.penalty(s)
		case Discounted:
			credit.Value = returns[at.Episode][at.Sample] - p.penalty(s)
		case OwnReward:
			credit.Value = s.Reward
		}
		if part.Signal == Anchored {
			credit.Return = returns[at.Episode][at.Sample] - p.penalty(s)
		}
	}
	n := normal{0, 1}
	if part.Baseline != NoBaseline {
		n = normalOf(p.compared(places, part.Baseline), part.Scale, p.Single)
	}
	for _, at := range places {
		p.at(at).Advantage = n.of(p.at(at).Value)
	}
	if part.Signal == Anchored {
		p.addSteps(part.Scale)
	}
}

// compared are the values that the statistics are taken over.
func (p partOf) compared(places []Place, baseline Baseline) (values []float64) {
	last := -1
	for _, at := range places {
		if baseline == OfRollouts && at.Episode == last {
			continue
		}
		last = at.Episode
		values = append(values, p.at(at).Value)
	}
	return values
}

// addSteps adds the advantages within anchors (GiGPO, eq. 7 and 8).
func (p partOf) addSteps(scale Scale) {
	for _, members := range Anchors(p.group.Episodes, p.in, p.Similarity) {
		values := make([]float64, len(members))
		for i, at := range members {
			values[i] = p.at(at).Return
		}
		n := normalOf(values, scale, ZeroSingle)
		for i, at := range members {
			p.at(at).Advantage += p.StepWeight * n.of(values[i])
		}
	}
}

// zero says whether each advantage is 0.
func (p partOf) zero(places []Place) bool {
	return !slices.ContainsFunc(places, func(at Place) bool { return p.at(at).Advantage != 0 })
}

// drop takes the group out of the gradient if it is to be dropped, and says so.
func (p partOf) drop(places []Place) *Dropped {
	part := p.Parts[p.part]
	if part.Baseline == NoBaseline {
		return nil
	}
	value := p.at(places[0]).Value
	switch p.Drop {
	case DropZeros:
		if !p.zero(places) {
			return nil
		}
	case DropOutcomes:
		value = p.reward(p.group.Episodes[0])
		if part.Signal == OwnReward || slices.ContainsFunc(p.group.Episodes, func(e Episode) bool { return p.reward(e) != value }) {
			return nil
		}
	default:
		return nil
	}
	for _, at := range places {
		p.at(at).Learn = false
	}
	return &Dropped{Task: p.group.Task, Part: part.Name, Reason: string(p.Drop), Value: value}
}

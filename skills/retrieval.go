package skills

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Retrieval says how skills are found. Zero fields and nil mean the defaults.
type Retrieval struct {
	Mode        Mode     `json:"mode,omitempty" yaml:"mode,omitempty"`               // default ModeUCB
	Weight      *float64 `json:"weight,omitempty" yaml:"weight,omitempty"`           // w of likeness against utility, 0 to 1; default 0.6 (Skill1, Table 4)
	Bonus       *float64 `json:"bonus,omitempty" yaml:"bonus,omitempty"`             // c of the UCB term, 0 to 100; default 1 (Skill1, Table 4)
	Floor       *float64 `json:"floor,omitempty" yaml:"floor,omitempty"`             // least likeness, −1 to 1; default 0.4 (Skill1's released library)
	TopK        int      `json:"top_k,omitempty" yaml:"top_k,omitempty"`             // most skills; default 5 (Skill1, Table 4)
	Outcome     Filter   `json:"outcome,omitempty" yaml:"outcome,omitempty"`         // default FilterBoth
	Temperature float64  `json:"temperature,omitempty" yaml:"temperature,omitempty"` // of ModeSoftmax, 0.01 to 100; default 0.5 (Skill1's released library)
}

// Mode is how skills are scored and chosen.
type Mode string

// The modes. rel is the cosine of query and key, U the utility, n the count, N the sum of all counts in the library.
const (
	ModeUCB       Mode = "ucb"         // w·rel + (1−w)·(U + c·√(ln N / n)) (Skill1)
	ModeGreedy    Mode = "greedy"      // w·rel + (1−w)·U (Skill1, evaluation)
	ModeRelevance Mode = "relevance"   // rel
	ModeSoftmax   Mode = "softmax"     // drawn without replacement by exp(score/T), the score that of ModeGreedy
	ModeSimUtil   Mode = "simutil_ucb" // as ModeUCB, where n and N count retrievals alone, n at least 1 (RetroAgent)
	ModeType      Mode = "type"        // by task type instead of likeness (SkillRL): type.go
)

// Filter keeps skills by the outcome of the episode that they were born of.
type Filter string

// The filters. A skill of unknown outcome passes FilterBoth alone.
const (
	FilterSuccess Filter = "success"
	FilterFailure Filter = "failure"
	FilterBoth    Filter = "both"
)

func (f Filter) keeps(o Outcome) bool { return f == FilterBoth || string(f) == string(o) }

var (
	modes   = []Mode{ModeUCB, ModeGreedy, ModeRelevance, ModeSoftmax, ModeSimUtil, ModeType}
	filters = []Filter{FilterSuccess, FilterFailure, FilterBoth}
)

// WithDefaults has the defaults in place of what is zero or nil.
func (r Retrieval) WithDefaults() Retrieval {
	if r.Mode == "" {
		r.Mode = ModeUCB
	}
	if r.Weight == nil {
		r.Weight = new(0.6)
	}
	if r.Bonus == nil {
		r.Bonus = new(1.0)
	}
	if r.Floor == nil {
		r.Floor = new(0.4)
	}
	if r.TopK == 0 {
		r.TopK = 5
	}
	if r.Outcome == "" {
		r.Outcome = FilterBoth
	}
	if r.Temperature == 0 {
		r.Temperature = 0.5
	}
	return r
}

// Validate says all that is wrong with r, nil if nothing is.
func (r Retrieval) Validate() error {
	r = r.WithDefaults()
	var errs []error
	if !slices.Contains(modes, r.Mode) {
		errs = append(errs, fmt.Errorf("mode: %.40q, expected one of %v", string(r.Mode), modes))
	}
	for _, f := range []struct {
		name               string
		value, least, most float64
	}{
		{"weight", *r.Weight, 0, 1},
		{"bonus", *r.Bonus, 0, 100},
		{"floor", *r.Floor, -1, 1},
		{"temperature", r.Temperature, 0.01, 100},
		{"top_k", float64(r.TopK), 1, MaxSkills},
	} {
		if !(f.value >= f.least && f.value <= f.most) { // nor NaN
			errs = append(errs, fmt.Errorf("%s: %v, expected %v to %v", f.name, f.value, f.least, f.most))
		}
	}
	if !slices.Contains(filters, r.Outcome) {
		errs = append(errs, fmt.Errorf("outcome: %.40q, expected one of %v", string(r.Outcome), filters))
	}
	return errors.Join(errs...)
}

// scorer is the score of a skill by its likeness, utility and count, in a library of so many skills whose counts have
// that sum. What all skills share is worked out once.
func (r Retrieval) scorer(counts float64, skills int) func(rel, utility float64, count int) float64 {
	w, c := *r.Weight, *r.Bonus
	top := 0.0
	bonus := func(n float64) float64 { return float64(c * math.Sqrt(top/max(n, 1))) }
	switch r.Mode {
	case ModeUCB:
		top = ln(max(counts, 1))
		return func(rel, utility float64, count int) float64 {
			return mixed(w, rel, utility+bonus(float64(count)))
		}
	case ModeSimUtil:
		top = ln(max(counts-float64(skills*BirthCount), 1)) // no retrieval yet: no bonus
		return func(rel, utility float64, count int) float64 {
			return mixed(w, rel, utility+bonus(float64(count-BirthCount)))
		}
	case ModeRelevance:
		return func(rel, _ float64, _ int) float64 { return rel }
	}
	return func(rel, utility float64, _ int) float64 { return mixed(w, rel, utility) }
}

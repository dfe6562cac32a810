package skills

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Rules are what a library lives by. They are set when it begins, stand in every snapshot of it, and every change is
// held against them. Zero fields mean the defaults.
type Rules struct {
	Rate       float64    `json:"rate,omitempty" yaml:"rate,omitempty"`               // α of the utility's moving average, above 0 to 1; default 0.05 (Skill1, Table 4)
	Admit      Admission  `json:"admit,omitempty" yaml:"admit,omitempty"`             // default AdmitWon
	Merge      Merging    `json:"merge,omitempty" yaml:"merge,omitempty"`             // default MergeStrategy
	MergeAbove float64    `json:"merge_above,omitempty" yaml:"merge_above,omitempty"` // cosine of two keys, above 0 to 1; default 0.85 (Skill1's released library)
	Capacity   int        `json:"capacity,omitempty" yaml:"capacity,omitempty"`       // most skills; default 5000 (Skill1, §3)
	Retire     Retirement `json:"retire,omitempty" yaml:"retire,omitempty"`           // who goes when there are more; default RetireUtilityLog
}

// Admission says which of the skills that could be parsed enter a library.
type Admission string

// The rules of admission.
const (
	AdmitWon       Admission = "won"       // the episode succeeded (Skill1)
	AdmitPredicted Admission = "predicted" // it went as the policy itself had said, won or lost (RetroAgent)
	AdmitAny       Admission = "any"       // all
	AdmitNone      Admission = "none"      // no skill: a library that stays as it began (SkillRL between its updates)
)

// admits says whether a skill enters whose episode went so, when the policy had predicted the other ("" if nothing).
func (a Admission) admits(outcome, predicted Outcome) bool {
	switch a {
	case AdmitWon:
		return outcome == Success
	case AdmitPredicted:
		return outcome == predicted && outcome != Unknown
	case AdmitAny:
		return true
	}
	return false
}

// Merging says which newborn skills become one with a skill that is there.
type Merging string

// The rules of merging.
const (
	MergeStrategy Merging = "strategy" // the same strategy to the letter, and keys of one kind more alike than Rules.MergeAbove
	MergeNone     Merging = "none"     // none
)

// Retirement says which skills go when a library is above its capacity at the end of a step. Of equals the older goes.
type Retirement string

// The rules of retirement.
const (
	RetireUtilityLog  Retirement = "utility_log"    // lowest U·log2(count+1) (Skill1's released library)
	RetireSelectedLog Retirement = "selected_log"   // lowest U·log n, n times selected (Skill1, §3); never a newborn while others are there
	RetireUtility     Retirement = "lowest_utility" // lowest U
	RetireOldest      Retirement = "oldest"         // born first
	RetireLeastUsed   Retirement = "least_used"     // lowest count; never a newborn while others are there
)

var (
	admissions  = []Admission{AdmitWon, AdmitPredicted, AdmitAny, AdmitNone}
	mergings    = []Merging{MergeStrategy, MergeNone}
	retirements = []Retirement{RetireUtilityLog, RetireSelectedLog, RetireUtility, RetireOldest, RetireLeastUsed}
)

// MaxSkills bounds a library, and what is read as one.
const MaxSkills = 100_000

// WithDefaults has the defaults in place of zero fields.
func (r Rules) WithDefaults() Rules {
	r.Rate = cmp.Or(r.Rate, 0.05)
	r.Admit = cmp.Or(r.Admit, AdmitWon)
	r.Merge = cmp.Or(r.Merge, MergeStrategy)
	r.MergeAbove = cmp.Or(r.MergeAbove, 0.85)
	r.Capacity = cmp.Or(r.Capacity, 5000)
	r.Retire = cmp.Or(r.Retire, RetireUtilityLog)
	return r
}

// Validate says all that is wrong with r, nil if nothing is.
func (r Rules) Validate() error {
	r = r.WithDefaults()
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !(r.Rate > 0 && r.Rate <= 1) { // nor NaN
		bad("rate: %v, expected above 0, at most 1", r.Rate)
	}
	if !slices.Contains(admissions, r.Admit) {
		bad("admit: %.40q, expected one of %v", string(r.Admit), admissions)
	}
	if !slices.Contains(mergings, r.Merge) {
		bad("merge: %.40q, expected one of %v", string(r.Merge), mergings)
	}
	if !(r.MergeAbove > 0 && r.MergeAbove <= 1) {
		bad("merge_above: %v, expected above 0, at most 1", r.MergeAbove)
	}
	if r.Capacity < 1 || r.Capacity > MaxSkills {
		bad("capacity: %d, expected 1 to %d", r.Capacity, MaxSkills)
	}
	if !slices.Contains(retirements, r.Retire) {
		bad("retire: %.40q, expected one of %v", string(r.Retire), retirements)
	}
	return errors.Join(errs...)
}

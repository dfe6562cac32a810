package hints

import (
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"

	"github.com/hone-rl/hone/env"
)

// Schema names the form of the records that a manifest speaks of.
const Schema = "hone.records/1"

// The names of a dataset's files, after its own name.
const (
	RecordsSuffix  = ".jsonl"
	ManifestSuffix = ".jsonl.manifest.json"
	ExcludedSuffix = ".jsonl.excluded_games.jsonl"
)

// Manifest describes a dataset: NAME.jsonl.manifest.json. It is a function of the records, the excluded games and
// the settings.
type Manifest struct {
	Schema   string              `json:"schema"`
	Name     string              `json:"name"`
	Generate GenerateConfig      `json:"generate"` // how the records were made
	Records  int                 `json:"records"`
	Games    int                 `json:"games"`
	Excluded map[string]int      `json:"excluded"` // games by kind
	Split    SplitCoverage       `json:"split"`
	Families map[string]Coverage `json:"families"`
	// Experts counts games by the kind of plan that their commands are of, ExpertRecords records.
	Experts       map[env.PlanKind]int `json:"experts"`
	ExpertRecords map[env.PlanKind]int `json:"expert_records,omitempty"`
	Plans         PlanLengths          `json:"plans"` // from the first state
	// Recovery is of detours, absent where none were asked for.
	Recovery *Recovered `json:"recovery,omitempty"`
	// Lengths are in tokens, absent where no tokenizer was given.
	Lengths *PromptLengths `json:"lengths,omitempty"`
	Audit   Audit          `json:"audit"`
}

// SplitCoverage is the split by game and what falls on each side.
type SplitCoverage struct {
	SplitConfig
	Train           Part     `json:"train"`
	Validation      Part     `json:"validation"`
	ValidationGames []string `json:"validation_games"` // sorted ids; all others are for training
}

// Part is what falls on one side of the split.
type Part struct {
	Games   int `json:"games"`
	Records int `json:"records"`
}

// Coverage is what there is of one family.
type Coverage struct {
	Train      Part `json:"train"`
	Validation Part `json:"validation"`
}

// Recovered is what came of detours.
type Recovered struct {
	Games   int                  `json:"games"`   // that have records of at least one
	Detours int                  `json:"detours"` // that have records
	Records int                  `json:"records"`
	Experts map[env.PlanKind]int `json:"experts"` // detours by the kind of plan that led back
	Failed  map[string]int       `json:"failed"`  // detours without records, by kind of exclusion
}

// PlanLengths are commands a game.
type PlanLengths struct {
	Min   int         `json:"min"`
	Max   int         `json:"max"`
	Mean  float64     `json:"mean"`  // rounded to four decimals
	Games map[int]int `json:"games"` // by length
}

// PromptLengths are lengths in tokens of prompt and answer together.
type PromptLengths struct {
	Format      string `json:"format"`
	MaxTokens   int    `json:"max_tokens"`
	WithHint    Length `json:"with_hint"`
	WithoutHint Length `json:"without_hint"`
}

// Length is the lengths of one kind of prompt.
type Length struct {
	Over  int     `json:"over"` // records longer than MaxTokens: counted here, never cut
	Max   int     `json:"max"`
	Mean  float64 `json:"mean"` // rounded to four decimals
	total int
}

// JSON is the manifest in canonical form (RFC 8785).
func (m Manifest) JSON() ([]byte, error) {
	plain, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encoding manifest of %s: %w", m.Name, err)
	}
	return jcs.Transform(plain)
}

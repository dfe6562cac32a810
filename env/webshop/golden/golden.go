// Package golden reads what was recorded of WebShop's own environment: folders in the layout of webshop-golden, whose
// README says what each file holds. It knows nothing of the engine that the recordings are held against.
package golden

import (
	"fmt"
	"path/filepath"
)

// The files of a folder. Those of goals lie in a folder of theirs, one for each seed and kind.
const (
	EpisodesFile  = "episodes.jsonl"
	PurchasesFile = "reward_cases.jsonl"
	ScoresFile    = "token_set_ratio.jsonl"
	SearchesFile  = "search.jsonl"
	TextsFile     = "analyzer.jsonl"
	RepliesFile   = "projection.json"
	PythonFile    = "python_random.json"
	NumPyFile     = "numpy_choice.json"
	ColoursFile   = "data/color_words.json"
	StatsFile     = "data/index_stats.json"
)

// Folder is one of recordings.
type Folder string

// Data are the files of the catalogue that everything was recorded with. Their names begin as WebShop's do and may say
// how many products there are, as items_shuffle_1000.json does.
type Data struct {
	Products, Attributes, Instructions, Nouns string
}

// Data looks for the files of the catalogue.
func (f Folder) Data() (d Data, err error) {
	for _, file := range []struct {
		pattern string
		to      *string
	}{
		{"items_shuffle*.json", &d.Products},
		{"items_ins_v2*.json", &d.Attributes},
		{"items_human_ins*.json", &d.Instructions},
		{"title_nouns*.json", &d.Nouns},
	} {
		pattern := filepath.Join(string(f), "data", file.pattern)
		found, err := filepath.Glob(pattern)
		switch {
		case err != nil:
			return Data{}, fmt.Errorf("%s: %w", pattern, err)
		case len(found) != 1:
			return Data{}, fmt.Errorf("%s: %d files, expected one", pattern, len(found))
		}
		*file.to = found[0]
	}
	return d, nil
}

// Place is where something was recorded.
type Place struct {
	File string // below the folder
	Line int    // on which it begins, counted from 1
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// At is something recorded and its place.
type At[T any] struct {
	Place
	Value T
}

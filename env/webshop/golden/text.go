package golden

import (
	"errors"

	"github.com/hone-rl/hone/internal/exact"
)

// Score is the token-set score of two texts.
type Score struct {
	Purchased string `json:"purchased"`
	Goal      Wanted `json:"goal"`
	Score     int    `json:"score"`
}

// Wanted is one text, or a pair of name and value.
type Wanted []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *Wanted) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		one, err := exact.Text(text)
		*w = Wanted{one}
		return err
	}
	var pair []string
	if err := exact.Unmarshal(text, &pair); err != nil || len(pair) != 2 {
		return errors.New("expected a text or a pair of texts")
	}
	*w = pair
	return nil
}

// Scores reads the scores.
func (f Folder) Scores() ([]At[Score], error) { return lines[Score](f, ScoresFile) }

// Search is a query and what was found, the best first.
type Search struct {
	Query  string    `json:"query"`
	ASINs  []string  `json:"asins"`
	Scores []float64 `json:"scores"` // rounded to four decimals
}

// Searches reads the searches.
func (f Folder) Searches() ([]At[Search], error) { return lines[Search](f, SearchesFile) }

// Text is a text and its index terms.
type Text struct {
	Text  string   `json:"text"`
	Terms []string `json:"terms"`
}

// Texts reads the texts.
func (f Folder) Texts() ([]At[Text], error) { return lines[Text](f, TextsFile) }

// Reply is what a model said, and what verl-agent made of it.
type Reply struct {
	Text   string `json:"text"`
	Action string `json:"action"`
	Valid  int    `json:"valid"` // 1 or 0
}

// Replies reads the replies.
func (f Folder) Replies() ([]At[Reply], error) { return elements[Reply](f, RepliesFile) }

// Stats are sizes of the search index.
type Stats struct {
	Documents int     `json:"doc_count"`
	Length    int64   `json:"sum_total_term_freq"` // of all documents together, in terms
	Average   float64 `json:"avg_field_length"`
}

// Stats reads them.
func (f Folder) Stats() (At[Stats], error) { return value[Stats](f, StatsFile) }

// Colours reads the words of colours, in their order.
func (f Folder) Colours() (At[[]string], error) { return value[[]string](f, ColoursFile) }

package golden

import (
	"errors"
	"fmt"

	"github.com/hone-rl/hone/internal/exact"
)

// Purchase is one that the original judged.
type Purchase struct {
	ID           string          `json:"id"`
	Goal         Wanting         `json:"goal"`
	ASIN         string          `json:"purchased_asin"`
	Chosen       Options         `json:"purchased_options"`
	Price        float64         `json:"price"`
	Expected     map[string]any  `json:"expected"` // all parts, by their names
	OptionScores []OptionScore   `json:"option_scores"`
	Attributes   []BestAttribute `json:"attribute_scores"`
	GoalNouns    []string        `json:"goal_nouns"`
	Nouns        []string        `json:"purchased_nouns"`
}

// Wanting is what of a goal rewards depend on.
type Wanting struct {
	ASIN       string   `json:"asin"`
	Query      string   `json:"query"`
	Name       string   `json:"name"`
	Path       string   `json:"product_category"`
	Attributes []string `json:"attributes"`
	PriceUpper float64  `json:"price_upper"`
	Options    Options  `json:"goal_options"`
}

// OptionScore is the score of a wanted option with a chosen value, as the two were compared.
type OptionScore struct {
	Goal      Wanted `json:"goal"`
	Purchased string `json:"purchased"`
	Score     int    `json:"score"`
}

// BestAttribute is the product's attribute that is nearest to a wanted one.
type BestAttribute struct {
	Goal  string  `json:"goal"`
	Score int     `json:"best_score"`
	Best  *string `json:"best_attribute"` // nil where none has a score
}

// Options are what is wanted or was chosen: values by name in their order, or values without names.
type Options struct {
	Named bool
	List  []Option
}

// Option is one of them.
type Option struct{ Name, Value string }

// UnmarshalJSON implements json.Unmarshaler.
func (o *Options) UnmarshalJSON(text []byte) error {
	*o = Options{}
	add := func(name string, value []byte) error {
		v, err := exact.Text(value)
		if err != nil {
			return fmt.Errorf("%.60q, expected a text", value)
		}
		o.List = append(o.List, Option{name, v})
		return nil
	}
	switch text[0] {
	case '{':
		o.Named = true
		return exact.Members(text, add)
	case '[':
		return exact.Elements(text, func(value []byte) error { return add("", value) })
	}
	return errors.New("expected an object or a list of texts")
}

// Purchases reads the purchases.
func (f Folder) Purchases() ([]At[Purchase], error) { return lines[Purchase](f, PurchasesFile) }

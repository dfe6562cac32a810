package golden

import "encoding/json"

// Episode is one that the original played.
type Episode struct {
	ID      string `json:"id"`
	Policy  string `json:"policy"`
	Seed    int64  `json:"seed"`
	Human   bool   `json:"human_goals"`
	Attrs   bool   `json:"show_attrs"`
	Session int    `json:"session"` // number of the goal
	Goal    Asked  `json:"goal"`
	Reset   Page   `json:"reset"`
	Steps   []Step `json:"steps"`

	Return float64 `json:"return"` // the sum of its rewards
	Length int     `json:"length"` // steps
}

// Asked is the goal of an episode.
type Asked struct {
	Wish
	Category string  `json:"category"`
	Text     string  `json:"instruction_text"`
	Weight   float64 `json:"weight"`
}

// Page is what was shown.
type Page struct {
	Text    string     `json:"observation"`
	Rich    string     `json:"observation_rich"`
	URL     string     `json:"url"`
	Actions *Available `json:"available_actions,omitempty"` // nil on the last one
}

// Available is what could be done.
type Available struct {
	SearchBar  bool     `json:"has_search_bar"`
	Clickables []string `json:"clickables"`
}

// Step is what was said and what came of it.
type Step struct {
	Action string `json:"action"`
	Page
	Reward float64         `json:"reward"`
	Done   bool            `json:"done"`
	Parts  json.RawMessage `json:"reward_info,omitempty"`                        // once done, by their names
	After  *Available      `json:"available_actions_after_auto_reset,omitempty"` // of the random session that follows
}

// Episodes reads the episodes.
func (f Folder) Episodes() ([]At[Episode], error) { return lines[Episode](f, EpisodesFile) }

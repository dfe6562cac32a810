package golden

import "fmt"

// Episode is one that the original played.
type Episode struct {
	ID      string `json:"id"`
	Policy  string `json:"policy"`
	Seed    int64  `json:"seed"`
	Human   bool   `json:"human_goals"`
	Attrs   bool   `json:"show_attrs"`
	Session int    `json:"session"` // number of the goal
	Goal    struct {
		Wanting
		Category string  `json:"category"`
		Text     string  `json:"instruction_text"`
		Weight   float64 `json:"weight"`
	} `json:"goal"`
	Reset  Page    `json:"reset"`
	Steps  []Step  `json:"steps"`
	Return float64 `json:"return"` // of all steps
	Length int     `json:"length"` // how many steps
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
	Reward float64        `json:"reward"`
	Done   bool           `json:"done"`
	Parts  map[string]any `json:"reward_info,omitempty"`                        // once done, by their names
	After  *Available     `json:"available_actions_after_auto_reset,omitempty"` // of the random session that follows
}

// Episodes reads the episodes.
func (f Folder) Episodes() ([]At[Episode], error) {
	list, err := lines[Episode](f, EpisodesFile)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := list[i].Value.complete(); err != nil {
			return nil, list[i].fail(err)
		}
	}
	return list, nil
}

// complete says which page lacks what it must have: actions, but for a last one, which has what came of it.
func (e *Episode) complete() error {
	if e.Reset.Actions == nil {
		return fmt.Errorf(`reset: no "available_actions", expected them`)
	}
	for i, s := range e.Steps {
		switch {
		case !s.Done && s.Actions == nil:
			return fmt.Errorf(`step %d: no "available_actions", expected them until it is done`, i+1)
		case s.Done && (s.Parts == nil || s.After == nil):
			return fmt.Errorf(`step %d: expected "reward_info" and "available_actions_after_auto_reset" where it is done`, i+1)
		}
	}
	return nil
}

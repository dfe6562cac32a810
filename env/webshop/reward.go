package webshop

// Reward says how well what was bought fits a goal. It may be used from many goroutines.
type Reward interface {
	// Reward compares a product, bought with some options at a price in dollars, with what goal asks for.
	Reward(goal *Goal, bought *Product, options []Choice, price float64) Parts
}

// Parts are a reward and what it is made of, under the names of the original.
type Parts struct {
	Total         float64  `json:"-"`
	Type          float64  `json:"r_type"` // what kind of product it is; a factor of the total
	Attributes    float64  `json:"r_att"`  // share of the attributes asked for
	AttributePart float64  `json:"w_att"`  // of the total's denominator, as the other parts
	QueryMatch    bool     `json:"query_match"`
	CategoryMatch bool     `json:"category_match"`
	TitleScore    float64  `json:"title_score"`
	Options       *float64 `json:"r_option,omitempty"` // nil where the goal asks for none
	OptionPart    *float64 `json:"w_option,omitempty"`
	Price         bool     `json:"r_price"` // within the bound
	PricePart     float64  `json:"w_price"`
}

package reward

import (
	"fmt"
	"strings"

	"github.com/hone-rl/hone/env/webshop/internal/python"
	"github.com/hone-rl/hone/env/webshop/nouns"
)

// Kind is whether what was bought is of the kind that was wanted.
type Kind struct {
	Share         float64 // r_type: 1, 0.5, 0.1 or 0, by which the rest is multiplied
	QueryMatch    bool    // both are found by one query
	CategoryMatch bool    // their category paths share two parts or more
	TitleScore    float64 // the share of the wanted title's nouns that the bought one has
	Bought        []string
	Wanted        []string // nouns of the titles
	Guessed       bool     // not all nouns are spaCy's: the score and the share may be others than WebShop's
}

const (
	alike    = 0.2 // the title score above which two products are of one kind by their titles; that of a title without nouns
	unlike   = 0.1 // the title score below which they hardly are, whatever query and category say
	ofOther  = 0.5 // r_type of a product of another kind
	unlikely = 0.1 // r_type where titles are unlike
)

func kindOf(goal *Goal, bought *Purchase, tagger nouns.Tagger) (Kind, error) {
	want, err := tagger.Nouns(goal.ASIN, goal.Title)
	if err != nil {
		return Kind{}, fmt.Errorf("goal: %w", err)
	}
	got, err := tagger.Nouns(bought.ASIN, bought.Title)
	if err != nil {
		return Kind{}, fmt.Errorf("purchase: %w", err)
	}
	k := Kind{
		QueryMatch:    goal.Query == bought.Query,
		CategoryMatch: shared(path(bought.CategoryPath), path(goal.CategoryPath)) >= 2,
		TitleScore:    alike,
		Bought:        got.List,
		Wanted:        want.List,
		Guessed:       got.Guessed || want.Guessed,
	}
	if len(want.List) > 0 {
		// By all nouns, with repeats, though each counts once above: a title that repeats itself is hard to match, even
		// for its own product.
		k.TitleScore = float64(shared(got.List, want.List)) / float64(len(want.List))
	}
	switch {
	case k.TitleScore == 0:
		k.Share = 0
	case k.TitleScore < unlike:
		k.Share = unlikely
	case k.QueryMatch || k.CategoryMatch || k.TitleScore > alike:
		k.Share = 1
	default:
		k.Share = ofOther
	}
	return k, nil
}

// path is the parts of a category path.
func path(text string) []string {
	parts := strings.Split(text, "›")
	for i, p := range parts {
		parts[i] = python.Strip(p)
	}
	return parts
}

// shared is how many different texts both lists have.
func shared(a, b []string) int {
	const got, counted = 1, 2
	set := make(map[string]int, len(a))
	for _, text := range a {
		set[text] = got
	}
	n := 0
	for _, text := range b {
		if set[text] == got {
			set[text] = counted
			n++
		}
	}
	return n
}

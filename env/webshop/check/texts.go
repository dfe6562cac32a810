package check

import (
	"context"
	"fmt"
	"math"

	"github.com/hone-rl/hone/env/webshop/internal/fuzzy"
	"github.com/hone-rl/hone/env/webshop/reward"
	"github.com/hone-rl/hone/env/webshop/search"
)

// scores compares the token-set scores of two texts.
func (c *checker) scores(context.Context) error {
	list, err := c.cfg.Folder.Scores()
	if err != nil {
		return err
	}
	for _, s := range list {
		wanted := fuzzy.New(s.Value.Goal[0])
		if len(s.Value.Goal) == 2 {
			wanted = fuzzy.Pair(s.Value.Goal[0], s.Value.Goal[1])
		}
		c.compare(Scores, s.Place, "", func(o *one) error {
			o.same(fmt.Sprintf("%.60q with %.60q", s.Value.Purchased, s.Value.Goal), fuzzy.Score(fuzzy.New(s.Value.Purchased), wanted), s.Value.Score)
			return nil
		})
	}
	return nil
}

// searches compares what is found, its order and its scores.
func (c *checker) searches(ctx context.Context) error {
	list, err := c.cfg.Folder.Searches()
	if err != nil {
		return err
	}
	index, err := c.index(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		c.compare(Searches, s.Place, fmt.Sprintf("%.100q", s.Value.Query), func(o *one) error {
			hits, err := index.Search(s.Value.Query, search.MostHits)
			if err != nil {
				return err
			}
			if len(s.Value.ASINs) != len(s.Value.Scores) {
				return fmt.Errorf("%d asins and %d scores, expected as many", len(s.Value.ASINs), len(s.Value.Scores))
			}
			o.same("products found", len(hits), len(s.Value.ASINs))
			for i := range min(len(hits), len(s.Value.ASINs)) {
				o.same(fmt.Sprintf("hit %d", i+1), hits[i].ID, s.Value.ASINs[i])
				o.same(fmt.Sprintf("score of hit %d", i+1), math.Round(float64(hits[i].Score)*1e4)/1e4, s.Value.Scores[i])
			}
			return nil
		})
	}
	return nil
}

// texts compares the index terms of texts.
func (c *checker) texts(context.Context) error {
	list, err := c.cfg.Folder.Texts()
	if err != nil {
		return err
	}
	for _, s := range list {
		c.compare(Texts, s.Place, fmt.Sprintf("%.60q", s.Value.Text), func(o *one) error {
			o.same("terms", search.Terms(s.Value.Text), s.Value.Terms)
			return nil
		})
	}
	return nil
}

// replies compares what the player's side makes of what models say.
func (c *checker) replies(context.Context) error {
	list, err := c.cfg.Folder.Replies()
	if err != nil {
		return err
	}
	for _, r := range list {
		c.compare(Replies, r.Place, fmt.Sprintf("%.60q", r.Value.Text), func(o *one) error {
			action, valid := c.cfg.Project(r.Value.Text)
			o.same("action", action, r.Value.Action)
			o.same("valid", valid, r.Value.Valid == 1)
			return nil
		})
	}
	return nil
}

// tables compares the words of colours, and the sizes of the index.
func (c *checker) tables(ctx context.Context) error {
	colours, err := c.cfg.Folder.Colours()
	if err != nil {
		return err
	}
	stats, err := c.cfg.Folder.Stats()
	if err != nil {
		return err
	}
	index, err := c.index(ctx)
	if err != nil {
		return err
	}
	got := index.Stats()
	c.compare(Tables, colours.Place, "colours", func(o *one) error {
		o.same("in their order", reward.Colours(), colours.Value)
		return nil
	})
	c.compare(Tables, stats.Place, "index", func(o *one) error {
		o.same("documents", got.Documents, stats.Value.Documents)
		o.same("documents with a term", got.Counted, stats.Value.Documents)
		o.same("terms with repeats", got.Length, stats.Value.Length)
		o.same("terms of a document", float64(got.Length)/float64(got.Documents), stats.Value.Average)
		return nil
	})
	return nil
}

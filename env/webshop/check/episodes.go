package check

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/env/webshop/reward"
)

// episodes says the recorded actions and compares every page, in plain and rich text, with URL, reward and actions.
func (c *checker) episodes(ctx context.Context) error {
	list, err := c.cfg.Folder.Episodes()
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		shop, err := c.shop(ctx, shopOf{e.Value.Seed, e.Value.Human, e.Value.Attrs})
		if err != nil {
			return err
		}
		if err := c.compare(Episodes, e.Place, e.Value.ID, func(o *one) error { return c.episode(o, shop, &e) }); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) episode(o *one, shop *webshop.Shop, e *golden.At[golden.Episode]) error {
	b, err := shop.Browser()
	if err != nil {
		return err
	}
	page, err := b.Reset(e.Value.Session)
	if err != nil {
		return err
	}
	goal, err := shop.Goal(e.Value.Session)
	if err != nil {
		return err
	}
	o.asked(goal, &e.Value.Goal)
	total := 0.0
	for i := -1; i < len(e.Value.Steps) && !o.differs; i++ {
		name := fmt.Sprintf("%s, reset", e.Value.ID)
		if i >= 0 {
			name = fmt.Sprintf("%s, step %d, %.100q", e.Value.ID, i+1, e.Value.Steps[i].Action)
		}
		if err := c.compare(Pages, e.Place, name, func(p *one) (err error) {
			if i < 0 {
				p.page(page, &e.Value.Reset)
			} else {
				var earned float64
				earned, err = p.step(b, &e.Value.Steps[i])
				total += earned
			}
			o.differs = p.differs
			return err
		}); err != nil {
			return err
		}
	}
	if !o.differs {
		o.same("return", total, e.Value.Return)
		o.same("length", len(e.Value.Steps), e.Value.Length)
	}
	return nil
}

// asked compares the goal of an episode.
func (o *one) asked(got *webshop.Goal, want *golden.Asked) {
	o.same("asin of the goal", got.ASIN, want.ASIN)
	o.same("instruction", got.Text, want.Text)
	o.same("query of the goal", got.Query, want.Query)
	o.same("category of the goal", got.Category, want.Category)
	o.same("path of the goal", got.CategoryPath, want.Path)
	o.same("title of the goal", got.Title, want.Name)
	o.same("attributes of the goal", got.Attributes, want.Attributes)
	o.same("options of the goal", got.Options, inOrder(want.Options))
	o.same("highest price of the goal", got.PriceUpper, want.PriceUpper)
	o.same("weight of the goal", got.Weight, want.Weight)
}

// step takes a step and returns its reward.
func (o *one) step(b *webshop.Browser, want *golden.Step) (float64, error) {
	got, err := b.Step(want.Action)
	if err != nil {
		return 0, err
	}
	o.page(got.Page, &want.Page)
	o.same("reward", got.Reward.Total, want.Reward)
	o.same("done", got.Done, want.Done)
	if want.After != nil {
		o.actions("actions of the session that follows", b.Page(), want.After)
	}
	if !want.Done {
		return got.Reward.Total, nil
	}
	var parts map[string]any
	if err := json.Unmarshal(want.Parts, &parts); err != nil {
		return 0, fmt.Errorf("reward_info: %w", err)
	}
	o.parts(got.Reward, parts, exactly)
	return got.Reward.Total, nil
}

func (o *one) page(page *webshop.Page, want *golden.Page) {
	o.same("text", page.Text(), want.Text)
	o.same("rich text", page.Rich(), want.Rich)
	o.same("URL", page.URL(), want.URL)
	if want.Actions != nil {
		o.actions("actions", page, want.Actions)
	}
}

func (o *one) actions(what string, page *webshop.Page, want *golden.Available) {
	got := page.Available()
	o.same(what+": a search bar", got.SearchBar, want.SearchBar)
	o.same(what, got.Clickables, want.Clickables)
}

// parts compares the parts of a reward, by their names in the original.
func (o *one) parts(r reward.Reward, want map[string]any, near func(got, want any) bool) {
	got := map[string]any{
		"total": r.Total, "r_type": r.Kind.Share, "query_match": r.Kind.QueryMatch, "category_match": r.Kind.CategoryMatch, "title_score": r.Kind.TitleScore,
		"r_att": r.Attributes.Share(), "w_att": r.Attributes.Weight, "r_price": r.Price.Hits == 1, "w_price": r.Price.Weight,
		"num_attr_matches": float64(r.Attributes.Hits), "num_option_matches": float64(r.Options.Hits),
	}
	if r.Options.Of > 0 {
		got["r_option"], got["w_option"] = r.Options.Share(), r.Options.Weight
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !near(got[name], want[name]) {
			o.same(name, got[name], want[name])
		}
	}
	for _, name := range []string{"r_option", "w_option"} { // which the original leaves out where nothing is to be chosen
		if _, ok := want[name]; !ok {
			o.same(name, got[name], nil)
		}
	}
}

func exactly(got, want any) bool { return got == want }

package check

import (
	"context"
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
		c.compare(Episodes, e.Place, e.Value.ID, func(o *one) error { return c.episode(o, shop, &e) })
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
	o.goal(goal, &e.Value)
	for i := -1; i < len(e.Value.Steps) && !o.differs; i++ {
		name := fmt.Sprintf("%s, reset", e.Value.ID)
		if i >= 0 {
			name = fmt.Sprintf("%s, step %d, %.100q", e.Value.ID, i+1, e.Value.Steps[i].Action)
		}
		if !c.compare(Pages, e.Place, name, func(p *one) (err error) {
			if i < 0 {
				p.page(page, &e.Value.Reset)
			} else {
				err = p.step(b, &e.Value.Steps[i])
			}
			o.differs = p.differs
			return err
		}) {
			return errNoted
		}
	}
	if o.differs {
		return nil // the rest was not played
	}
	sum := 0.0
	for _, s := range e.Value.Steps {
		sum += s.Reward
	}
	o.same("length", len(e.Value.Steps), e.Value.Length)
	o.same("return", sum, e.Value.Return)
	return nil
}

func (o *one) goal(got *webshop.Goal, e *golden.Episode) {
	want := &e.Goal
	o.same("asin", got.ASIN, want.ASIN)
	o.same("category", got.Category, want.Category)
	o.same("query", got.Query, want.Query)
	o.same("name", got.Title, want.Name)
	o.same("product_category", got.CategoryPath, want.Path)
	o.same("instruction_text", got.Text, want.Text)
	o.same("attributes", got.Attributes, want.Attributes)
	o.same("price_upper", got.PriceUpper, want.PriceUpper)
	o.same("goal_options", got.Options, inOrder(want.Options))
	o.same("goal_options by name", !got.Human, want.Options.Named)
	o.same("weight", got.Weight, want.Weight)
}

func (o *one) step(b *webshop.Browser, want *golden.Step) error {
	got, err := b.Step(want.Action)
	if err != nil {
		return err
	}
	o.page(got.Page, &want.Page)
	o.same("reward", got.Reward.Total, want.Reward)
	o.same("done", got.Done, want.Done)
	if want.After != nil {
		o.actions("actions of the session that follows", b.Page(), want.After)
	}
	if !want.Done {
		return nil
	}
	o.parts(partsOf(got.Reward), want.Parts, exactly)
	return nil
}

func (o *one) page(page *webshop.Page, want *golden.Page) {
	o.same("text", page.Text(), want.Text)
	o.same("rich text", page.Rich(), want.Rich)
	o.same("URL", page.URL(), want.URL)
	if want.Actions != nil { // the last page has none
		o.actions("actions", page, want.Actions)
	}
}

func (o *one) actions(what string, page *webshop.Page, want *golden.Available) {
	got := page.Available()
	o.same(what+": a search bar", got.SearchBar, want.SearchBar)
	o.same(what, got.Clickables, want.Clickables)
}

// partsOf are those of a reward, by their names in the original, which leaves options out where nothing is to be chosen.
func partsOf(r reward.Reward) map[string]any {
	p := map[string]any{
		"r_type": r.Kind.Share, "query_match": r.Kind.QueryMatch, "category_match": r.Kind.CategoryMatch, "title_score": r.Kind.TitleScore,
		"r_att": r.Attributes.Share(), "w_att": r.Attributes.Weight, "r_price": r.Price.Hits == 1, "w_price": r.Price.Weight,
	}
	if r.Options.Of > 0 {
		p["r_option"], p["w_option"] = r.Options.Share(), r.Options.Weight
	}
	return p
}

// parts compares all parts that either side has.
func (o *one) parts(got, want map[string]any, near func(got, want any) bool) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(got)), maps.Keys(want))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if g, w := part(got, name), part(want, name); !near(g, w) {
			o.same(name, g, w)
		}
	}
}

// part is one of parts, said to be none where it is not among them: null in a recording is something else.
func part(of map[string]any, name string) any {
	if value, ok := of[name]; ok {
		return value
	}
	return "none"
}

func exactly(got, want any) bool { return got == want }

package check

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/golden"
)

// goals compares all goals in their order with bounds and weights, the prices drawn and the first random sessions.
func (c *checker) goals(ctx context.Context) error {
	lists, err := c.cfg.Folder.Goals()
	if err != nil {
		return err
	}
	for _, l := range lists {
		shop, err := c.shop(ctx, shopOf{seed: l.Value.Seed, human: l.Value.Human})
		if err != nil {
			return err
		}
		for _, do := range []func(*golden.At[golden.Goals], *webshop.Shop) error{c.goalList, c.prices, c.sessions} {
			if err := do(&l, shop); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) goalList(l *golden.At[golden.Goals], shop *webshop.Shop) error {
	for i := range max(l.Value.Count, len(l.Value.Goals), shop.Goals()) {
		c.compare(Goals, l.Place, fmt.Sprintf("goal %d", i), func(o *one) error {
			if i >= min(l.Value.Count, len(l.Value.Goals), shop.Goals()) {
				o.same("how many goals", shop.Goals(), len(l.Value.Goals))
				o.same("count", shop.Goals(), l.Value.Count)
				return nil
			}
			want := &l.Value.Goals[i]
			got, err := shop.Goal(i)
			if err != nil {
				return err
			}
			o.same("asin", got.ASIN, want.ASIN)
			o.same("text", got.Text, want.Text)
			o.same("highest price", got.PriceUpper, want.PriceUpper)
			o.same("options", got.Options, inOrder(want.Options))
			o.same("options by name", !got.Human, want.Options.Named)
			o.same("weight", got.Weight, want.Weight)
			return nil
		})
	}
	return nil
}

// inOrder are wanted options in the order of the engine: by name, if they have one.
func inOrder(options golden.Options) []webshop.Choice {
	return slices.SortedStableFunc(slices.Values(choices(options)), func(a, b webshop.Choice) int { return cmp.Compare(a.Name, b.Name) })
}

func (c *checker) prices(l *golden.At[golden.Goals], shop *webshop.Shop) error {
	asins := slices.Collect(maps.Keys(l.Value.Prices))
	for i := range shop.Catalogue().Len() {
		p, err := shop.Catalogue().At(i)
		if err != nil {
			return err
		}
		if len(p.Prices) > 1 {
			asins = append(asins, p.ASIN)
		}
	}
	slices.Sort(asins)
	for _, asin := range slices.Compact(asins) {
		c.compare(Prices, l.Place, "price of "+asin, func(o *one) error {
			got, ok := shop.Price(asin)
			if !ok {
				return fmt.Errorf("no product %q", asin)
			}
			if want, ok := l.Value.Prices[asin]; ok {
				o.same("dollars", got, want)
			} else {
				o.same("is recorded", got, "none")
			}
			return nil
		})
	}
	return nil
}

func (c *checker) sessions(l *golden.At[golden.Goals], shop *webshop.Shop) error {
	b, err := shop.Browser()
	if err != nil {
		return err
	}
	for i, want := range l.Value.Sessions {
		if i > 0 {
			if _, err := b.ResetRandom(); err != nil {
				return err
			}
		}
		c.compare(Sessions, l.Place, fmt.Sprintf("random session %d", i), func(o *one) error {
			o.same("name", b.Session(), want.Session)
			// The page is the shop's name, "Instruction:", the instruction and "Search"; recorded is what is between.
			_, text, _ := strings.Cut(b.Page().Text(), " [SEP] ")
			text = strings.TrimSuffix(text, " [SEP] Search")
			o.same("instruction", strings.Replace(text, "Instruction: [SEP] ", "Instruction: ", 1), want.Instruction)
			return nil
		})
	}
	return nil
}

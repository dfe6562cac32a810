package webshop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
)

// buyer carries its commands out on a copy of a session.
type buyer struct {
	session  session
	commands []string
}

func (b *buyer) run(ctx context.Context, words string) error {
	if err := b.find(words); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.choose(); err != nil {
		return err
	}
	return b.click("buy now")
}

func (b *buyer) do(action string) error {
	did, err := b.session.act(action)
	switch {
	case err != nil:
		return err
	case !did:
		return fmt.Errorf("%w: %.100q does nothing", env.ErrNoPlan, action)
	}
	b.commands = append(b.commands, action)
	return nil
}

func (b *buyer) click(text string) error {
	action := click(text)
	if action == "" {
		return fmt.Errorf("%w: no action can click %.100q", env.ErrNoPlan, text)
	}
	return b.do(action)
}

// find searches and opens the product.
func (b *buyer) find(words string) error {
	if b.session.at != front {
		if err := b.click("back to search"); err != nil {
			return err
		}
	}
	if err := b.do(doSearch + "[" + words + "]"); err != nil {
		return err
	}
	asin := b.session.goal.ASIN
	place := slices.IndexFunc(b.session.hits, func(at int32) bool { return b.session.shop.catalogue.rows[at].asin == asin })
	if place < 0 {
		return fmt.Errorf("%w: %s is not among the %d products found for %.100q", env.ErrNoPlan, asin, len(b.session.hits), words)
	}
	for range place / perPage {
		if err := b.click("next >"); err != nil {
			return err
		}
	}
	return b.click(strings.ToLower(asin))
}

// choose clicks the wanted values. People ask for values in their own words; for those, of each option the value is
// taken that meets more of what is still wanted than none does.
func (b *buyer) choose() error {
	goal := b.session.goal
	if !goal.Human {
		for _, c := range goal.Options {
			if err := b.click(c.Value); err != nil {
				return err
			}
		}
		return nil
	}
	for _, o := range b.session.product.Options {
		best := ""
		most, err := b.worth(b.session.options)
		if err != nil {
			return err
		}
		for _, v := range o.Values {
			n, err := b.worth(append(slices.Clone(b.session.options), Choice{o.Name, v}))
			if err != nil {
				return err
			}
			if n > most {
				most, best = n, v
			}
		}
		if best == "" {
			continue
		}
		if err := b.click(best); err != nil {
			return err
		}
	}
	return nil
}

// worth is the reward for buying with some options.
func (b *buyer) worth(options []Choice) (float64, error) {
	r, err := b.session.judge(options)
	return r.Total, err
}

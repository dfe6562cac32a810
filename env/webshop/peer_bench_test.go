package webshop_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/nouns"
	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/scripts/bench"
)

// told is a session and what is said in it.
type told struct {
	Number  int      `json:"number"`
	Actions []string `json:"actions"`
}

// What is said to WebShop's own environment, which needs some 50 milliseconds for each step.
const (
	peerSessions = 12 // half of them buy on purpose, half walk at random
	peerWalk     = 12 // steps of a walk
)

// BenchmarkPython is this shop beside WebShop's own text environment, on its 1,000 products: sessions of a buyer and
// walks at random, with text and actions after every step, which must agree, as must the rewards. HONE_WEBSHOP is the
// folder of a WebShop that works, HONE_WEBSHOP_PYTHON the Python that it works with (docs/webshop.md).
func BenchmarkPython(b *testing.B) {
	folder := os.Getenv("HONE_WEBSHOP")
	if folder == "" {
		b.Skip("HONE_WEBSHOP is not set")
	}
	data := func(name string) string { return filepath.Join(folder, "data", name) }
	c, err := webshop.Open(webshop.Files{Products: data("items_shuffle_1000.json"), Attributes: data("items_ins_v2_1000.json")})
	if err != nil {
		b.Fatal(err)
	}
	index, err := webshop.NewIndex(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	table, err := nouns.Load(outside.Shared(b, "webshop-golden", "data", "title_nouns.json"))
	if err != nil {
		b.Fatal(err)
	}
	shop, err := webshop.New(webshop.Config{Catalogue: c, Searcher: index, Judge: webshop.NewJudge(table), Seed: webshop.FixedSeed})
	if err != nil {
		b.Fatal(err)
	}
	sessions, steps := make([]told, peerSessions), 0
	for i := range sessions {
		sessions[i] = session(b, shop, i)
		steps += len(sessions[i].Actions)
	}
	peer := bench.Start(b, bench.Program{
		Python: cmp.Or(os.Getenv("HONE_WEBSHOP_PYTHON"), "python3"), Script: "shop.py",
		Args: []string{folder, bench.WriteJSON(b, map[string]any{"seed": webshop.FixedSeed, "sessions": sessions})},
	})
	browser := browse(b, shop)
	b.Run("steps", func(b *testing.B) {
		bench.Comparison{
			Unit: "steps", Work: float64(steps), Repeat: 200,
			Ours:  func(c *bench.Clock) (any, error) { return played(browser, sessions, c) },
			Peers: []bench.Rival{{Name: "webshop", Peer: peer, Round: "steps"}},
		}.Run(b)
	})
}

// session is one of a buyer's, or a walk over what is on offer.
func session(b *testing.B, shop *webshop.Shop, number int) told {
	b.Helper()
	ep := start(b, shop, number)
	d, err := ep.Demonstrate(b.Context(), env.Straight)
	if err != nil && !errors.Is(err, env.ErrNoPlan) {
		b.Fatal(err)
	}
	if number%2 == 0 {
		return told{number, d.Commands}
	}
	s, dice := told{number, d.Commands[:1]}, rand.New(rand.NewPCG(1, uint64(number)))
	if _, err := ep.Step(b.Context(), s.Actions[0]); err != nil {
		b.Fatal(err)
	}
	for len(s.Actions) < peerWalk && !ep.Now().Done {
		action := d.Commands[0] // a search, on the front page
		if commands := ep.Now().Actions.Commands; len(commands) > 0 {
			action = commands[dice.IntN(len(commands))]
		}
		if _, err := ep.Step(b.Context(), action); err != nil {
			b.Fatal(err)
		}
		s.Actions = append(s.Actions, action)
	}
	return s
}

// played says everything and gives for each session a digest of what was shown and the reward.
func played(browser *webshop.Browser, sessions []told, c *bench.Clock) (results [][]any, err error) {
	for _, s := range sessions {
		if _, err := browser.Reset(s.Number); err != nil {
			return nil, err
		}
		var seen []string
		reward := 0.0
		for _, action := range s.Actions {
			var answer webshop.Answer
			var text string
			var can webshop.Available
			if err := c.Time(func() (err error) {
				answer, err = browser.Step(action)
				if err == nil {
					text, can = answer.Page.Text(), browser.Page().Available()
				}
				return err
			}); err != nil {
				return nil, err
			}
			reward = answer.Reward.Total
			if seen = append(seen, text); !answer.Done {
				seen = append(seen, can.Clickables...)
			}
		}
		sum := sha256.Sum256([]byte(strings.Join(seen, "\n")))
		results = append(results, []any{hex.EncodeToString(sum[:]), reward})
	}
	return results, nil
}

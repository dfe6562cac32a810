package webshop

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
	"github.com/hone-rl/hone/env/webshop/reward"
)

// Episode is one play of a game.
type Episode struct {
	game    *Game
	session session
	drawn   *mt19937.Python // for what is found at random, nil until then
	draws   int
	obs     env.Observation
	err     error // why the episode cannot go on
}

var (
	_ env.Episode  = (*Episode)(nil)
	_ env.Stateful = (*Episode)(nil)
)

// Now implements env.Episode. The text is the page's plain text, or its rich one in a shop of those.
func (e *Episode) Now() env.Observation { return e.obs }

// Page is the page of the current state.
func (e *Episode) Page() *Page { return e.session.page }

// Reward is what the score is made of, once something was bought.
func (e *Episode) Reward() reward.Reward { return e.session.reward }

// Step implements env.Episode. Text that does nothing is answered by the same page again, and so is everything once
// something was bought.
func (e *Episode) Step(ctx context.Context, text string) (env.Observation, error) {
	if e.err == nil {
		e.err = ctx.Err()
	}
	if e.err != nil {
		return env.Observation{}, e.err
	}
	if e.obs.Done {
		return e.obs, nil
	}
	did, err := e.session.act(text)
	if err != nil {
		e.err = err
		return env.Observation{}, err
	}
	if did {
		e.obs.Moves++
		e.look()
	}
	return e.obs, nil
}

// look tells of the page.
func (e *Episode) look() {
	page, moves := e.session.page, e.obs.Moves
	e.obs = env.Observation{Text: page.Text(), Moves: moves}
	if e.game.shop.cfg.Rich {
		e.obs.Text = page.Rich()
	}
	if e.session.at == thanks {
		e.obs.Score, e.obs.Done = e.session.reward.Total, true
		e.obs.Won = e.obs.Score == 1
		return
	}
	can := page.Available()
	if can.SearchBar {
		e.obs.Actions.Forms = []env.Form{{Prefix: doSearch + "[", Suffix: "]", Parameter: "keywords"}}
	}
	for _, text := range can.Clickables {
		if action := click(text); action != "" && e.session.clicked(text) != nil {
			e.obs.Actions.Commands = append(e.obs.Actions.Commands, action)
		}
	}
	slices.Sort(e.obs.Actions.Commands)
}

// dice is where what is found at random is drawn from: by the game and by how often it was asked for, so that an
// episode depends on nothing but what was said in it. The original goes on drawing from the shop's seed.
func (e *Episode) dice() *mt19937.Python {
	if e.drawn == nil {
		sum := sha256.Sum256([]byte(e.game.id))
		e.drawn = mt19937.NewPython(int64(binary.BigEndian.Uint64(sum[:]) >> 1))
	}
	e.draws++
	return e.drawn
}

// StateKey implements env.Stateful.
func (e *Episode) StateKey() string {
	s := &e.session
	asin := ""
	if s.product != nil {
		asin = s.asin()
	}
	visited := slices.Sorted(slices.Values(s.visited))
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %d %q %q %q %q %d", s.at, s.keywords, s.number, asin, s.sub, visited, s.options, e.draws))
	return hex.EncodeToString(sum[:16])
}

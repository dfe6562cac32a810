package webshop

import (
	"fmt"
	"sort"
	"strconv"

	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
	"github.com/hone-rl/hone/env/webshop/reward"
)

// Browser is a shop as the original's environment presents it: one session after the other, a random one to begin with
// and again whenever one has ended. It goes on drawing from the shop's seed, and belongs to one goroutine.
type Browser struct {
	shop    *Shop
	drawn   mt19937.Python
	session session
}

// Answer is what comes back from a step.
type Answer struct {
	Page   *Page
	Done   bool
	Reward reward.Reward // once Done, else zero
}

// Browser opens a browser with a random session.
func (s *Shop) Browser() *Browser {
	b := &Browser{shop: s, drawn: s.drawn}
	b.ResetRandom()
	return b
}

// Reset begins the session of a number, whose goal is the shop's goal of that number.
func (b *Browser) Reset(number int) (*Page, error) {
	if number < 0 || number >= b.shop.Goals() {
		return nil, fmt.Errorf("webshop: session %d, expected 0 to %d", number, b.shop.Goals()-1)
	}
	b.begin(strconv.Itoa(number), number)
	return b.session.page, nil
}

// ResetRandom begins a session with a random name and goal.
func (b *Browser) ResetRandom() *Page {
	name := make([]byte, 10)
	for i := range name {
		name[i] = 'a' + byte(b.drawn.Float()*26)
	}
	b.begin(string(name), b.shop.drawGoal(&b.drawn))
	return b.session.page
}

func (b *Browser) begin(id string, number int) {
	b.session = session{shop: b.shop, id: id, goal: b.shop.Goal(number), draw: func() *mt19937.Python { return &b.drawn }}
	b.session.begin()
}

// Step does what an action says. After the last one of a session a random one has begun, of which Page tells; the
// answer is still the old one's last page. An error is one of the shop's searcher or judge; nothing has changed.
func (b *Browser) Step(action string) (Answer, error) {
	if _, err := b.session.act(action); err != nil {
		return Answer{}, err
	}
	a := Answer{Page: b.session.page}
	if b.session.at == thanks {
		a.Done, a.Reward = true, b.session.reward
		b.ResetRandom()
	}
	return a, nil
}

// Page is where the browser stands.
func (b *Browser) Page() *Page { return b.session.page }

// Session is the name of the session.
func (b *Browser) Session() string { return b.session.id }

// drawGoal draws a goal by weight. The first one needs a draw of exactly 0, and the last one gets two shares; so it is
// in the original.
func (s *Shop) drawGoal(r *mt19937.Python) int {
	at := r.Uniform(0, s.sums[len(s.sums)-1])
	n := sort.Search(len(s.sums), func(i int) bool { return s.sums[i] > at })
	return min(n, len(s.sums)-2)
}

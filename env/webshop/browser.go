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

// Browser opens a browser with a random session. Errors here and below are the catalogue's, if not said otherwise.
func (s *Shop) Browser() (*Browser, error) {
	b := &Browser{shop: s, drawn: s.drawn}
	_, err := b.ResetRandom()
	return b, err
}

// Reset begins the session of a number, whose goal is the shop's goal of that number.
func (b *Browser) Reset(number int) (*Page, error) {
	if number < 0 || number >= b.shop.Goals() {
		return nil, fmt.Errorf("webshop: session %d, expected 0 to %d", number, b.shop.Goals()-1)
	}
	return b.begin(strconv.Itoa(number), number)
}

// ResetRandom begins a session with a random name and goal.
func (b *Browser) ResetRandom() (*Page, error) {
	name := make([]byte, 10)
	for i := range name {
		name[i] = 'a' + byte(b.drawn.Float()*26)
	}
	return b.begin(string(name), b.shop.drawGoal(&b.drawn))
}

func (b *Browser) begin(id string, number int) (*Page, error) {
	goal, err := b.shop.Goal(number)
	if err != nil {
		return nil, fmt.Errorf("webshop: session %s: %w", id, err)
	}
	b.session = session{shop: b.shop, id: id, goal: goal, draw: func() *mt19937.Python { return &b.drawn }}
	b.session.begin()
	return b.session.page, nil
}

// Step does what an action says. After the last one of a session a random one has begun, of which Page tells; the
// answer is still the old one's last page. An error is one of the shop's catalogue, searcher or judge; nothing has
// changed, but for one of the catalogue as the random session begins.
func (b *Browser) Step(action string) (Answer, error) {
	if _, err := b.session.act(action); err != nil {
		return Answer{}, err
	}
	a := Answer{Page: b.session.page}
	if b.session.at == thanks {
		a.Done, a.Reward = true, b.session.reward
		if _, err := b.ResetRandom(); err != nil {
			return Answer{}, err
		}
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

package coldstart

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-rl/hone/agent/ask"
)

// Pool is lessons of many episodes, by family. Its order is that of the episodes it was made of.
type Pool struct {
	all    []pooled
	every  []int // places in all
	family map[string][]int
}

type pooled struct {
	game, family string
	goal         []string // words
	skill        ask.Skill
}

// NewPool is the lessons of episodes.
func NewPool(episodes []Episode) *Pool {
	p := &Pool{family: map[string][]int{}}
	for _, e := range episodes {
		if len(e.Decisions) == 0 {
			continue
		}
		p.every = append(p.every, len(p.all))
		p.family[e.Family] = append(p.family[e.Family], len(p.all))
		p.all = append(p.all, pooled{e.Game, e.Family, strings.Fields(e.Decisions[0].X.Goal), skillOf(e)})
	}
	return p
}

// like draws lessons of other games of e's family, from one to 32 of them, and takes that whose goal has the most words
// of e's: a library finds what is like the task, the more so the more it has. Who learns with any lesson of the family
// takes one on the very things of the task for what there is to see.
func (p *Pool) like(e Episode, d *draw) (best ask.Skill, ok bool) {
	goal, most := strings.Fields(e.Decisions[0].X.Goal), -1
	for range 1 << d.IntN(6) {
		x, found := p.drawn(p.family[e.Family], d, func(x pooled) bool { return x.game != e.Game })
		if !found {
			break
		}
		if n := shared(goal, x.goal); n > most {
			best, most, ok = x.skill, n, true
		}
	}
	return best, ok
}

// shared is how many of the words of a stand in b.
func shared(a, b []string) (n int) {
	for _, word := range a {
		if slices.Contains(b, word) {
			n++
		}
	}
	return n
}

// Shows says whether there is a lesson to show to some game: of another of its family.
func (p *Pool) Shows() bool {
	for _, of := range p.family {
		if len(of) > 1 {
			return true
		}
	}
	return false
}

// Ranks says whether there are lessons to put in order for some game: one to show, and one of another family.
func (p *Pool) Ranks() bool { return p.Shows() && len(p.family) > 1 }

// shownToRank is how many lessons are put in order.
const shownToRank = 3

// candidates are a lesson of e's family and others of other families, in a drawn order, and the answer that puts the
// first of these before the others.
func (p *Pool) candidates(e Episode, d *draw) (shown []ask.Skill, answer string) {
	best, ok := p.like(e, d)
	if !ok {
		return nil, ""
	}
	shown = append(shown, best)
	for len(shown) < shownToRank {
		other, ok := p.drawn(p.every, d, func(x pooled) bool { return x.family != e.Family })
		if !ok {
			break
		}
		shown = append(shown, other.skill)
	}
	at := d.IntN(len(shown))
	shown[0], shown[at] = shown[at], shown[0]
	order := []string{strconv.Itoa(at + 1)}
	for i := range shown {
		if i != at {
			order = append(order, strconv.Itoa(i+1))
		}
	}
	return shown, "<rank>" + strings.Join(order, ",") + "</rank>"
}

// tries is how often a lesson is drawn before there is taken to be none.
const tries = 16

func (p *Pool) drawn(from []int, d *draw, fits func(pooled) bool) (pooled, bool) {
	for range tries {
		if len(from) == 0 {
			break
		}
		if x := p.all[from[d.IntN(len(from))]]; fits(x) {
			return x, true
		}
	}
	return pooled{}, false
}

// draw is the source of what is drawn for an episode.
type draw struct{ *rand.Rand }

func source(seed uint64, game string) *draw {
	sum := sha256.Sum256(append(binary.LittleEndian.AppendUint64([]byte("cold start\x00"), seed), game...))
	return &draw{rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))}
}

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

func anyLesson(pooled) bool { return true }

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

// like draws lessons that fit, of other games of e's family, from one to 32 of them, and takes that whose goal has the most words
// of e's: a library finds what is like the task, the more so the more it has. Who learns with any lesson of the family
// takes one on the very things of the task for what there is to see.
func (p *Pool) like(e Episode, d *draw, fits func(pooled) bool) (best pooled, ok bool) {
	goal, most := strings.Fields(e.Decisions[0].X.Goal), -1
	for range 1 << d.IntN(6) {
		x, found := p.drawn(p.family[e.Family], d, func(x pooled) bool { return x.game != e.Game && fits(x) })
		if !found {
			break
		}
		if n := shared(goal, x.goal); n > most {
			best, most, ok = x, n, true
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

// mostToRank is how many lessons are put in order at most: the paper's top 5.
const mostToRank = 5

// candidates are two to five lessons in a drawn order, from one to all of them of e's family, and the answer that leaves
// those of the family as they stand and puts the others behind them. What a library finds is nearly always of the family,
// and stands as the library has ordered it: who has only learnt to look for the one that fits is left to guess there.
func (p *Pool) candidates(e Episode, d *draw) (shown []ask.Skill, answer string) {
	n := 2 + d.IntN(mostToRank-1)
	own := 1 + d.IntN(n)
	var drawn []pooled
	fresh := func(x pooled) bool {
		return !slices.ContainsFunc(drawn, func(y pooled) bool { return x.game == y.game })
	}
	for len(drawn) < n {
		x, ok := pooled{}, false
		if len(drawn) < own {
			x, ok = p.like(e, d, fresh)
		}
		if !ok {
			x, ok = p.drawn(p.every, d, func(x pooled) bool { return x.family != e.Family && fresh(x) })
		}
		if !ok {
			break
		}
		drawn = append(drawn, x)
	}
	d.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	var first, then []string
	for i, x := range drawn {
		shown = append(shown, x.skill)
		if x.family == e.Family {
			first = append(first, strconv.Itoa(i+1))
		} else {
			then = append(then, strconv.Itoa(i+1))
		}
	}
	return shown, "<rank>" + strings.Join(append(first, then...), ",") + "</rank>"
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

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

// Pool is lessons of many episodes. Its order is that of the episodes it was made of.
type Pool struct{ all []pooled }

type pooled struct {
	game  string
	goal  []string // words
	skill ask.Skill
}

// NewPool is the lessons of episodes in a world.
func NewPool(world ask.World, episodes []Episode) *Pool {
	p := &Pool{}
	for _, e := range episodes {
		if len(e.Decisions) == 0 {
			continue
		}
		p.all = append(p.all, pooled{e.Game, strings.Fields(e.Decisions[0].X.Goal), skillOf(world, e)})
	}
	return p
}

// like draws lessons that fit, of other games of whatever family, from one to 256 of them, and takes that whose goal has the
// most words of e's: a library finds what is like the task, the more so the more it has, and knows no families. Who learns
// with lessons of the task's family alone does what the lesson says where another one is shown, and washes what was to be
// heated; with any lesson of it, takes one on the very things of the task for what there is to see.
func (p *Pool) like(e Episode, d *draw, fits func(pooled) bool) (best pooled, ok bool) {
	goal, most := strings.Fields(e.Decisions[0].X.Goal), -1
	for range 1 << d.IntN(9) {
		x, found := p.drawn(d, func(x pooled) bool { return x.game != e.Game && fits(x) })
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

// Shows says whether there is a lesson to show to some game: of another.
func (p *Pool) Shows() bool {
	return slices.ContainsFunc(p.all, func(x pooled) bool { return x.game != p.all[0].game })
}

// Ranks says whether there are lessons to put in order for a game: of two others.
func (p *Pool) Ranks() bool { return len(p.all) > 2 }

// mostToRank is how many lessons are put in order at most: the paper's top 5.
const mostToRank = 5

// candidates are two to five lessons for e, and the answer that leaves them as they stand: a library finds what is like
// the task and has put it in order. Which is better is for rewards to say. Who has learnt to look for the one of the
// family among others is left to guess where all are of it, and the paper's ranking term, which has no baseline, makes of a
// guess nothing but noise (eq. 9).
func (p *Pool) candidates(e Episode, d *draw) (shown []ask.Skill, answer string) {
	var drawn []pooled
	fresh := func(x pooled) bool {
		return !slices.ContainsFunc(drawn, func(y pooled) bool { return x.game == y.game })
	}
	for range 2 + d.IntN(mostToRank-1) {
		x, ok := p.like(e, d, fresh)
		if !ok {
			break
		}
		drawn = append(drawn, x)
	}
	order := make([]string, len(drawn))
	for i, x := range drawn {
		shown, order[i] = append(shown, x.skill), strconv.Itoa(i+1)
	}
	return shown, "<rank>" + strings.Join(order, ",") + "</rank>"
}

// tries is how often a lesson is drawn before there is taken to be none.
const tries = 16

func (p *Pool) drawn(d *draw, fits func(pooled) bool) (pooled, bool) {
	for range tries {
		if len(p.all) == 0 {
			break
		}
		if x := p.all[d.IntN(len(p.all))]; fits(x) {
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

package decode

import (
	"fmt"
	"math"
	"slices"

	"github.com/hone-rl/hone/gpu"
)

// scoring computes the log-probabilities of all candidates of a choice: the prompt's end first, then all other nodes of
// the trie that say something, along as few paths as reach them all.
type scoring struct {
	sequences bool // ScoreSequence: every node with children, over the whole vocabulary
	nodes     []*node
	scores    [][]float64 // of each node's children
	best      []int       // each node's best child
	paths     []branch    // behind the prompt; a spot's id is an index into nodes
	left      int         // nodes not answered
}

func newScoring(r gpu.Choice) *scoring { return &scoring{sequences: r.Score == gpu.ScoreSequence} }

// plan finds the paths. The first node is the one at the prompt's end.
func (s *scoring) plan(start *node) {
	s.nodes = []*node{start}
	for _, c := range start.children {
		s.walk(c, nil, nil)
	}
	s.left = len(s.nodes)
	s.scores, s.best = make([][]float64, s.left), make([]int, s.left)
}

// walk goes down to n. spots are those of the path that no sequence asks for yet: the first sequence that comes by
// takes them. It returns those that are still left.
func (s *scoring) walk(n *node, path []int32, spots []spot) []spot {
	if len(n.children) == 0 {
		return spots
	}
	path = append(slices.Clip(path), n.token)
	says := len(n.children) > 1 || s.sequences
	if says {
		spots = append(slices.Clip(spots), spot{len(path) - 1, len(s.nodes)})
		s.nodes = append(s.nodes, n)
	}
	for _, c := range n.children {
		spots = s.walk(c, path, spots)
	}
	if says && len(spots) > 0 {
		s.paths = append(s.paths, branch{path, spots})
		return nil
	}
	return spots
}

func (s *scoring) needs() []int {
	all := []int{0}
	for i, p := range s.paths {
		if i == 0 {
			all = nil
		}
		all = append(all, len(p.tokens))
	}
	return all
}

func (s *scoring) ask(q *questions, row, id int) {
	n := s.nodes[id]
	if len(n.children) > 1 {
		n.products(q, row) // also where the whole vocabulary counts: they decide the greedy way
	}
	if !s.sequences {
		return
	}
	for _, child := range n.children {
		q.probRows, q.probTokens = append(q.probRows, int64(row)), append(q.probTokens, int64(child.token))
	}
}

func (s *scoring) next(c *chooser, a answers) ([]branch, bool, error) {
	first := s.left == len(s.nodes)
	for _, id := range a.ids {
		k := len(s.nodes[id].children)
		if k > 1 {
			best, logProbs, err := pick(a.products[:k])
			if err != nil {
				return nil, false, err
			}
			s.best[id], s.scores[id], a.products = best, logProbs, a.products[k:]
		}
		if s.sequences {
			notFinite := func(p float64) bool { return math.IsNaN(p) || math.IsInf(p, 0) }
			if p := slices.IndexFunc(a.probs[:k], notFinite); p >= 0 {
				return nil, false, fmt.Errorf("token %d: its log-probability is %v", s.nodes[id].children[p].token, a.probs[p])
			}
			s.scores[id], a.probs = a.probs[:k], a.probs[k:]
		}
		s.left--
	}
	if s.left > 0 {
		if first {
			return s.paths, false, nil
		}
		return nil, false, nil
	}
	s.answer(c)
	return nil, true, nil
}

// answer works out the candidates' log-probabilities and the one chosen.
func (s *scoring) answer(c *chooser) {
	logProbs := make([]float64, len(c.Candidates))
	ids := make(map[*node]int, len(s.nodes))
	for i, n := range s.nodes {
		ids[n] = i
	}
	var down func(n *node, sum float64)
	down = func(n *node, sum float64) {
		if n.index >= 0 {
			logProbs[n.index] = sum
		}
		id, says := ids[n]
		for i, child := range n.children {
			score := 0.0
			if says {
				score = s.scores[id][i]
			}
			down(child, sum+score)
		}
	}
	down(c.at, 0)
	if c.Score != "" {
		c.out.LogProbs = make([]float32, len(logProbs))
		for i, l := range logProbs {
			c.out.LogProbs[i] = float32(l)
		}
	}
	if c.Temperature > 0 {
		c.out.Index, c.out.Drawn = drawCandidate(logProbs, float64(c.Temperature), generator(c.Seed, "choose").Float64())
	} else {
		n := c.at
		for len(n.children) > 0 {
			if id, says := ids[n]; says {
				n = n.children[s.best[id]]
			} else {
				n = n.children[0]
			}
		}
		c.out.Index = n.index
	}
	c.out.LogProb = float32(logProbs[c.out.Index])
}

// drawCandidate takes a candidate with probability proportional to e^(logProb/temperature), by one uniform number along
// the candidates in their order.
func drawCandidate(logProbs []float64, temperature, uniform float64) (index int, drawn float32) {
	top := slices.Max(logProbs)
	weights, total := make([]float64, len(logProbs)), 0.0
	for i, l := range logProbs {
		weights[i] = math.Exp((l - top) / temperature)
		total += weights[i]
	}
	left := uniform * total
	for i, w := range weights {
		if w == 0 {
			continue
		}
		index = i
		if left -= w; left < 0 {
			break
		}
	}
	return index, float32((logProbs[index]-top)/temperature - math.Log(total))
}

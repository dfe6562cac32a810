package decode

import (
	"fmt"
	"math"

	"github.com/hone-rl/hone/gpu"
)

// chooser is a gpu.Choice under way. Greedily it goes down the trie, a pass a decision. Where all candidates'
// probabilities are asked for, it computes all nodes behind the prompt at once.
type chooser struct {
	gpu.Choice
	out     *gpu.Chosen
	at      *node
	logProb float64
	all     *scoring // nil: greedily
}

func newChooser(r gpu.Choice, root *node, out *gpu.Chosen) *chooser {
	c := &chooser{Choice: r, out: out, at: root}
	if r.Score != "" || r.Temperature > 0 {
		c.all = newScoring(r)
	}
	return c
}

// request is nil where nothing is to be decided; then the answer is there.
func (c *chooser) request(prompt []int32) *request {
	if c.all != nil {
		path := append([]int32(nil), prompt...)
		if !c.all.sequences {
			c.at, path = c.at.forced(path)
		}
		if c.at.index >= 0 {
			c.all.answer(c)
			return nil
		}
		c.all.plan(c.at)
		return newRequest(path, c)
	}
	at, path := c.at.forced(append([]int32(nil), prompt...))
	if c.at = at; at.index >= 0 {
		c.out.Index = at.index
		return nil
	}
	return newRequest(path, c)
}

func (c *chooser) needs() []int {
	if c.all != nil {
		return c.all.needs()
	}
	return []int{c.at.depth()}
}

func (c *chooser) ask(q *questions, row, id int) {
	if c.all != nil {
		c.all.ask(q, row, id)
		return
	}
	c.at.products(q, row)
}

// products asks for the logits of a node's children alone.
func (n *node) products(q *questions, row int) {
	for _, child := range n.children {
		q.productRows, q.productTokens = append(q.productRows, int64(row)), append(q.productTokens, int64(child.token))
	}
}

func (c *chooser) next(a answers) ([]branch, bool, error) {
	if c.all != nil {
		return c.all.next(c, a)
	}
	best, logProbs, err := pick(a.products)
	if err != nil {
		return nil, false, err
	}
	c.logProb += logProbs[best]
	next := c.at.children[best]
	at, path := next.forced([]int32{next.token})
	if c.at = at; at.index >= 0 {
		c.out.Index, c.out.LogProb = at.index, float32(c.logProb)
		return nil, true, nil
	}
	return single(path), false, nil
}

// pick is the first largest logit, and the log-probabilities of all among them.
func pick(logits []float64) (best int, logProbs []float64, err error) {
	for i, l := range logits {
		if math.IsNaN(l) || math.IsInf(l, 0) {
			return 0, nil, fmt.Errorf("a logit is %v", l)
		}
		if l > logits[best] {
			best = i
		}
	}
	sum := 0.0
	for _, l := range logits {
		sum += math.Exp(l - logits[best])
	}
	logProbs = make([]float64, len(logits))
	for i, l := range logits {
		logProbs[i] = l - logits[best] - math.Log(sum)
	}
	return best, logProbs, nil
}

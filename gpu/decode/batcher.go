package decode

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// ErrClosed is returned for requests that a closed Batcher has not answered.
var ErrClosed = errors.New("decode: the batcher is closed")

// ErrChanged is returned for a call that was half computed when the model's weights or adapter changed: all answers of
// a call come of the same. It is for whoever changes them to say which are meant, and to ask again: a Batcher that did
// so by itself would answer with other weights than were asked. Who alone has the model (as [gpu.Policy] has its own)
// and changes nothing never meets it.
var ErrChanged = errors.New("decode: the model's weights or adapter changed meanwhile")

// Config sets up a Batcher. Neither field changes a result on the CPU in fp32.
type Config struct {
	CacheTokens int // see [gpu.PolicyConfig]; 0 follows from the device's memory
	PassRows    int // tokens computed in one pass at most: bounds the memory of states; 0 is 2,048
}

const defaultPassRows = 2048

// Batcher computes what is asked of a model. Its methods are called from any goroutine, but not from inside the
// engine's Do. While there is work a goroutine of its own runs the passes, each in a Do of its own, so that others
// have their turn at the engine between them. Where they change the model (see [nn.Version]), what is remembered of
// earlier requests is forgotten.
type Batcher struct {
	e      *torch.Engine
	model  nn.Decoder
	limits limits

	mu      sync.Mutex
	waiting []*request
	closed  bool
	idle    chan struct{} // closed when the goroutine that runs passes has ended; nil if there is none

	engineRoom
}

// New makes a Batcher for a model, which stays the caller's. It runs inside or outside the engine's Do.
func New(e *torch.Engine, model nn.Decoder, config Config) (*Batcher, error) {
	if config.CacheTokens < 0 || config.PassRows < 0 {
		return nil, fmt.Errorf("decode: %d cache tokens, %d rows a pass: expected 0 or more", config.CacheTokens, config.PassRows)
	}
	if config.PassRows == 0 {
		config.PassRows = defaultPassRows
	}
	vocabulary, positions := model.Limits()
	b := &Batcher{e: e, model: model, limits: limits{vocabulary, positions}}
	b.config = config
	return b, nil
}

// Choose is [gpu.Policy]'s.
func (b *Batcher) Choose(ctx context.Context, requests []gpu.Choice) ([]gpu.Chosen, error) {
	c, chosen := newCall(ctx, "choose"), make([]gpu.Chosen, len(requests))
	var all []*request
	for i, r := range requests {
		root, err := trie(r.Candidates)
		if err == nil {
			err = b.limits.choice(r)
		}
		if err != nil {
			return nil, fmt.Errorf("choose: request %d: %w", i, err)
		}
		if one := newChooser(r, root, &chosen[i]).request(r.Prompt); one != nil {
			all = append(all, c.add(i, one))
		}
	}
	return chosen, b.answer(ctx, c, all)
}

// Sample is [gpu.Policy]'s. Each request draws from a generator of its own.
func (b *Batcher) Sample(ctx context.Context, requests []gpu.Sampling) ([]gpu.Sampled, error) {
	c, sampled := newCall(ctx, "sample"), make([]gpu.Sampled, len(requests))
	var all []*request
	for i, r := range requests {
		if err := b.limits.sampling(r); err != nil {
			return nil, fmt.Errorf("sample: request %d: %w", i, err)
		}
		if r.MaxTokens > 0 {
			all = append(all, c.add(i, newSampler(r, &sampled[i]).request(r.Prompt)))
		}
	}
	return sampled, b.answer(ctx, c, all)
}

// answer queues the requests of a call and waits for them.
func (b *Batcher) answer(ctx context.Context, c *call, requests []*request) error {
	if err := ctx.Err(); err != nil || len(requests) == 0 {
		return err
	}
	if err := b.queue(requests); err != nil {
		return err
	}
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return ctx.Err() // what is under way is dropped before the next pass
	}
}

func (b *Batcher) queue(requests []*request) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	b.waiting = append(b.waiting, requests...)
	if b.idle == nil {
		b.idle = make(chan struct{})
		go b.serve(b.idle)
	}
	return nil
}

// serve runs passes until nothing is left to do.
func (b *Batcher) serve(idle chan struct{}) {
	defer close(idle)
	for {
		b.mu.Lock()
		arrived, closed := b.waiting, b.closed
		b.waiting = nil
		if closed || len(arrived)+len(b.queued)+len(b.active) == 0 {
			b.idle = nil
			b.mu.Unlock()
			if closed {
				b.fail(arrived, ErrClosed)
				b.abandon(ErrClosed)
			}
			return
		}
		b.mu.Unlock()
		b.queued = append(b.queued, arrived...)
		if err := b.e.Do(context.Background(), func() error { return b.step(b.e, b.model) }); err != nil {
			// What the pass left is not known: everything under way fails, and with it what is remembered.
			b.abandon(err)
		}
	}
}

// Close fails what has not been answered and frees the cache. The pass under way is waited for.
func (b *Batcher) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return ErrClosed
	}
	b.closed = true
	idle := b.idle
	b.mu.Unlock()
	if idle != nil {
		<-idle
	}
	return b.e.Do(context.Background(), func() error {
		b.freeCache()
		return nil
	})
}

// call is what one caller waits for.
type call struct {
	name string
	quit <-chan struct{} // closed when the caller has gone
	done chan struct{}   // closed when all is answered or something failed
	all  int             // requests
	left int
	err  error
	over bool
}

func newCall(ctx context.Context, name string) *call {
	return &call{name: name, quit: ctx.Done(), done: make(chan struct{})}
}

func (c *call) add(index int, r *request) *request {
	c.all++
	c.left++
	r.call, r.index = c, index
	return r
}

// gone says that nobody waits for the call any more.
func (c *call) gone() bool {
	select {
	case <-c.quit:
		return true
	default:
		return c.over
	}
}

func (c *call) answered() {
	if c.left--; c.left == 0 && !c.over {
		c.over = true
		close(c.done)
	}
}

func (c *call) failed(err error) {
	if !c.over {
		c.over, c.err = true, fmt.Errorf("%s: %w", c.name, err)
		close(c.done)
	}
}

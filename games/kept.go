package games

import (
	"context"
	"slices"
	"sync"
)

// kept opens things once, however many ask for them at the same time, and keeps those asked for last. One that could not
// be opened is tried again by whoever asks next.
type kept[K comparable, V any] struct {
	most int

	mu  sync.Mutex
	all []*entry[K, V] // the one asked for last first
}

type entry[K comparable, V any] struct {
	key   K
	turn  chan struct{} // holds one: who takes it may open the thing
	open  bool
	value V
}

// get is the thing of key, which open opens. It waits for another that is opening it, or for ctx.
func (k *kept[K, V]) get(ctx context.Context, key K, open func(context.Context) (V, error)) (value V, err error) {
	e := k.entry(key)
	select {
	case <-e.turn:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	defer func() { e.turn <- struct{}{} }()
	if !e.open {
		if value, err = open(ctx); err != nil {
			return value, err
		}
		e.value, e.open = value, true
	}
	return e.value, nil
}

// entry is the thing's place, which it has until others are asked for. Whoever uses what was kept before goes on using it.
func (k *kept[K, V]) entry(key K) *entry[K, V] {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.all, func(e *entry[K, V]) bool { return e.key == key })
	if i < 0 {
		e := &entry[K, V]{key: key, turn: make(chan struct{}, 1)}
		e.turn <- struct{}{}
		k.all = slices.Insert(k.all, 0, e)
		k.all = slices.Delete(k.all, min(k.most, len(k.all)), len(k.all))
		return e
	}
	e := k.all[i]
	k.all = slices.Insert(slices.Delete(k.all, i, i+1), 0, e)
	return e
}

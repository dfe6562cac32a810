package nn

import (
	"errors"
	"fmt"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/torch"
)

// Adapters are those of one base model, by name. At most one is active; with none the model is the base, bit for bit.
type Adapters struct {
	e      *torch.Engine
	model  Decoder
	named  map[string]*Adapter
	active string // "" is none
}

// NewAdapters is an empty set for a model that has no adapter.
func NewAdapters(e *torch.Engine, model Decoder) *Adapters {
	return &Adapters{e: e, model: model, named: map[string]*Adapter{}}
}

// New adds a new adapter, which becomes active: see [NewAdapter].
func (a *Adapters) New(name string, config gpu.LoRA, seed uint64) (*Adapter, error) {
	return a.add(name, func() (*Adapter, error) { return NewAdapter(a.e, a.model, config, seed) })
}

// Load adds the PEFT adapter in dir, which becomes active.
func (a *Adapters) Load(name, dir string) (*Adapter, error) {
	return a.add(name, func() (*Adapter, error) { return LoadAdapter(a.e, a.model, dir) })
}

func (a *Adapters) add(name string, get func() (*Adapter, error)) (*Adapter, error) {
	if name == "" || a.named[name] != nil {
		return nil, fmt.Errorf("adapter %q: expected a name that none has", name)
	}
	before := a.active
	if err := a.Use(""); err != nil {
		return nil, err
	}
	adapter, err := get()
	if err != nil {
		return nil, errors.Join(err, a.Use(before))
	}
	a.named[name], a.active = adapter, name
	return adapter, nil
}

// Use makes the named adapter the active one, or none for "". One that is merged must be taken out before.
func (a *Adapters) Use(name string) error {
	next := a.named[name]
	if next == nil && name != "" {
		return fmt.Errorf("adapter %q: there is none of that name", name)
	}
	if now := a.named[a.active]; now != nil {
		if now.isMerged() {
			return fmt.Errorf("adapter %q is merged into the base: expected it to be taken out before another is used", a.active)
		}
		now.Off()
	}
	if next != nil {
		next.On()
	}
	a.active = name
	return nil
}

// Active is the name of the active adapter, "" if none is.
func (a *Adapters) Active() string { return a.active }

// Get is the adapter of that name, nil if there is none.
func (a *Adapters) Get(name string) *Adapter { return a.named[name] }

// Remove takes an adapter out and frees it.
func (a *Adapters) Remove(name string) error {
	adapter := a.named[name]
	if adapter == nil {
		return fmt.Errorf("adapter %q: there is none of that name", name)
	}
	if name == a.active {
		if err := a.Use(""); err != nil {
			return err
		}
	}
	adapter.Free()
	delete(a.named, name)
	return nil
}

package nn

import "errors"

// Merge adds every low-rank part to its base layer and frees the adapter. There is no way back: see
// [Adapter.MergeKept].
func (a *Adapter) Merge() error {
	if err := a.mergeable(); err != nil {
		return err
	}
	for _, l := range a.layers {
		l.Base.Weight.Become(l.merged())
	}
	a.version.Changed()
	a.Off()
	a.Free()
	return nil
}

// MergeKept adds every low-rank part to its base layer and takes the adapter's layers off, so that the model is as
// quick as without it. The weights as they were are kept beside, a second copy of those that have an adapter:
// subtracting what was added would leave rounding behind. [Adapter.Unmerge] goes back.
func (a *Adapter) MergeKept() error {
	if err := a.mergeable(); err != nil {
		return err
	}
	for _, l := range a.layers {
		merged := l.merged().Keep()
		l.before, l.Base.Weight = l.Base.Weight, merged
	}
	a.version.Changed()
	a.Off()
	return nil
}

// Unmerge puts the weights from before [Adapter.MergeKept] back, bit for bit, and switches the adapter on.
func (a *Adapter) Unmerge() error {
	if !a.isMerged() {
		return errors.New("unmerge: the adapter is not merged")
	}
	for _, l := range a.layers {
		l.Base.Weight.Free()
		l.Base.Weight, l.before = l.before, nil
	}
	a.version.Changed()
	a.On()
	return nil
}

func (a *Adapter) isMerged() bool { return len(a.layers) > 0 && a.layers[0].before != nil }

func (a *Adapter) mergeable() error {
	switch {
	case a.isMerged():
		return errors.New("merge: the adapter is merged already")
	case !a.on:
		return errors.New("merge: the adapter is off")
	}
	for _, l := range a.layers {
		if l.Base.Weight.Requires() {
			return errors.New("merge: the base layers are being trained")
		}
	}
	return nil
}

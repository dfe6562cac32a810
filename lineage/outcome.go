package lineage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// trained is what a training came to, with all that its manifest leads to.
type trained struct {
	m       *artifacts.Manifest
	steps   []activities.StepLine
	models  []activities.StepModel
	panels  []activities.ValidationLine // in the order of steps, with skills before without
	updates []activities.UpdateInput    // by step, from 1
}

// outcome compares what a training says that it came to with its updates and panels, and plays the episodes of its updates
// again: how they were played the panels tell.
func (a *Auditor) outcome(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest) error {
	t := &trained{m: m}
	if err := t.read(ctx, a.Store); err != nil {
		return err
	}
	var updates []artifacts.Digest
	for _, s := range t.steps {
		updates = append(updates, s.Policy)
	}
	a.trained[d] = updates
	err := cmp.Or(
		rows(ctx, a, m, activities.StepsFile, t.steps),
		rows(ctx, a, m, activities.ValidationsFile, t.panels),
		t.policies(), t.libraries(), t.bestStep(), t.weights(ctx, a.Store),
	)
	if err != nil || len(t.updates) == 0 || t.updates[0].Distil != nil {
		return err
	}
	return a.retold(ctx, t)
}

func (t *trained) read(ctx context.Context, store artifacts.Store) (err error) {
	policy := inputOf(t.m, "policy")
	if t.steps, err = activities.StepLines(ctx, store, policy); err != nil {
		return err
	}
	for i, s := range t.steps {
		m, err := artifacts.GetManifest(ctx, store, s.Policy)
		if err != nil {
			return err
		}
		in, err := activities.UpdateOf(s.Policy, m)
		if err != nil {
			return err
		}
		if in.Step != i+1 || in.Start != inputOf(t.m, "start") {
			return fmt.Errorf("update %s is of step %d and begins from %s, expected step %d and the training's start", s.Policy, in.Step, in.Start, i+1)
		}
		t.updates = append(t.updates, in)
	}
	for _, in := range t.m.Inputs {
		switch {
		case strings.HasPrefix(in.Role, "step "):
			step, err := strconv.Atoi(in.Role[len("step "):])
			if err != nil {
				return fmt.Errorf("its input %q: expected a step", in.Role)
			}
			t.models = append(t.models, activities.StepModel{Step: step, Model: in.Digest})
		case strings.HasPrefix(in.Role, "validation "):
			line, err := activities.ReadValidation(ctx, store, in.Digest)
			if err != nil {
				return err
			}
			if role := line.Role(); role != in.Role {
				return fmt.Errorf("its input %s is %s: it says %q, expected %q", in.Digest, artifacts.KindRollouts, in.Role, role)
			}
			t.panels = append(t.panels, line)
		}
	}
	slices.SortFunc(t.models, func(a, b activities.StepModel) int { return cmp.Compare(a.Step, b.Step) })
	slices.SortFunc(t.panels, func(a, b activities.ValidationLine) int {
		if a.Step == b.Step && a.With != b.With && a.With {
			return -1
		}
		return cmp.Compare(a.Step, b.Step)
	})
	return nil
}

// rows compares the lines of a file of m with what they quote.
func rows[T any](ctx context.Context, a *Auditor, m *artifacts.Manifest, name string, want []T) error {
	n := 0
	err := a.lines(ctx, m, name, func(line []byte) error {
		if n++; n > len(want) {
			return fmt.Errorf("%s: it has more than %d lines, expected one for each", name, len(want))
		}
		if !json.Valid(line) {
			return fmt.Errorf("%s line %d: expected JSON", name, n)
		}
		return exactly(fmt.Sprintf("%s line %d", name, n), json.RawMessage(line), want[n-1])
	})
	if err == nil && n < len(want) {
		err = fmt.Errorf("%s: it has %d lines, expected %d", name, n, len(want))
	}
	return err
}

// policy is that after a step, and the library then.
func (t *trained) policy(step int) (policy, library artifacts.Digest, ok bool) {
	switch {
	case step == 0 && len(t.updates) == 0:
		return inputOf(t.m, "start"), inputOf(t.m, LibraryRole), true
	case step == 0:
		return inputOf(t.m, "start"), t.updates[0].Library, true
	case step < 0 || step > len(t.updates):
		return "", "", false
	}
	return t.steps[step-1].Policy, t.updates[step-1].Learned, true
}

// policies compares who has played the panels.
func (t *trained) policies() error {
	for _, v := range t.panels {
		policy, library, ok := t.policy(v.Step)
		if !v.With {
			library = ""
		}
		if !ok || v.Policy != policy || v.Library != library {
			return fmt.Errorf("%s is by the policy %q with the library %q, expected %q and %q", v.Role(), v.Policy, v.Library, policy, library)
		}
	}
	return nil
}

// libraries compares the last library.
func (t *trained) libraries() error {
	_, last, _ := t.policy(len(t.updates))
	if got := inputOf(t.m, LibraryRole); got != last {
		return fmt.Errorf("its library is %q, that after the last update %q", got, last)
	}
	return nil
}

// bestStep compares the best step: the first of those with a model whose panel was won most often, with skills where there
// are any. Without panels it is the last.
func (t *trained) bestStep() error {
	var said struct {
		Steps int `json:"steps"`
		Best  int `json:"best"`
	}
	if err := json.Unmarshal(t.m.Summary, &said); err != nil {
		return fmt.Errorf("its summary: %w", err)
	}
	if said.Steps != len(t.steps) {
		return fmt.Errorf("its summary: steps: it says %d, expected %d", said.Steps, len(t.steps))
	}
	best, won, count := 0, -1, 1
	with := slices.ContainsFunc(t.panels, func(v activities.ValidationLine) bool { return v.With })
	for _, v := range t.panels {
		kept := slices.ContainsFunc(t.models, func(m activities.StepModel) bool { return m.Step == v.Step })
		if kept && v.With == with && v.Won*count > won*max(1, v.Count) {
			best, won, count = v.Step, v.Won, max(1, v.Count)
		}
	}
	if len(t.panels) == 0 {
		best = len(t.steps)
	}
	if said.Best != best {
		return fmt.Errorf("its summary: best: it says %d, by its panels it is %d", said.Best, best)
	}
	model := func(step int) artifacts.Digest {
		for _, m := range t.models {
			if m.Step == step {
				return m.Model
			}
		}
		return ""
	}
	for role, step := range map[string]int{"best": best, "last": len(t.steps)} {
		if got, want := inputOf(t.m, role), model(step); got != want {
			return fmt.Errorf("its input %s is %q, that of step %d is %q", role, got, step, want)
		}
	}
	return nil
}

// weights compares whose weights the models are.
func (t *trained) weights(ctx context.Context, store artifacts.Store) error {
	for _, one := range t.models {
		policy, _, ok := t.policy(one.Step)
		if !ok {
			return fmt.Errorf("its input step %d: it has %d steps", one.Step, len(t.steps))
		}
		of := one.Model
		if one.Step > 0 {
			m, err := artifacts.GetManifest(ctx, store, one.Model)
			if err != nil {
				return err
			}
			of = inputOf(m, "policy")
		}
		if of != policy {
			return fmt.Errorf("its input step %d, %s, has the weights of %q, expected those of %q", one.Step, one.Model, of, policy)
		}
	}
	return nil
}

// retold plays the episodes of all updates again. What is not as it should be is the update's finding.
func (a *Auditor) retold(ctx context.Context, t *trained) error {
	params, err := a.playedBy(ctx, t)
	if err != nil {
		return err
	}
	all := heard{fewest: noFewest}
	for _, s := range t.steps {
		if told, counted := a.heard[s.Policy]; counted {
			all = all.join(told)
		}
	}
	params.Distil = all.lessons
	if !all.looked {
		params.Retrieval = nil
	}
	if params.Show = max(1, all.shown); all.shown > all.fewest {
		return fmt.Errorf("of the skills that they found some of its episodes were shown %d, others %d", all.shown, all.fewest)
	}
	for i, s := range t.steps {
		_, counted := a.heard[s.Policy]
		if _, told := a.told[s.Policy]; told || !counted {
			continue // of another outcome of the training, or it could not be read: found before
		}
		if err := a.retoldStep(ctx, t, i, params, all.bare); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			delete(a.told, s.Policy) // not all of them
			a.found(fmt.Sprintf("%s %s (step %d)", artifacts.KindUpdate, s.Policy, i+1), err)
		}
	}
	return nil
}

// playedBy is how the training's episodes were played, as far as its panels were played in the same way.
func (a *Auditor) playedBy(ctx context.Context, t *trained) (p activities.RolloutParameters, err error) {
	if len(t.panels) == 0 {
		return p, errors.New("it has no validation, so that nothing says how its episodes were played")
	}
	panel := t.panels[0] // with skills, if any is
	m, err := artifacts.GetManifest(ctx, a.Store, panel.Digest)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(m.Parameters, &p)
}

func (a *Auditor) retoldStep(ctx context.Context, t *trained, i int, params activities.RolloutParameters, halves bool) error {
	in, of := t.updates[i], t.steps[i].Policy
	m, err := artifacts.GetManifest(ctx, a.Store, of)
	if err != nil {
		return err
	}
	r, err := a.retell(ctx, in.Start, in.Library, inputOf(t.m, "games"), params)
	if err != nil {
		return err
	}
	r.purpose, r.step = purposeTrain, i+1
	bare := 0
	if halves {
		bare = in.Group / 2
	}
	return a.episodes(ctx, m, func(e episode) error {
		if e.Rollout < 0 || e.Rollout >= in.Group {
			return fmt.Errorf("expected rollouts 0 to %d", in.Group-1)
		}
		if err := halved(e, in.Group, bare); err != nil {
			return err
		}
		return r.again(ctx, of, e)
	})
}

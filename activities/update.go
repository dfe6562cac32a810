package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
)

// UpdateParameters say how a stage's policy is updated.
type UpdateParameters struct {
	UpdateRule
	Steps      int `json:"steps"`      // of the stage
	Checkpoint int `json:"checkpoint"` // steps between checkpoints; the last step has one in any case
}

// UpdateRule is what an update depends on beside its inputs.
type UpdateRule struct {
	Learn learn.Config    `json:"learn"`
	Train gpu.TrainConfig `json:"train"`
	Group int             `json:"group"` // episodes asked for of each task
	// Distil has the policy learn from a teacher, on trajectories as PlayShard makes them, in place of rewards.
	Distil *DistilRule `json:"distil,omitempty"`
}

// UpdateInput asks for the policy after a step's episodes.
type UpdateInput struct {
	Key      artifacts.Digest       `json:"key"`
	Step     int                    `json:"step"`              // from 1
	Start    artifacts.Digest       `json:"start"`             // the model that training began from: the reference
	Policy   artifacts.Digest       `json:"policy"`            // before: Start, or the update before
	Library  artifacts.Digest       `json:"library,omitempty"` // that the episodes saw
	Learned  artifacts.Digest       `json:"learned,omitempty"` // the library after them
	Teacher  artifacts.Digest       `json:"teacher,omitempty"` // of Distil
	Games    artifacts.Digest       `json:"games,omitempty"`   // that the trajectories of Distil are of
	Episodes []artifacts.Descriptor `json:"episodes"`          // shards, in the order of tasks
	Excluded []ExcludedEpisode      `json:"lost,omitempty"`    // that were asked for and are not there, in the order of tasks
	UpdateParameters
}

// UpdateResult is the policy after it.
type UpdateResult struct {
	Policy artifacts.Digest `json:"policy"`
	Model  artifacts.Digest `json:"model,omitempty"` // its weights as a model, at a checkpoint
	Note   string           `json:"note"`
	Work   Work             `json:"work"`
}

// UpdateFile is the output of an update with its figures.
const UpdateFile = "update.json"

// BestFile is the output of an update with RetroAgent's intrinsic reward: Φ, the largest success rate that a group of
// each game has had up to and in its step, as a JSON object by game. A game that was never won has none.
const BestFile = "best.json"

// UpdateFigures are the figures of a step: of rewards, or of a teacher.
type UpdateFigures struct {
	Step    int            `json:"step"`
	Figures *learn.Figures `json:"figures,omitempty"`
	Report  *learn.Report  `json:"report,omitempty"`
	Distil  *DistilFigures `json:"distil,omitempty"`
}

// UpdateName is the name of a stage's update.
func UpdateName(key artifacts.Digest, step int) string {
	return fmt.Sprintf("updates/%s/%08d", key.Hex(), step)
}

// UpdatePolicy takes the optimiser steps of a step's episodes. One that is done already is not done again.
func (a *Activities) UpdatePolicy(ctx context.Context, in UpdateInput) (*UpdateResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	res, err := a.updatePolicy(ctx, in, beat)
	if err != nil {
		return nil, classify(err)
	}
	res.Work = beat.work()
	info := a.Runner.Info()
	res.Work.Device, res.Work.Class = info.Name, info.Class
	return res, nil
}

func (a *Activities) updatePolicy(ctx context.Context, in UpdateInput, beat *beater) (*UpdateResult, error) {
	if _, err := a.device(); err != nil {
		return nil, err
	}
	if done, err := a.Store.Resolve(ctx, UpdateName(in.Key, in.Step)); err == nil {
		return a.found(ctx, in, done)
	} else if !errors.Is(err, artifacts.ErrNotFound) {
		return nil, fmt.Errorf("look for update %d: %w", in.Step, err)
	}
	if err := a.policy.free(); err != nil {
		return nil, err
	}
	beat.report(Beat{Done: in.Step - 1, Of: in.Steps, Unit: "steps", Note: "loading the policy"})
	loaded := beat.spend(spentLoad)
	if err := a.advance(ctx, in.Policy, in.Start, in.Train, beat); err != nil {
		return nil, err
	}
	loaded()
	beat.report(Beat{Done: in.Step - 1, Of: in.Steps, Unit: "steps", Note: "updating"})
	policy, err := a.repeat(ctx, in, meter{beat, true})
	if err != nil {
		return nil, err
	}
	defer beat.spend(spentPublish)()
	if in.kept() {
		if _, err := a.keepAll(ctx, in); err != nil {
			return nil, err
		}
	}
	err = a.Store.Name(ctx, UpdateName(in.Key, in.Step), policy)
	if errors.Is(err, artifacts.ErrConflict) { // as with episodes: the one that is named counts
		beat.resumed(fmt.Sprintf("step %d of another attempt, which is not the same to the last bit", in.Step))
		policy, err = a.Store.Resolve(ctx, UpdateName(in.Key, in.Step))
	}
	if err != nil {
		return nil, fmt.Errorf("publish update %d: %w", in.Step, err)
	}
	return a.found(ctx, in, policy)
}

// found is the result of an update that is published, with its weights where the step has a checkpoint. That others are
// there, of a stop between two or of another training, is no part of it: what a training comes to does not hang on them.
func (a *Activities) found(ctx context.Context, in UpdateInput, policy artifacts.Digest) (*UpdateResult, error) {
	if !in.kept() {
		return a.updated(ctx, policy, "")
	}
	model, err := a.Store.Resolve(ctx, WeightsName(policy))
	if err != nil && !errors.Is(err, artifacts.ErrNotFound) {
		return nil, fmt.Errorf("look for the weights of %s: %w", policy.Short(), err)
	}
	return a.updated(ctx, policy, model)
}

// updated is an update as a result.
func (a *Activities) updated(ctx context.Context, policy, model artifacts.Digest) (*UpdateResult, error) {
	m, err := a.manifest(ctx, policy, artifacts.KindUpdate)
	if err != nil {
		return nil, err
	}
	raw, err := readOf(ctx, a.Store, policy, m, UpdateFile)
	if err != nil {
		return nil, fmt.Errorf("read update %s: %w", policy.Short(), err)
	}
	var figures UpdateFigures
	if err := json.Unmarshal(raw, &figures); err != nil {
		return nil, final(ErrTypeCorrupt, fmt.Errorf("update %s: %s: %w", policy.Short(), UpdateFile, err))
	}
	return &UpdateResult{Policy: policy, Model: model, Note: figures.note()}, nil
}

// note is the figures in short.
func (f UpdateFigures) note() string {
	if f.Distil != nil {
		return fmt.Sprintf("step %d: %s", f.Step, f.Distil.note())
	}
	n := fmt.Sprintf("step %d: %d of %d won", f.Step, f.Figures.Won, f.Figures.Episodes)
	if l := f.Figures.After; l != nil {
		n += fmt.Sprintf(", %d skills", l.Skills)
	}
	if last := len(f.Report.Steps) - 1; last >= 0 {
		s := f.Report.Steps[last]
		n += fmt.Sprintf(", KL %.4f, entropy %.2f, gradient %.2f", s.KL, s.Entropy, s.GradNorm)
	}
	return n
}

// kept says whether the step has a checkpoint.
func (in UpdateInput) kept() bool {
	return in.Step == in.Steps || in.Checkpoint > 0 && in.Step%in.Checkpoint == 0
}

// repeat takes the steps on the policy in training and stores what it then is.
func (a *Activities) repeat(ctx context.Context, in UpdateInput, by meter) (artifacts.Digest, error) {
	if err := in.check(); err != nil {
		return "", final(ErrTypeBadInput, err)
	}
	figures, lines, err := UpdateFigures{Step: in.Step}, []byte(nil), error(nil)
	var best map[string]float64 // nil: none is kept
	if in.Distil != nil {
		if lines, err = a.readShards(ctx, in.Episodes...); err == nil {
			figures.Distil, err = a.distil(ctx, in, lines, by)
		}
	} else {
		lines, best, err = a.reinforce(ctx, in, &figures, by)
	}
	l := a.learners.current()
	if err != nil && l.at == "" { // the steps began
		err = a.keepFailed(ctx, l.scratch, fmt.Errorf("step %d: %w", in.Step, err))
		return "", numbers(ctx, errors.Join(err, a.learners.forget(l)))
	}
	if err != nil {
		return "", err
	}
	defer by.part(spentPublish)()
	if l.at, err = a.storeUpdate(ctx, in, lines, figures, best); err != nil {
		return "", errors.Join(err, a.learners.forget(l))
	}
	return l.at, nil
}

// reinforce takes the steps of the episodes' rewards. Best is Φ of the intrinsic reward after them, nil where there is none.
func (a *Activities) reinforce(ctx context.Context, in UpdateInput, f *UpdateFigures, by meter) (lines []byte, best map[string]float64, err error) {
	episodes, lines, err := a.readEpisodes(ctx, in.Episodes...)
	if err != nil {
		return nil, nil, err
	}
	if f.Figures, err = a.figures(ctx, in, episodes); err != nil {
		return nil, nil, err
	}
	tasks := Groups(episodes, in.Group)
	if in.Learn.Credit.Intrinsic != 0 {
		if best, err = a.best(ctx, in); err != nil {
			return nil, nil, err
		}
		for i := range tasks {
			tasks[i].Best = best[tasks[i].Task]
		}
	}
	var reference learn.Reference
	if in.Learn.KL != 0 {
		if reference, err = a.scorer(ctx); err != nil {
			return nil, nil, err
		}
	}
	l := a.learners.current()
	l.at = "" // whatever happens now, it is no longer what it was
	if f.Report, err = learn.Update(ctx, timedTrainer{l.trainer, by}, in.Learn, tasks, timed(reference, by)); err != nil {
		return nil, nil, err
	}
	for task, rate := range f.Report.Best {
		if rate > 0 {
			best[task] = rate
		}
	}
	return lines, best, nil
}

// best is Φ of the intrinsic reward before an update, by game: what the update before it has kept.
func (a *Activities) best(ctx context.Context, in UpdateInput) (map[string]float64, error) {
	all := map[string]float64{}
	if in.Policy == in.Start {
		return all, nil
	}
	m, err := a.manifest(ctx, in.Policy, artifacts.KindUpdate)
	if err != nil {
		return nil, err
	}
	raw, err := readOf(ctx, a.Store, in.Policy, m, BestFile)
	if err != nil {
		return nil, fmt.Errorf("read update %s: %w", in.Policy.Short(), err)
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, final(ErrTypeCorrupt, fmt.Errorf("update %s: %s: %w", in.Policy.Short(), BestFile, err))
	}
	if all == nil {
		return nil, final(ErrTypeCorrupt, fmt.Errorf("update %s: %s: null, expected an object", in.Policy.Short(), BestFile))
	}
	return all, nil
}

// figures are those of the episodes, and of the library before and after them.
func (a *Activities) figures(ctx context.Context, in UpdateInput, episodes []rollout.Episode) (*learn.Figures, error) {
	f, err := learn.FiguresOf(episodes, in.Learn.Expect)
	if err != nil {
		return nil, final(ErrTypeBadInput, err)
	}
	f.Excluded = len(in.Excluded)
	for _, l := range []struct {
		of artifacts.Digest
		to **learn.LibraryFigures
	}{{in.Library, &f.Before}, {in.Learned, &f.After}} {
		if l.of == "" {
			continue
		}
		m, err := a.manifest(ctx, l.of, artifacts.KindSkills)
		if err != nil {
			return nil, err
		}
		*l.to = &learn.LibraryFigures{}
		if err := json.Unmarshal(m.Summary, *l.to); err != nil {
			return nil, final(ErrTypeCorrupt, fmt.Errorf("skill library %s: %w", l.of.Short(), err))
		}
	}
	return &f, nil
}

func (a *Activities) storeUpdate(ctx context.Context, in UpdateInput, lines []byte, figures UpdateFigures, best map[string]float64) (artifacts.Digest, error) {
	m := artifacts.Manifest{
		Kind:   artifacts.KindUpdate,
		Inputs: []artifacts.Input{{Role: "policy", Digest: in.Policy}, {Role: "start", Digest: in.Start}},
	}
	for _, i := range []artifacts.Input{
		{Role: "library", Digest: in.Library}, {Role: "learned", Digest: in.Learned}, {Role: "teacher", Digest: in.Teacher}, {Role: "games", Digest: in.Games},
	} {
		if i.Digest != "" {
			m.Inputs = append(m.Inputs, i)
		}
	}
	raw, err := json.Marshal(figures)
	if err != nil {
		return "", err
	}
	files := []libraryFile{{EpisodesFile, mediaJSONL, lines}, {UpdateFile, mediaJSON, raw}}
	if best != nil {
		table, err := json.Marshal(best) // by game, sorted
		if err != nil {
			return "", err
		}
		files = slices.Insert(files, 0, libraryFile{BestFile, mediaJSON, table})
	}
	for _, f := range files {
		d, err := artifacts.PutBytes(ctx, a.Store, f.media, f.data)
		if err != nil {
			return "", fmt.Errorf("store update %d: %w", in.Step, err)
		}
		m.Outputs = append(m.Outputs, artifacts.Output{Name: f.name, Descriptor: d})
	}
	if m.Parameters, err = json.Marshal(in.UpdateRule); err != nil {
		return "", err
	}
	if m.Summary, err = json.Marshal(updateSummary{in.Step, in.Excluded}); err != nil {
		return "", err
	}
	d, err := a.put(ctx, m)
	if err != nil {
		return "", fmt.Errorf("store update %d: %w", in.Step, err)
	}
	return d, nil
}

// updateSummary is what of an update is neither parameter nor input.
type updateSummary struct {
	Step     int               `json:"step"`
	Excluded []ExcludedEpisode `json:"lost,omitempty"`
}

// UpdateOf is what an update was asked for with, but its key.
func UpdateOf(d artifacts.Digest, m *artifacts.Manifest) (UpdateInput, error) {
	var in UpdateInput
	var summary updateSummary
	if err := errors.Join(json.Unmarshal(m.Parameters, &in.UpdateRule), json.Unmarshal(m.Summary, &summary)); err != nil {
		return in, wrong{fmt.Errorf("update %s: %w", d.Short(), err), ErrTypeCorrupt}
	}
	in.Step, in.Excluded = summary.Step, summary.Excluded
	to := map[string]*artifacts.Digest{
		"policy": &in.Policy, "start": &in.Start, "library": &in.Library, "learned": &in.Learned, "teacher": &in.Teacher, "games": &in.Games,
	}
	for _, i := range m.Inputs {
		if field := to[i.Role]; field != nil {
			*field = i.Digest
		}
	}
	for _, out := range m.Outputs {
		if out.Name == EpisodesFile {
			in.Episodes = []artifacts.Descriptor{out.Descriptor}
		}
	}
	if in.Policy == "" || in.Start == "" || len(in.Episodes) == 0 {
		return in, wrong{fmt.Errorf("update %s: expected a policy, a start and %s", d.Short(), EpisodesFile), ErrTypeCorrupt}
	}
	return in, nil
}

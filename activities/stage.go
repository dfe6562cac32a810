package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gowebpki/jcs"

	"github.com/hone-rl/hone/artifacts"
)

// Stage is all that a stage's result depends on.
type Stage struct {
	Kind       string            `json:"kind"`       // what is done: "hints", "sft", …
	Parameters json.RawMessage   `json:"parameters"` // canonical or not: the key canonicalises
	Inputs     []artifacts.Input `json:"inputs"`
}

// StageInput is a Stage with its name in a run.
type StageInput struct {
	Run   string `json:"run"`
	Name  string `json:"name"` // "hints", "teacher", …
	Stage Stage  `json:"stage"`
	// Again has the stage done anew, below a key of its own: what was done before is neither looked at nor touched. Those of
	// one word share what they have done.
	Again string `json:"again,omitempty"`
}

// Begun says whether a stage has been done before.
type Begun struct {
	Key   artifacts.Digest `json:"key"`             // the stage's identity
	Found artifacts.Digest `json:"found,omitempty"` // its manifest, if it has been done
}

// Begin computes the stage's key from its inputs, parameters and this producer's version, and looks whether
// such a stage is done.
func (a *Activities) Begin(ctx context.Context, in StageInput) (*Begun, error) {
	defer a.beat(ctx).stop()
	key, err := in.Stage.Key(a.Producer)
	if err != nil {
		return nil, final(ErrTypeBadInput, fmt.Errorf("stage %s: %w", in.Name, err))
	}
	if in.Again != "" {
		key = artifacts.Of([]byte("hone again/1\x00" + string(key) + "\x00" + in.Again))
	}
	found, err := a.Store.Resolve(ctx, StageName(key))
	if errors.Is(err, artifacts.ErrNotFound) {
		return &Begun{Key: key}, nil
	}
	if err != nil {
		return nil, classify(fmt.Errorf("look for stage %s: %w", in.Name, err))
	}
	if _, err := artifacts.GetManifest(ctx, a.Store, found); err != nil {
		return nil, classify(fmt.Errorf("read the stage %s done before: %w", in.Name, err))
	}
	return &Begun{Key: key, Found: found}, nil
}

// Key is the stage's identity for a producer: the digest of the canonical JSON of both.
func (s Stage) Key(p artifacts.Producer) (artifacts.Digest, error) {
	raw, err := json.Marshal(struct {
		Producer artifacts.Producer `json:"producer"`
		Stage
	}{p, s})
	if err != nil {
		return "", err
	}
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return "", err
	}
	return artifacts.Of(canonical), nil
}

// StageName is the name of a stage's result by the stage's key, for all runs that come to it.
func StageName(key artifacts.Digest) string { return "stages/" + key.Hex() }

// RunName is the name of a run's stage.
func RunName(run, stage string) string { return "runs/" + run + "/" + stage }

// RecordPrefix begins the names of a run's records: records/<run>/<run id of the workflow>/<stage>.
func RecordPrefix(run string) string { return "records/" + run + "/" }

// ListName is the name of an imported game list.
func ListName(d artifacts.Digest) string { return "games/" + d.Hex() }

// ModelName is the name of an imported model.
func ModelName(d artifacts.Digest) string { return "models/" + d.Hex() }

// publish stores m and then gives it its name as the stage's result: readers see whole results or none.
// The same stage with another digest is an error that stops the run, for it breaks the promise of the stage key.
func (a *Activities) publish(ctx context.Context, key artifacts.Digest, m artifacts.Manifest) (artifacts.Digest, error) {
	d, err := a.put(ctx, m)
	if err != nil {
		return "", classify(fmt.Errorf("store %s manifest: %w", m.Kind, err))
	}
	if err := a.Store.Name(ctx, StageName(key), d); err != nil {
		return "", classify(fmt.Errorf("publish %s %s: %w", m.Kind, d.Short(), err))
	}
	return d, nil
}

// put stores m as made by this producer.
func (a *Activities) put(ctx context.Context, m artifacts.Manifest) (artifacts.Digest, error) {
	m.SchemaVersion, m.MediaType, m.Producer = 1, artifacts.MediaTypeManifest, a.Producer
	d, err := artifacts.PutManifest(ctx, a.Store, m)
	return d.Digest, err
}

// Finished is what a stage's workflow knows at its end.
type Finished struct {
	Run      string           `json:"run"`
	Name     string           `json:"name"`
	Key      artifacts.Digest `json:"key"` // the stage's identity: stages/<key> is its name in any run
	Digest   artifacts.Digest `json:"digest"`
	Reused   bool             `json:"reused"`
	Workflow string           `json:"workflow"`
	RunID    string           `json:"runId"`
	Started  time.Time        `json:"started"`
	Ended    time.Time        `json:"ended"`
	Work     []Work           `json:"work,omitempty"`  // the activities that did it
	Times    []StepTime       `json:"times,omitempty"` // of a training by steps
	// Stopped is the step after which a training ended because it was asked to. What it came to is not the stage's result:
	// it has a name of its own in the run, and the stage is still to be done.
	Stopped int `json:"stopped,omitempty"`
}

// Work is one activity's account, for the run record alone.
type Work struct {
	Activity string    `json:"activity"`
	Attempt  int32     `json:"attempt"`
	Host     string    `json:"host"`
	Device   string    `json:"device,omitempty"`
	Class    string    `json:"class,omitempty"`
	Redone   string    `json:"redone,omitempty"` // where a retry went on from
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	// Phases is what part of that time went where, in nanoseconds: of rollouts "load" for the model, and the time of play
	// divided among rollout's parts as the episodes spent theirs; of updates the parts of spend.go.
	Phases map[string]time.Duration `json:"phases,omitempty"`
}

// StepTime is what the devices and the library spent on a step of a training: time by part, in nanoseconds, added up over
// activities that may have gone on side by side. Step 0 is what came before the first.
type StepTime struct {
	Step   int                      `json:"step"`
	Phases map[string]time.Duration `json:"phases"`
}

// StoppedName is the name in a run of what a training came to that was stopped after a step.
func StoppedName(stage string, step int) string { return fmt.Sprintf("%s-stopped-%d", stage, step) }

// maxRecord bounds a record, in bytes. One of a stage of 40 chunks has 10 kB.
const maxRecord = 64 << 20

// ReadRecord reads a stage's stored record.
func ReadRecord(ctx context.Context, store artifacts.Store, d artifacts.Digest) (r Finished, err error) {
	raw, err := artifacts.ReadAll(ctx, store, d, maxRecord)
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	return r, err
}

// still makes sure that a stage that was found by its name is named yet, by that or by this run. Between Begin and Finish no
// worker may have been there for long, and hone gc, which removes names first, and content only after it has looked at names
// anew, may have come by.
func (a *Activities) still(ctx context.Context, in Finished) error {
	if !in.Reused {
		return nil
	}
	for _, name := range []string{StageName(in.Key), RunName(in.Run, in.Name)} {
		if _, err := a.Store.Resolve(ctx, name); !errors.Is(err, artifacts.ErrNotFound) {
			return err // nil where it is named: that it is named so is for Finish
		}
	}
	return fmt.Errorf("stage %s of run %s was done before, and is not there now (hone run makes it anew): %s: %w", in.Name, in.Run, in.Digest, artifacts.ErrNotFound)
}

// Finish names the stage's result in the run and writes its record: clocks, hosts and attempts, which stand
// outside every digest of a result.
func (a *Activities) Finish(ctx context.Context, in Finished) error {
	defer a.beat(ctx).stop()
	if err := a.still(ctx, in); err != nil {
		return classify(err)
	}
	named := in.Name
	if in.Stopped > 0 {
		named = StoppedName(in.Name, in.Stopped)
	} else if err := a.Store.Name(ctx, StageName(in.Key), in.Digest); err != nil {
		// A stage that makes nothing of its own, such as a list given by its digest, has not been published yet.
		return classify(fmt.Errorf("publish %s of run %s: %w", in.Name, in.Run, err))
	}
	if err := a.Store.Name(ctx, RunName(in.Run, named), in.Digest); err != nil {
		return classify(fmt.Errorf("name %s of run %s: %w", in.Name, in.Run, err))
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	d, err := artifacts.PutBytes(ctx, a.Store, "application/vnd.hone.record.v1+json", raw)
	if err != nil {
		return classify(fmt.Errorf("store record of %s: %w", in.Name, err))
	}
	name := RecordPrefix(in.Run) + in.RunID + "/" + named
	return classify(a.Store.Name(ctx, name, d.Digest))
}

// Package plan says what a run would take before it is started: stages, steps, tokens, what would be stored, the memory
// of a device, and what is done already. It needs a spec alone; what a store knows makes it more exact.
package plan

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/workflows"
)

// Config asks for a plan.
type Config struct {
	Spec     *workflows.Spec
	Dir      string          // of the spec's file: model.config is relative to it
	Store    artifacts.Store // nil: what is done is not known
	Producer artifacts.Producer
	Until    string // the last step; "": the whole run
	Count    int    // of records to train on; 0: those of the stored dataset, or an estimate
	CUDA     bool   // the device that memory is told of; false: a CPU
	// Sample is the number of the run's games whose records are made to estimate lengths from, where they cannot be counted.
	// 0: lengths are typical ones.
	Sample int
	// Start refuses what the run would miss in the store, too, beside what can be planned without it.
	Start bool
}

// MaxRecords is the most that Config.Count may be.
const MaxRecords = 1_000_000_000

// Plan is what a run would take.
type Plan struct {
	Run     string  `json:"run"`
	Model   Model   `json:"model"`
	Records Records `json:"records"`
	Stages  []Stage `json:"stages"`
	Stored  int64   `json:"stored"` // bytes of the stages to be done
	Device  string  `json:"device"` // "cpu", "cuda"
	// Memory is of the largest training and of play.
	Memory []Memory `json:"memory"`
	Notes  []string `json:"notes"`
	// Warnings are what would make the run fail, or do less than it seems to, by what can be estimated now.
	Warnings []string `json:"warnings,omitempty"`
}

// Model is the one that is trained.
type Model struct {
	Architecture string `json:"architecture"`
	Parameters   int64  `json:"parameters"`
	Source       string `json:"source"`
}

// Stage is one stage of the run.
type Stage struct {
	step     string           // one of workflows.Steps
	Name     string           `json:"name"`
	Kind     string           `json:"kind"`
	State    State            `json:"state"`
	Digest   artifacts.Digest `json:"digest,omitempty"` // of the result, where it is done
	Games    int              `json:"games,omitempty"`
	Training *Training        `json:"training,omitempty"`
	Course   *Course          `json:"course,omitempty"`
	Tokens   int64            `json:"tokens,omitempty"` // positions computed
	Stored   int64            `json:"stored"`           // bytes that it would add
}

// State is where a stage stands.
type State string

// The states of a stage.
const (
	Done    State = "done"
	ToDo    State = "to do"
	Unknown State = "unknown" // whether it is done: there is no store
)

// Training is a fine-tuning in numbers.
type Training struct {
	Trainable   int64 `json:"trainable"`
	Records     int   `json:"records"` // within max_tokens; in prompts of turns, games
	Overlong    int   `json:"overlong,omitempty"`
	Steps       int   `json:"steps"`
	Warmup      int   `json:"warmup"`
	StepRecords int   `json:"step_records"` // in a whole step
	Batch       int   `json:"batch"`
	Micro       int   `json:"micro"` // micro-batches in a step
	Longest     int   `json:"longest"`
	Checkpoints int   `json:"checkpoints"`
}

// planner is a plan being made.
type planner struct {
	Config
	Plan
	model   checkpoint.Model
	games   map[string]int
	lengths map[kind]*lengths

	based       bool             // the model is the stored base
	hints       activities.Stage // that makes the records
	sample      sample
	train, held []hints.Record // of the stored dataset, once it has been read
}

// Make makes the plan.
func Make(ctx context.Context, c Config) (*Plan, error) {
	if c.Count < 0 || c.Count > MaxRecords {
		return nil, fmt.Errorf("%d records: expected from 0 to %d", c.Count, MaxRecords)
	}
	p := &planner{Config: c, games: map[string]int{}, lengths: map[kind]*lengths{}}
	var err error
	if p.Run, err = c.Spec.RunID(c.Producer.Version); err != nil {
		return nil, err
	}
	if p.Device = "cpu"; c.CUDA {
		p.Device = "cuda"
	}
	if err := p.describe(ctx); err != nil {
		return nil, err
	}
	if err := c.Spec.Walk(c.Until, func(s workflows.Planned) (artifacts.Digest, error) { return p.stage(ctx, s) }); err != nil {
		return nil, err
	}
	if err := p.memory(); err != nil {
		return nil, err
	}
	p.remark()
	return &p.Plan, nil
}

// describe reads what the model is: of a stored one from the store, or else from the configuration that the spec names.
func (p *planner) describe(ctx context.Context) error {
	m := p.Spec.Model
	var text []byte
	var err error
	switch {
	case m.Qwen2 != nil:
		p.Model.Source = "new, seeded"
		p.model = p.Spec.NewModel()
	case m.Base != "" && p.Store != nil:
		p.Model.Source = "stored " + m.Base.Short()
		p.model, err = activities.ReadBase(ctx, p.Store, m.Base)
		p.based = err == nil
		if m.Config == "" || err == nil || p.Start {
			break
		}
		p.Warnings = append(p.Warnings, err.Error())
		fallthrough
	case m.Config != "":
		p.Model.Source = m.Config
		if text, err = checkpoint.ReadText(filepath.Join(p.Dir, filepath.FromSlash(m.Config))); err != nil {
			err = fmt.Errorf("model.config %s: %w", m.Config, err)
		}
	default:
		err = fmt.Errorf("model.base %s: there is no store to look into: start it, or name a configuration as model.config", m.Base.Short())
	}
	if err != nil {
		return err
	}
	if p.model == nil {
		if p.model, err = checkpoint.Parse(text); err != nil {
			return fmt.Errorf("model.config: %s: %w", m.Config, err)
		}
	}
	p.Model.Architecture, p.Model.Parameters = p.model.Architecture(), checkpoint.Parameters(p.model)
	return p.Spec.Fit(p.model)
}

// kind is what examples are made of: each has lengths of its own.
type kind struct{ hint, cold bool }

func kindOf(step string) kind { return kind{hint: step == "teacher", cold: step == "cold_start"} }

// trained is a step of the run that trains on records.
type trained struct {
	step string
	spec workflows.SFTSpec
}

func (p *planner) trained() []trained {
	all := []trained{{"teacher", p.Spec.Teacher}, {"student", p.Spec.Student}}
	if c := p.Spec.ColdStart; c != nil {
		all = append(all, trained{"cold_start", c.SFTSpec})
	}
	return all
}

// first is the first stage of a step; nil if the plan ends before.
func (p *planner) first(step string) *Stage {
	i := slices.IndexFunc(p.Stages, func(s Stage) bool { return s.step == step })
	if i < 0 {
		return nil
	}
	return &p.Stages[i]
}

// stage plans one stage and says what it has made, if it has been done.
func (p *planner) stage(ctx context.Context, s workflows.Planned) (artifacts.Digest, error) {
	out := Stage{step: s.Step, Name: s.Name, Kind: s.Stage.Kind, State: Unknown}
	if p.Store != nil {
		out.State = ToDo
		if s.Known {
			key, err := s.Stage.Key(p.Producer)
			if err != nil {
				return "", err
			}
			d, err := p.Store.Resolve(ctx, activities.StageName(key))
			switch {
			case err == nil:
				out.State, out.Digest = Done, d
			case !errors.Is(err, artifacts.ErrNotFound):
				return "", err
			}
		}
	}
	if err := p.measure(ctx, s, &out); err != nil {
		return "", err
	}
	if out.State == Done {
		out.Stored = 0
	}
	p.Stored += out.Stored
	p.Stages = append(p.Stages, out)
	return out.Digest, nil
}

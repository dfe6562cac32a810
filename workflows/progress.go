package workflows

import (
	"go.temporal.io/sdk/workflow"
)

// QueryProgress is the query that every workflow here answers with a Progress.
const QueryProgress = "progress"

// Progress is how far a workflow is.
type Progress struct {
	Stages []StageProgress `json:"stages"` // in the order in which they began or will begin
}

// StageProgress is how far a stage is.
type StageProgress struct {
	Name   string       `json:"name"`
	State  StageState   `json:"state"`
	Done   int          `json:"done"` // of Total, where a stage counts; what runs now is in its activities' heartbeats
	Total  int          `json:"total"`
	Unit   string       `json:"unit,omitempty"`
	Note   string       `json:"note,omitempty"`  // what it is at, and the last figures
	Child  string       `json:"child,omitempty"` // the workflow that does it, if it is not this one
	Result *StageResult `json:"result,omitempty"`
	Error  string       `json:"error,omitempty"`
}

// StageState is where a stage stands.
type StageState string

// The states of a stage.
const (
	Waiting StageState = "waiting"
	Running StageState = "running"
	Done    StageState = "done"
	Reused  StageState = "reused"
	Failed  StageState = "failed"
)

// progress is a workflow's answer to the query.
type progress struct{ Progress }

func newProgress(ctx workflow.Context, stages ...string) (*progress, error) {
	p := &progress{}
	for _, name := range stages {
		p.Stages = append(p.Stages, StageProgress{Name: name, State: Waiting})
	}
	return p, workflow.SetQueryHandler(ctx, QueryProgress, func() (Progress, error) { return p.Progress, nil })
}

// of finds the stage, adding it where it was not foreseen.
func (p *progress) of(name string) *StageProgress {
	for i := range p.Stages {
		if p.Stages[i].Name == name {
			return &p.Stages[i]
		}
	}
	p.Stages = append(p.Stages, StageProgress{Name: name})
	return &p.Stages[len(p.Stages)-1]
}

func (p *progress) begin(name string) { p.of(name).State = Running }

func (p *progress) child(name, id string) {
	s := p.of(name)
	s.State, s.Child = Running, id
}

func (p *progress) count(name string, done, total int, unit string) {
	s := p.of(name)
	s.Done, s.Total, s.Unit = done, total, unit
}

func (p *progress) end(res StageResult) {
	s := p.of(res.Name)
	s.State, s.Result = Done, &res
	if res.Reused {
		s.State = Reused
	}
}

func (p *progress) fail(name string, err error) error {
	s := p.of(name)
	s.State, s.Error = Failed, Reason(err)
	return err
}

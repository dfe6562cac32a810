package durability_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/workflows"
)

const spec = root + "/experiments/tiny.yaml"

// heartbeat is how soon a lost worker is noticed.
const heartbeat = 3 * time.Second

// outcome is what a run has made.
type outcome struct {
	run    string
	result workflows.PipelineResult
	names  map[string]artifacts.Digest // all but those of records, which tell when and where
	points []point                     // that it passed
}

// begin starts the run and returns its id.
func (p *place) begin(flags ...string) string {
	p.t.Helper()
	out := p.mustHone(append([]string{"run", "--detach", spec}, flags...)...)
	run, ok := strings.CutPrefix(strings.TrimSpace(out), "run ")
	if !ok {
		p.t.Fatalf("hone run printed %q, expected a run's id", out)
	}
	return run
}

// over says whether the run has ended. A server that is down answers later.
func (p *place) over(c client.Client, run string) bool {
	d, err := c.DescribeWorkflowExecution(p.t.Context(), run, "")
	return err == nil && d.WorkflowExecutionInfo.Status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// outcome reads what the run has made, after both audits.
func (p *place) outcome(c client.Client, run string) outcome {
	p.t.Helper()
	o := outcome{run: run, names: map[string]artifacts.Digest{}, points: p.trace()}
	if err := c.GetWorkflow(p.t.Context(), run, "").Get(p.t.Context(), &o.result); err != nil {
		p.t.Fatalf("run %s: %v", run, err)
	}
	for _, args := range [][]string{{"audit", run}, {"audit", "--all"}} {
		if out, err := p.hone(args...); err != nil || !strings.Contains(out, "all is well") {
			p.t.Errorf("hone %s: exit code %d, expected 0 and that all is well\n%s", strings.Join(args, " "), exitCode(err), out)
		}
	}
	store := p.store()
	names, err := store.Names(p.t.Context(), "")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "records/") {
			continue
		}
		if o.names[name], err = store.Resolve(p.t.Context(), name); err != nil {
			p.t.Errorf("name %s: %v", name, err)
		}
	}
	for name, log := range p.logs() {
		if strings.Contains(log, artifacts.ErrConflict.Error()) {
			p.t.Errorf("%s tells of a conflict: %s", name, artifacts.ErrConflict)
		}
	}
	return o
}

// compare fails where got is not what want is: the run's digest, each stage's, and every name in the store, those of
// checkpoints among them.
func compare(t *testing.T, got, want outcome) {
	t.Helper()
	if got.run != want.run || got.result.Digest != want.result.Digest {
		t.Errorf("run %s came to %s, undisturbed %s to %s", got.run, got.result.Digest, want.run, want.result.Digest)
	}
	for i, s := range want.result.Stages {
		if i >= len(got.result.Stages) || got.result.Stages[i].Name != s.Name || got.result.Stages[i].Digest != s.Digest {
			t.Errorf("stage %d: got %+v, want %s with %s", i, got.result.Stages, s.Name, s.Digest)
			break
		}
	}
	for name, d := range want.names {
		if got.names[name] != d {
			t.Errorf("name %s: got %q, want %s", name, got.names[name], d)
		}
	}
	for name, d := range got.names {
		if _, ok := want.names[name]; !ok {
			t.Errorf("name %s points at %s, an undisturbed run has no such name", name, d)
		}
	}
}

// attempts are the attempts at each activity of the run, as Temporal recorded them.
func (p *place) attempts(c client.Client, o outcome) map[string]int32 {
	p.t.Helper()
	name := map[string]string{} // by workflow and Temporal's id
	for _, q := range o.points {
		name[q.Workflow+" "+q.ID] = q.Activity
	}
	attempts := map[string]int32{}
	for _, flow := range append([]string{o.run}, children(o.run)...) {
		ids := map[int64]string{}
		events := c.GetWorkflowHistory(p.t.Context(), flow, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			e, err := events.Next()
			if err != nil {
				p.t.Fatalf("history of %s: %v", flow, err)
			}
			if s := e.GetActivityTaskScheduledEventAttributes(); s != nil {
				ids[e.EventId] = s.ActivityId
			}
			if s := e.GetActivityTaskStartedEventAttributes(); s != nil {
				attempts[name[flow+" "+ids[s.ScheduledEventId]]] = s.Attempt
			}
		}
	}
	return attempts
}

func children(run string) []string {
	return []string{run + "/hints", run + "/teacher", run + "/student", run + "/report"}
}

// redone is what the run's result says of the stage's training: "from step 20".
func (o outcome) redone(stage string) string {
	i := slices.IndexFunc(o.result.Stages, func(s workflows.StageResult) bool { return s.Name == stage })
	if i < 0 {
		return ""
	}
	for _, note := range o.result.Stages[i].Redone {
		if _, from, ok := strings.Cut(note, ", from "); ok {
			return from
		}
	}
	return ""
}

// record saves the run's histories for workflows' replay test, where asked to.
func (p *place) record(run, version string) {
	p.t.Helper()
	if *update {
		p.mustHone("histories", run, filepath.Join(root, "workflows/testdata/histories", version))
	}
}

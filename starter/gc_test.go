package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	common "go.temporal.io/api/common/v1"
	workflow "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/mocks"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage/retention"
	"github.com/hone-rl/hone/runs"
)

// TestGC: a plan is only told, a removal removes what the plan said, and a second plan has nothing.
func TestGC(t *testing.T) {
	settle = 0
	t.Cleanup(func() { settle = retention.Settle })
	store := mem.New()
	store.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	for _, run := range []string{"old-1", "old-2", "going-1"} {
		storeRun(t, store, run)
		if run == "going-1" {
			continue
		}
		d, err := store.Resolve(t.Context(), activities.RunName(run, "spec"))
		if err != nil {
			t.Fatal(err)
		}
		name(t, store, activities.RunName(run, "run"), d)
	}
	if _, err := artifacts.PutBytes(t.Context(), store, "", []byte("of no name")); err != nil {
		t.Fatal(err)
	}
	store.Now = func() time.Time { return time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC) }

	collect := func(rules retention.Rules, remove bool) (string, error) {
		var out strings.Builder
		err := (&app{}).collect(t.Context(), &out, store, rules, remove)
		return out.String(), err
	}
	got, err := collect(retention.Rules{Keep: []string{"old-2"}, Drop: []string{"going-1"}}, false)
	want := `run      state  last written         why
going-1  goes   2026-03-01 12:00:00  it is to be dropped
old-1    goes   2026-03-01 12:00:00  no rule keeps it
old-2    kept   2026-03-01 12:00:00  it is to be kept

     kind  go  bytes  stay  bytes
      run                1  245 B
  unnamed   1   10 B
      all   1   10 B     1  245 B
3 names and 1 object go (10 B)
nothing was removed: --remove does it
`
	if err != nil || trimmed(got) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
	if names, err := store.Names(t.Context(), "runs/"); err != nil || len(names) != 5 {
		t.Errorf("a plan left names %v, %v", names, err)
	}
	if got, err := collect(retention.Rules{Keep: []string{"old-2"}, Drop: []string{"going-1"}}, true); err != nil || !strings.HasSuffix(got, "removed 3 names and 1 object\n") {
		t.Errorf("%v, got %s", err, got)
	}
	if names, err := store.Names(t.Context(), "runs/"); err != nil || strings.Join(names, " ") != "runs/old-2/run runs/old-2/spec" {
		t.Errorf("left are %v, %v", names, err)
	}
	// The same again, as after an interruption, finds nothing more, and that the notices of both are young.
	again, err := collect(retention.Rules{Keep: []string{"old-2"}, Drop: []string{"going-1"}}, true)
	if err != nil || !strings.HasSuffix(again, "\nnothing goes\nremoved 0 names and 0 objects\n") {
		t.Errorf("%v, got %s", err, again)
	}
	if _, err := artifacts.PutBytes(t.Context(), store, "", []byte("on its way")); err != nil {
		t.Fatal(err)
	}
	want = "\nno name leads to 1 object (10 B) of what stays: used at 2026-03-08 12:00:00 or later, by the store's clock\nnothing goes\n"
	if got, err := collect(retention.Rules{}, false); err != nil || !strings.HasSuffix(got, want) {
		t.Errorf("%v, got %s, want it to end in %s", err, got, want)
	}
	toldAsRemoved(t, store)

	_, err = collect(retention.Rules{Keep: []string{"nobody-1"}}, true)
	var c coded
	if !asCoded(err, &c) || c.code != exitUsage || !strings.Contains(err.Error(), `"nobody-1": no such run in this store`) {
		t.Errorf("an unknown run: %v", err)
	}
	for _, args := range [][]string{{"--grace", "0s"}, {"--keep-last", "-1"}, {"--keep-within", "0s"}, {"--keep", "../x"}} {
		cmd := command()
		cmd.SetArgs(append([]string{"gc"}, args...))
		if err := cmd.Execute(); !asCoded(err, &c) || c.code != exitUsage {
			t.Errorf("%v: got %v, want wrong usage", args, err)
		}
	}
	_, err = collect(retention.Rules{Drop: []string{"old-2"}, Going: []string{"old-2"}}, true)
	if !asCoded(err, &c) || c.code != exitUsage || !strings.Contains(err.Error(), `"old-2": to be dropped, and it is going on; hone cancel stops it`) {
		t.Errorf("a run that is going on: %v", err)
	}
	raw := output(t, func() { err = (&app{json: true}).collect(t.Context(), nil, store, retention.Rules{}, false) })
	var told struct {
		Runs  []retention.Run `json:"runs"`
		Blobs int             `json:"blobs"`
	}
	if err != nil || json.Unmarshal([]byte(raw), &told) != nil || len(told.Runs) != 1 || told.Runs[0].Why != "no rule is given" || told.Runs[0].State != retention.Kept {
		t.Errorf("%v, got %s", err, raw)
	}
}

// toldAsRemoved: going-1 and old-1 are removed, and nothing says that they are corrupt or unknown.
func toldAsRemoved(t *testing.T, store artifacts.Remover) {
	t.Helper()
	list := func() string {
		t.Helper()
		var out strings.Builder
		if err := (&app{}).list(t.Context(), &out, store); err != nil {
			t.Error(err)
		}
		return trimmed(out.String())
	}
	want := "going-1  removed 2026-03-09\nold-1    removed 2026-03-09\nold-2    finished\n"
	if got := list(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var listed []map[string]any
	raw := output(t, func() {
		if err := (&app{json: true}).list(t.Context(), nil, store); err != nil {
			t.Error(err)
		}
	})
	if err := json.Unmarshal([]byte(raw), &listed); err != nil || len(listed) != 3 || listed[0]["removed"] != "2026-03-09T12:00:00Z" || listed[2]["removed"] != nil {
		t.Errorf("%v, got %s, want when two were removed", err, raw)
	}
	message := "run old-1 was removed by hone gc on 2026-03-09 12:00:00; hone run with its spec makes it anew"
	a := &app{}
	_, _, curve := runs.Training(t.Context(), store, "old-1")
	_, retry := retryInput(t.Context(), store, "old-1")
	for what, err := range map[string]error{
		"report": a.writeReport(t.Context(), store, "old-1"), "curve": refused(curve), "compare": a.compare(t.Context(), store, []string{"old-1"}),
		"lineage": tellLineage(t.Context(), store, "old-1/hints", lineageAsked{format: "text"}), "retry": usage(retry),
	} {
		var c coded
		if !asCoded(err, &c) || c.code != exitUsage || err.Error() != message {
			t.Errorf("%s: got %v, want wrong usage: %s", what, err, message)
		}
	}
	// Stopped in the midst, and begun anew.
	d, err := artifacts.PutBytes(t.Context(), store, "", []byte("on its way"))
	if err != nil {
		t.Fatal(err)
	}
	name(t, store, activities.RunName("old-1", "hints"), d.Digest)
	if got := list(); !strings.Contains(got, "\nold-1    removed in part     hints\n") {
		t.Errorf("got\n%s\nwant old-1 removed in part", got)
	}
	name(t, store, activities.RunName("old-1", "spec"), d.Digest)
	if got := list(); !strings.Contains(got, "\nold-1    not finished") {
		t.Errorf("got\n%s\nwant old-1 as it is", got)
	}
	for _, stage := range []string{"spec", "hints"} {
		if err := store.RemoveName(t.Context(), activities.RunName("old-1", stage)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRunsGoing: the runs of all workflows that are running, over pages, each once.
func TestRunsGoing(t *testing.T) {
	page := func(next string, ids ...string) *workflowservice.ListWorkflowExecutionsResponse {
		res := &workflowservice.ListWorkflowExecutionsResponse{NextPageToken: []byte(next)}
		for _, id := range ids {
			res.Executions = append(res.Executions, &workflow.WorkflowExecutionInfo{Execution: &common.WorkflowExecution{WorkflowId: id}})
		}
		return res
	}
	c := mocks.NewClient(t)
	asked := func(token string) any {
		return mock.MatchedBy(func(in *workflowservice.ListWorkflowExecutionsRequest) bool {
			return in.Query == "ExecutionStatus = 'Running'" && string(in.NextPageToken) == token
		})
	}
	c.On("ListWorkflow", mock.Anything, asked("")).Return(page("more", "b-1/hints-2", "a-1"), nil).Once()
	c.On("ListWorkflow", mock.Anything, asked("more")).Return(page("", "b-1/grpo/seed-2", "b-1"), nil).Once()
	if got, err := runsGoing(t.Context(), c); err != nil || strings.Join(got, " ") != "a-1 b-1" {
		t.Errorf("got %v, %v, want a-1 and b-1", got, err)
	}
	c.On("ListWorkflow", mock.Anything, asked("")).Return(nil, errors.New("unavailable"))
	if _, err := runsGoing(t.Context(), c); err == nil || !strings.Contains(err.Error(), "ask Temporal which runs are going on: unavailable") {
		t.Errorf("got %v", err)
	}
}

// trimmed has no blanks at the ends of lines.
func trimmed(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(lines, "\n") + "\n"
}

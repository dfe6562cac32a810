package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"

	"github.com/hone-rl/hone/artifacts"
)

// attemptKey finds the attempt in an activity's context.
type attemptKey struct{}

// attempt counts the points of one attempt at an activity.
type attempt struct {
	faults *faults
	of     passed

	mu     sync.Mutex
	counts map[string]int // by point
}

// passPoint passes a point and returns the context to go on with. A worker that was frozen there writes what it was
// about to write whatever has become of its attempt, as a request does that was on its way.
func passPoint(ctx context.Context, point, what string) context.Context {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return ctx
	}
	a.mu.Lock()
	a.counts[point]++
	p := a.of
	p.Point, p.Count, p.What = point, a.counts[point], what
	a.mu.Unlock()
	if a.faults.pass(p) {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// store wraps s with the points around blobs and names.
func (f *faults) store(s artifacts.Store) artifacts.Store {
	if f.dir == "" {
		return s
	}
	return faultyStore{s}
}

type faultyStore struct{ artifacts.Store }

func (s faultyStore) Put(ctx context.Context, mediaType string, r io.ReadSeeker) (artifacts.Descriptor, error) {
	raw, err := io.ReadAll(r)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		return artifacts.Descriptor{}, err
	}
	ctx = passPoint(ctx, pointBlobBefore, string(artifacts.Of(raw)))
	d, err := s.Store.Put(ctx, mediaType, r)
	if err == nil {
		passPoint(ctx, pointBlobAfter, string(d.Digest))
	}
	return d, err
}

func (s faultyStore) Name(ctx context.Context, name string, d artifacts.Digest) error {
	ctx = passPoint(ctx, pointNameBefore, name)
	err := s.Store.Name(ctx, name, d)
	if err == nil {
		passPoint(ctx, pointNameAfter, name)
	}
	return err
}

// interceptors put the points around each activity.
func (f *faults) interceptors() []interceptor.WorkerInterceptor {
	if f.dir == "" {
		return nil
	}
	return []interceptor.WorkerInterceptor{&faultInterceptor{faults: f}}
}

type faultInterceptor struct {
	interceptor.WorkerInterceptorBase
	faults *faults
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (i *faultInterceptor) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	in := &faultActivity{faults: i.faults}
	in.Next = next
	return in
}

// activityName names an activity by its input: Temporal's ids follow from the number of events before, and a kill adds
// some. The name or key in an input stands for the rest of it, which may tell of clocks and of what ended first.
func activityName(kind string, args []any) string {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Errorf("%s: input of %s: %w", faultsVariable, kind, err)) // it came as JSON
	}
	var named []struct{ Name, Key string }
	if json.Unmarshal(raw, &named) == nil && len(named) == 1 && named[0].Name+named[0].Key != "" {
		return kind + ":" + cmp.Or(named[0].Name, named[0].Key)
	}
	return kind + ":" + artifacts.Of(raw).Short()
}

type faultActivity struct {
	interceptor.ActivityInboundInterceptorBase
	faults *faults
}

// Init implements interceptor.ActivityInboundInterceptor.
func (a *faultActivity) Init(out interceptor.ActivityOutboundInterceptor) error {
	muted := &faultHeartbeat{faults: a.faults}
	muted.Next = out
	return a.Next.Init(muted)
}

type faultHeartbeat struct {
	interceptor.ActivityOutboundInterceptorBase
	faults *faults
}

// RecordHeartbeat implements interceptor.ActivityOutboundInterceptor.
func (h *faultHeartbeat) RecordHeartbeat(ctx context.Context, details ...any) {
	if !h.faults.mute() {
		h.Next.RecordHeartbeat(ctx, details...)
	}
}

// ExecuteActivity implements interceptor.ActivityInboundInterceptor.
func (a *faultActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	ctx = context.WithValue(ctx, attemptKey{}, &attempt{
		faults: a.faults, counts: map[string]int{},
		of: passed{
			Workflow: info.WorkflowExecution.ID, Activity: activityName(info.ActivityType.Name, in.Args),
			Type: info.ActivityType.Name, ID: info.ActivityID, Attempt: info.Attempt, PID: os.Getpid(),
		},
	})
	passPoint(ctx, pointStart, "")
	res, err := a.Next.ExecuteActivity(ctx, in)
	if err == nil {
		passPoint(ctx, pointEnd, "")
	}
	return res, err
}

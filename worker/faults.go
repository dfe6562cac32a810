package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"

	"github.com/hone-rl/hone/artifacts"
)

// faultsVariable names a folder with a file "armed": one fault a line, "ACTIVITY POINT COUNT". The worker kills
// itself (SIGKILL, nothing is flushed) when the first line's activity passes its point for the COUNTth time, having
// moved the line to "hit". It is how tests show that nothing is lost; without the variable nothing is wrapped.
const faultsVariable = "HONE_FAULTS"

// The points where a worker can be killed.
const (
	pointStart      = "start"       // the activity has begun and done nothing
	pointBlobBefore = "blob-before" // before a blob is uploaded
	pointBlobAfter  = "blob-after"  // after it, before anything refers to it
	pointNameBefore = "name-before" // before a result is published
	pointNameAfter  = "name-after"  // published, not yet reported
	pointEnd        = "end"         // the activity is done, Temporal does not know yet
)

type faults struct {
	dir string

	mu                     sync.Mutex
	activity, point, armed string
	count                  int
}

func faultsFromEnv() (*faults, error) {
	f := &faults{dir: os.Getenv(faultsVariable)}
	if f.dir == "" {
		return f, nil
	}
	return f, f.next()
}

// next arms the first line of the file.
func (f *faults) next() error {
	raw, err := os.ReadFile(filepath.Join(f.dir, "armed"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", faultsVariable, err)
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	if line == "" {
		return nil
	}
	parts := strings.Fields(line)
	if len(parts) != 3 {
		return fmt.Errorf("%s: line %q: expected ACTIVITY POINT COUNT", faultsVariable, line)
	}
	if f.count, err = strconv.Atoi(parts[2]); err != nil {
		return fmt.Errorf("%s: line %q: %w", faultsVariable, line, err)
	}
	f.activity, f.point, f.armed = parts[0], parts[1], line
	return nil
}

// pass notes that a point is passed, and kills if it is the armed one.
func (f *faults) pass(ctx context.Context, point string) {
	if f.dir == "" || !activity.IsActivity(ctx) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.armed == "" || f.point != point || f.activity != activity.GetInfo(ctx).ActivityType.Name {
		return
	}
	if f.count--; f.count > 0 {
		return
	}
	f.hit()
}

// hit moves the line and kills the process. What cannot be moved would kill again and again, so it ends otherwise.
func (f *faults) hit() {
	armed := filepath.Join(f.dir, "armed")
	raw, err := os.ReadFile(armed)
	if err == nil {
		_, rest, _ := bytes.Cut(raw, []byte("\n"))
		err = os.WriteFile(armed, rest, 0o644)
	}
	if err == nil {
		var log *os.File
		if log, err = os.OpenFile(filepath.Join(f.dir, "hit"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
			fmt.Fprintln(log, f.armed)
			err = log.Close()
		}
	}
	if err != nil {
		panic(fmt.Errorf("%s: %w", faultsVariable, err))
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
}

// store wraps s with the points around blobs and names.
func (f *faults) store(s artifacts.Store) artifacts.Store {
	if f.dir == "" {
		return s
	}
	return &faultyStore{Store: s, faults: f}
}

type faultyStore struct {
	artifacts.Store
	faults *faults
}

func (s *faultyStore) Put(ctx context.Context, mediaType string, r io.ReadSeeker) (artifacts.Descriptor, error) {
	s.faults.pass(ctx, pointBlobBefore)
	d, err := s.Store.Put(ctx, mediaType, r)
	if err == nil {
		s.faults.pass(ctx, pointBlobAfter)
	}
	return d, err
}

func (s *faultyStore) Name(ctx context.Context, name string, d artifacts.Digest) error {
	s.faults.pass(ctx, pointNameBefore)
	err := s.Store.Name(ctx, name, d)
	if err == nil {
		s.faults.pass(ctx, pointNameAfter)
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

type faultActivity struct {
	interceptor.ActivityInboundInterceptorBase
	faults *faults
}

// ExecuteActivity implements interceptor.ActivityInboundInterceptor.
func (a *faultActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	a.faults.pass(ctx, pointStart)
	res, err := a.Next.ExecuteActivity(ctx, in)
	if err == nil {
		a.faults.pass(ctx, pointEnd)
	}
	return res, err
}

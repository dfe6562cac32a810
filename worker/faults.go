package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hone-rl/hone/env"
)

// faultsVariable names a folder, for tests that nothing is lost when workers are. The worker appends every point
// that its activities pass to the file "passed" there, a JSON object a line. At a point that a line of the file
// "armed" names, "WORKFLOW ACTIVITY POINT COUNT|WHAT kill|stop|stack", it appends that line to "hit" and takes itself
// down: by SIGKILL, so that nothing is flushed; by SIGSTOP, so that it is thought lost and may come back; or with the
// local stack that started it, by SIGKILL to that. A line takes effect once. While a file "mute-PID" is there, with its
// process, its activities go on and nobody hears of it. A game that a line of the file "hung" names never opens. Without the variable nothing is wrapped.
const faultsVariable = "HONE_FAULTS"

// The points of an activity. They count from 1 within an attempt; those around blobs and names also say what it is
// about, a digest or a name, which is the same in an attempt that goes on from a checkpoint.
const (
	pointStart      = "start"       // it has begun and done nothing
	pointBlobBefore = "blob-before" // before a blob is uploaded
	pointBlobAfter  = "blob-after"  // after it, before anything refers to it
	pointNameBefore = "name-before" // before a result is published
	pointNameAfter  = "name-after"  // published, not yet reported
	pointEnd        = "end"         // it is done, Temporal does not know yet
)

// The ways of going down.
const (
	faultKill  = "kill"
	faultStop  = "stop"
	faultStack = "stack"
)

// passed is a line of the file of that name.
type passed struct {
	Workflow string `json:"workflow"`
	Activity string `json:"activity"` // the same in every run of the workflow
	Type     string `json:"type"`
	ID       string `json:"id"` // of the activity in this run's history
	Attempt  int32  `json:"attempt"`
	Point    string `json:"point"`
	Count    int    `json:"count"`
	What     string `json:"what,omitempty"`
	PID      int    `json:"pid"`
}

type faults struct {
	dir string
	log *os.File

	mu    sync.Mutex        // held until a worker that goes down is down: one fault takes effect at a time
	armed map[string]string // way by "WORKFLOW ACTIVITY POINT COUNT|WHAT"
}

func faultsFromEnv() (*faults, error) {
	f := &faults{dir: os.Getenv(faultsVariable), armed: map[string]string{}}
	if f.dir == "" {
		return f, nil
	}
	lines, err := readLines(filepath.Join(f.dir, "armed"))
	if err == nil {
		f.log, err = openAppend(filepath.Join(f.dir, "passed"))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", faultsVariable, err)
	}
	for _, line := range lines {
		at := strings.LastIndexByte(line, ' ')
		way := line[at+1:]
		if strings.Count(line, " ") != 4 || !slices.Contains([]string{faultKill, faultStop, faultStack}, way) {
			return nil, fmt.Errorf("%s: armed: line %q: expected WORKFLOW ACTIVITY POINT COUNT|WHAT kill|stop|stack", faultsVariable, line)
		}
		f.armed[line[:at]] = way
	}
	return f, nil
}

// pass notes that a point is passed, and takes the worker down if it is an armed one; it returns true if the worker
// has come back. What cannot be noted would take it down again and again, so it ends otherwise.
func (f *faults) pass(p passed) (back bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	line, err := json.Marshal(p)
	if err == nil {
		_, err = f.log.Write(append(line, '\n'))
	}
	if err != nil {
		panic(fmt.Errorf("%s: %w", faultsVariable, err))
	}
	at := fmt.Sprintf("%s %s %s ", p.Workflow, p.Activity, p.Point)
	for _, which := range []string{strconv.Itoa(p.Count), p.What} {
		if way, armed := f.armed[at+which]; armed {
			back = f.down(at+which+" "+way, way) || back
		}
	}
	return back
}

// down takes the worker down once for a line; true if it has come back.
func (f *faults) down(line, way string) bool {
	first, err := f.hit(line)
	switch {
	case err != nil:
		panic(fmt.Errorf("%s: %w", faultsVariable, err))
	case !first:
		return false
	case way == faultStop:
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // a process may always stop itself
		time.Sleep(100 * time.Millisecond)             // it reaches the threads one by one
		return true
	case way == faultStack:
		_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
		select {} // the kernel kills a worker with its stack
	default:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}

// mute says whether heartbeats are to be kept back.
func (f *faults) mute() bool {
	_, err := os.Stat(filepath.Join(f.dir, fmt.Sprint("mute-", os.Getpid())))
	return err == nil
}

// open opens games by next, but for those that hang: they do not even notice that their time is over.
func (f *faults) open(next openGame) openGame {
	if f.dir == "" {
		return next
	}
	return func(ctx context.Context, id string, data []byte) (env.Game, error) {
		hung, err := readLines(filepath.Join(f.dir, "hung"))
		if err != nil {
			panic(fmt.Errorf("%s: %w", faultsVariable, err))
		}
		if slices.Contains(hung, id) {
			select {}
		}
		return next(ctx, id, data)
	}
}

type openGame = func(ctx context.Context, id string, data []byte) (env.Game, error)

// hit notes that the line takes effect; false if it has done so before, here or in another worker.
func (f *faults) hit(line string) (first bool, err error) {
	delete(f.armed, line[:strings.LastIndexByte(line, ' ')])
	file := filepath.Join(f.dir, "hit")
	before, err := readLines(file)
	if err != nil || slices.Contains(before, line) {
		return false, err
	}
	log, err := openAppend(file)
	if err != nil {
		return false, err
	}
	_, err = fmt.Fprintln(log, line)
	return true, errors.Join(err, log.Close())
}

func openAppend(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
}

// readLines are the lines of a file, none if it is not there.
func readLines(file string) ([]string, error) {
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	var lines []string
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		lines = append(lines, scan.Text())
	}
	return lines, scan.Err()
}

package stack

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hone-rl/hone/devserver/stackfile"
)

const (
	// stopWait is longer than the 30 s that a worker gives its activities.
	stopWait = 40 * time.Second
	// A worker that dies is started again after minBackOff, which doubles each time up to maxBackOff and starts anew
	// when it has lived for goodLife.
	minBackOff = 200 * time.Millisecond
	maxBackOff = 5 * time.Second
	goodLife   = 5 * time.Second
)

// worker keeps one worker process running.
type worker struct {
	path, workDir string
	dir           stackfile.Dir
	log           *slog.Logger
	running       bool
	quit, done    chan struct{}
}

func newWorker(path string, dir stackfile.Dir, log *slog.Logger) (*worker, error) {
	found, err := exec.LookPath(path)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err != nil {
		return nil, fmt.Errorf("worker program %s: %w; name another with --worker, or leave it out with --no-worker", path, err)
	}
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return &worker{
		path: found, workDir: wd, dir: dir, log: log.With("part", "worker"),
		quit: make(chan struct{}), done: make(chan struct{}),
	}, nil
}

// run starts the worker and, whenever it dies, again. tell is called with each new process id, 0 in between.
func (w *worker) run(tell func(pid, restarts int)) {
	w.running = true
	go func() {
		defer close(w.done)
		// The kernel kills the worker when the thread that started it ends: this one must not.
		runtime.LockOSThread()
		backOff := minBackOff
		for restarts := 0; ; restarts++ {
			began := time.Now()
			ended, err := w.once(func(pid int) { tell(pid, restarts) })
			if ended {
				return
			}
			if time.Since(began) > goodLife {
				backOff = minBackOff
			}
			w.log.Warn("the worker ended and is started again", "error", err, "after", time.Since(began).Round(time.Millisecond),
				"in", backOff, "log", w.dir.WorkerLog())
			tell(0, restarts)
			select {
			case <-w.quit:
				return
			case <-time.After(backOff):
			}
			backOff = min(2*backOff, maxBackOff)
		}
	}()
}

// local is the environment without what would send the stack's worker to other servers.
func local(environment []string) []string {
	return slices.DeleteFunc(environment, func(v string) bool {
		return strings.HasPrefix(v, "TEMPORAL_") || strings.HasPrefix(v, "AWS_") || strings.HasPrefix(v, "HONE_BUCKET=")
	})
}

// once runs the worker to its end; ended says that it was asked to.
func (w *worker) once(started func(pid int)) (ended bool, err error) {
	log, err := openLog(w.dir.WorkerLog())
	if err != nil {
		return false, err
	}
	defer func() { _ = log.Close() }() // the worker has a handle of its own
	cmd := exec.Command(w.path, "--data", string(w.dir))
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.workDir, log, log
	cmd.Env = local(os.Environ())
	// SIGKILL, which no worker can miss: a new stack starts a new one, and nothing is lost by it. A process group of
	// its own keeps a Ctrl-C at the terminal for the stack, which stops the worker in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	started(cmd.Process.Pid)
	var exitErr error // written before exit is closed
	exit := make(chan struct{})
	go func() {
		defer close(exit)
		exitErr = cmd.Wait()
	}()
	select {
	case <-exit:
		return false, cmp.Or(exitErr, errors.New("exit status 0"))
	case <-w.quit:
	}
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	select {
	case <-exit: // how it ended does not matter any more
	case <-time.After(stopWait):
		w.log.Warn("the worker does not stop and is killed", "pid", cmd.Process.Pid)
		_ = cmd.Process.Kill() // as above
		<-exit
	}
	return true, nil
}

// stop ends the worker, if it was run, and returns when it has.
func (w *worker) stop() {
	if !w.running {
		return
	}
	close(w.quit)
	<-w.done
}

const maxLog = 64 << 20 // bytes; a log of more is put aside at the next start

func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
}

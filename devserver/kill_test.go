package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/devserver/stackfile"
)

func itoa(n int) string { return strconv.Itoa(n) }

func linkWorker(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), testWorker)
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	return link
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
	wait(t, "process "+itoa(pid)+" is gone", func() bool { return gone(pid) })
}

// TestKill: a run ends as if nothing had happened, though its worker is killed twice and the whole stack twice.
func TestKill(t *testing.T) {
	dir := stackfile.Dir(t.TempDir())
	args := []string{"--worker", linkWorker(t)}
	about := up(t, dir, append(freePorts(t), args...)...)
	first := about.Temporal.Address

	done := t.TempDir()
	c := dial(t, about.Temporal.Address)
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "steps", TaskQueue: queue}, stepsWorkflow, done)
	if err != nil {
		t.Fatal(err)
	}
	reach := func(n int) {
		t.Helper()
		wait(t, "step "+itoa(n), func() bool {
			_, err := os.Stat(filepath.Join(done, itoa(n)))
			return err == nil
		})
	}
	workerPID := func() int {
		s, err := dir.Read()
		if err != nil || s.Worker == nil {
			return 0
		}
		return s.Worker.PID
	}
	for i, at := range []int{3, 12, 20, 30} {
		reach(at)
		pid := workerPID()
		if pid == 0 {
			t.Fatal("no worker")
		}
		if i%2 == 0 {
			kill(t, pid)
			wait(t, "another worker", func() bool { p := workerPID(); return p != 0 && p != pid })
			continue
		}
		kill(t, about.PID)
		wait(t, "the worker dies with the stack", func() bool { return gone(pid) })
		// The kernel ends the worker first, and the stack's process is large.
		wait(t, "the stack is stopped", func() bool { return readStatusJSON(t, dir).State == "stopped" })
		about = up(t, dir, args...)
		if about.Temporal.Address != first {
			t.Errorf("Temporal is at %s now, want it where it was, %s", about.Temporal.Address, first)
		}
	}
	var n int
	if err := run.Get(t.Context(), &n); err != nil || n != steps {
		t.Fatalf("got %d, %v, want %d steps", n, err, steps)
	}
	attempts := map[string]int{}
	for i := range steps {
		b, err := os.ReadFile(filepath.Join(done, itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		attempts[strings.TrimSpace(string(b))]++
	}
	delete(attempts, "") // a kill can fall between making a file and writing it
	t.Logf("steps by attempt: %v", attempts)
	if len(attempts) < 5 {
		t.Errorf("%d attempts took steps, want one before and one after each of 4 kills", len(attempts))
	}
	if out, err := honeStack(t, "down", "--data", string(dir)); err != nil {
		t.Fatalf("down: %v\n%s", err, out)
	}
	log, err := os.ReadFile(dir.WorkerLog())
	if err != nil || !strings.HasSuffix(string(log), "worker stopped\n") {
		t.Errorf("worker's log: %v\n%s\nwant that it was stopped, not killed", err, log)
	}
}

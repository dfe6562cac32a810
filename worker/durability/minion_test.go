package durability_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// minion is a worker that is begun again whenever it ends, as a service is.
type minion struct {
	name  string
	place *place
	env   []string
	args  []string

	mu     sync.Mutex
	pid    int // 0 while it is down
	begun  int
	closed bool
	ended  chan struct{}
}

// newMinion begins a worker in a data folder of its own.
func (p *place) newMinion(t *testing.T, name string, env []string, args ...string) *minion {
	t.Helper()
	args = append([]string{"--data", filepath.Join(t.TempDir(), name)}, args...)
	m := &minion{name: name, place: p, env: append(os.Environ(), env...), args: args, ended: make(chan struct{})}
	log, err := os.Create(filepath.Join(p.dir.Logs(), name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	go m.keep(log)
	t.Cleanup(func() {
		m.close()
		<-m.ended
		_ = log.Close()
	})
	return m
}

// keep begins the worker again and again.
func (m *minion) keep(log io.Writer) {
	defer close(m.ended)
	runtime.LockOSThread() // the kernel kills the worker when the thread that started it ends
	for {
		cmd := exec.Command(filepath.Join(m.place.bin, "hone-worker"), m.args...)
		cmd.Env, cmd.Stdout, cmd.Stderr = m.env, log, log
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		m.mu.Lock()
		if m.closed {
			m.mu.Unlock()
			return
		}
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(log, "TestChaos:", err)
		} else {
			m.pid = cmd.Process.Pid
			m.begun++
		}
		m.mu.Unlock()
		if cmd.Process != nil {
			_ = cmd.Wait() // it is killed, or has lost its servers
		}
		m.mu.Lock()
		m.pid = 0
		m.mu.Unlock()
		time.Sleep(300 * time.Millisecond)
	}
}

func (m *minion) close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.signal(syscall.SIGKILL)
}

// signal sends s to the worker and returns its process; 0 if it is down.
func (m *minion) signal(s syscall.Signal) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pid != 0 {
		_ = syscall.Kill(m.pid, s)
	}
	return m.pid
}

// nothing is a log that nobody reads.
func nothing() *log.Logger { return log.New(io.Discard, "", 0) }

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/devserver/stackfile"
	"github.com/hone-rl/hone/internal/freeport"
)

// This test program is hone-stack where asStack is set, and a worker where it is called testWorker: linking the
// server takes long enough once.
const (
	asStack    = "HONE_TEST_AS_STACK"
	testWorker = "test-worker"
)

func TestMain(m *testing.M) {
	switch {
	case filepath.Base(os.Args[0]) == testWorker:
		os.Exit(runTestWorker())
	case os.Getenv(asStack) != "":
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// honeStack runs hone-stack and returns what it prints, stdout and stderr together.
func honeStack(t *testing.T, args ...string) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asStack+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	return out.String(), err
}

// up starts a stack on free ports, to be stopped at the end.
func up(t *testing.T, dir stackfile.Dir, args ...string) *stackfile.Stack {
	t.Helper()
	args = append([]string{"up", "--data", string(dir)}, args...)
	out, err := honeStack(t, args...)
	if err != nil {
		t.Fatalf("up: %v\n%s", err, out)
	}
	s, err := dir.Read()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if pid, err := dir.Holder(); err != nil || pid == 0 {
			return // stopped by the test
		} else if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	})
	return s
}

func freePorts(t *testing.T) []string {
	t.Helper()
	var args []string
	for _, flag := range []string{"--temporal-port", "--ui-port", "--s3-port"} {
		port, err := freeport.Find()
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, flag, strconv.Itoa(port))
	}
	return args
}

func dial(t *testing.T, address string) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: address, Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// wait waits until what it is about is so.
func wait(t *testing.T, about string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("waited a minute in vain: %s", about)
		}
	}
}

// gone says whether the process has ended; one that nobody has waited for yet has.
func gone(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return strings.HasPrefix(state, "Z")
}

func readStatusJSON(t *testing.T, dir stackfile.Dir) status {
	t.Helper()
	out, err := honeStack(t, "status", "--data", string(dir), "--json")
	if err != nil {
		t.Fatalf("status: %v\n%s", err, out)
	}
	var s status
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("status: %v\n%s", err, out)
	}
	return s
}

func count(ctx context.Context, c client.Client, query string) int64 {
	n, err := c.CountWorkflow(ctx, countRequest(query))
	if err != nil {
		return -1
	}
	return n.Count
}

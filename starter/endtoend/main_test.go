// Package endtoend_test runs hone, hone-worker and hone-stack as a person does, on real games, and holds them to what
// they promise where something is wrong: one clear error, or exclusion, and nothing lost. It takes about a minute.
package endtoend_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hone-rl/hone/devserver/stackfile"
	"github.com/hone-rl/hone/internal/freeport"
	"github.com/hone-rl/hone/internal/programs"
)

func TestMain(m *testing.M) {
	for _, pair := range os.Environ() { // a stranger's servers are not asked
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "TEMPORAL_") || strings.HasPrefix(name, "AWS_") || name == "HONE_DATA" || name == "HONE_BUCKET" {
			if err := os.Unsetenv(name); err != nil {
				panic(err)
			}
		}
	}
	code := m.Run()
	if shared.place != nil {
		shared.place.kill()
		if err := os.RemoveAll(filepath.Dir(string(shared.place.dir))); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// place is a data folder with its local stack.
type place struct {
	bin string
	dir stackfile.Dir
}

// answer is what a program printed, stdout and stderr together, and its exit code.
type answer struct {
	text string
	code int
}

// patience bounds each command and each wait.
const patience = 2 * time.Minute

// hone runs hone with more environment.
func hone(t *testing.T, bin string, env []string, args ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "hone"), args...)
	cmd.Env = append(os.Environ(), env...)
	return run(t, cmd)
}

func run(t *testing.T, cmd *exec.Cmd) answer {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out.String())
	}
	return answer{out.String(), cmd.ProcessState.ExitCode()}
}

// hone runs hone on the place.
func (p *place) hone(t *testing.T, args ...string) answer {
	t.Helper()
	return hone(t, p.bin, nil, append([]string{"--data", string(p.dir)}, args...)...)
}

// must is hone where it has to succeed.
func (p *place) must(t *testing.T, args ...string) string {
	t.Helper()
	a := p.hone(t, args...)
	if a.code != 0 {
		t.Fatalf("hone %s: exit code %d\n%s", strings.Join(args, " "), a.code, a.text)
	}
	return a.text
}

// says asserts an exit code and words of the text.
func (a answer) says(t *testing.T, code int, words ...string) {
	t.Helper()
	if a.code != code {
		t.Errorf("exit code %d, want %d\n%s", a.code, code, a.text)
	}
	for _, word := range words {
		if !strings.Contains(a.text, word) {
			t.Errorf("want %q in\n%s", word, a.text)
		}
	}
	if lines := strings.Count(a.text, "hone: "); code != 0 && lines != 1 {
		t.Errorf("%d errors, want one\n%s", lines, a.text)
	}
}

// shared is a stack that tests use in turn.
var shared struct {
	once  sync.Once
	place *place
}

func sharedPlace(t *testing.T) *place {
	t.Helper()
	shared.once.Do(func() {
		bin := programs.Dir(t)
		dir, err := os.MkdirTemp("", "hone-endtoend-") //nolint:usetesting // the stack outlives the test that needs it first
		if err != nil {
			t.Fatal(err)
		}
		shared.place = &place{bin, stackfile.Dir(filepath.Join(dir, "data"))}
		shared.place.up(t)
	})
	if shared.place == nil {
		t.Skip("there is no stack: see the first test")
	}
	return shared.place
}

func (p *place) up(t *testing.T) {
	t.Helper()
	args := []string{"up", "--"}
	for _, flag := range []string{"--temporal-port", "--ui-port", "--s3-port"} {
		args = append(args, flag, freePort(t))
	}
	p.must(t, args...)
}

// kill ends the stack, whatever it is doing.
func (p *place) kill() {
	if pid, err := p.dir.Holder(); err == nil && pid > 0 {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // its group: the worker too
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := freeport.Find()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

// wait waits until what it is about is so.
func wait(t *testing.T, about string, is func() bool) {
	t.Helper()
	for begun := time.Now(); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("waited in vain: %s", about)
		}
	}
}

var (
	digestForm = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
	runForm    = regexp.MustCompile(`(?m)^run (\S+)$`)
)

// digest is the last digest in a text.
func digest(t *testing.T, text string) string {
	t.Helper()
	all := digestForm.FindAllString(text, -1)
	if len(all) == 0 {
		t.Fatalf("no digest in\n%s", text)
	}
	return all[len(all)-1]
}

// runOf is the run's id as hone run prints it first.
func runOf(t *testing.T, text string) string {
	t.Helper()
	found := runForm.FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no run in\n%s", text)
	}
	return found[1]
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

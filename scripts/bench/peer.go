package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/internal/programs"
)

// Peer is a program of this folder that has loaded what it needs and waits for the names of rounds.
type Peer struct {
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *bytes.Buffer
}

// Program is how to start a Peer.
type Program struct {
	Environment string // of the repository: ".venv" or ".venv-bench"
	Python      string // an interpreter in the place of an environment's
	Script      string // of this folder
	Args        []string
	// Spinning has OpenMP's threads wait by spinning, its default. Otherwise they wait as ours do (scripts/env.sh).
	// It is the quicker way where every thread has a processor, and many times slower where processors are shared.
	Spinning bool
}

// Start runs a program until the benchmark ends. Where its environment is missing the benchmark is skipped.
func Start(b *testing.B, program Program) *Peer {
	b.Helper()
	root, err := programs.Root()
	if err != nil {
		b.Fatal(err)
	}
	python := program.Python
	if python == "" {
		if _, err := os.Stat(filepath.Join(root, program.Environment, "stamp")); err != nil {
			b.Skipf("%s needs %s (make setup-dev setup-bench): %v", b.Name(), program.Environment, err)
		}
		python = filepath.Join(root, program.Environment, "bin", "python")
	}
	command := exec.Command(python,
		append([]string{"-B", filepath.Join(root, "scripts", "bench", program.Script)}, program.Args...)...)
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "LD_LIBRARY_PATH=") || // Python brings its own libtorch
			program.Spinning && strings.HasPrefix(v, "OMP_WAIT_POLICY=")
	})
	p := &Peer{stderr: &bytes.Buffer{}}
	command.Stderr = p.stderr
	if p.in, err = command.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(p.in.Close(), command.Wait()); err != nil {
			b.Errorf("%s: %v\n%s", program.Script, err, p.stderr)
		}
	})
	return p
}

// answer is a line of a peer.
type answer struct {
	Wall, CPU float64 // seconds
	Result    any
}

// Round has one done. Only what the peer itself timed counts.
func (p *Peer) Round(b *testing.B, name string) (Cost, any) {
	b.Helper()
	if _, err := fmt.Fprintln(p.in, name); err != nil {
		b.Fatalf("peer: round %s: %v\n%s", name, err, p.stderr)
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		b.Fatalf("peer: round %s: %v\n%s", name, err, p.stderr)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		b.Fatalf("peer: round %s: %q: %v", name, line, err)
	}
	return Cost{seconds(a.Wall), seconds(a.CPU)}, a.Result
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// WriteJSON writes v into a file of its own, which ends with the benchmark.
func WriteJSON(b *testing.B, v any) string {
	b.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "input.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

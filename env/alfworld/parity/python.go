package parity

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	// playsPerProcess bounds what the planning library, which is never unloaded, leaves behind: it grows by some MB a
	// game.
	playsPerProcess = 100
	// keptStderr is how much of what Python prints is told when it ends unexpectedly.
	keptStderr = 2000
)

// Python is ALFWorld's own engine in a process, which is started when it is needed. It belongs to one goroutine.
type Python struct {
	// Limit is how long it may take over one list of commands before it is ended and counts as failed: some grammars
	// have it go round in a circle for ever. 0 means two minutes.
	Limit time.Duration

	root    string
	process *process
}

// NewPython is the engine that scripts/setup-bench.sh brought into the repository at root.
func NewPython(root string) (*Python, error) {
	if _, err := os.Stat(filepath.Join(root, ".venv-bench", "stamp")); err != nil {
		return nil, fmt.Errorf("ALFWorld's engine is missing (scripts/setup-bench.sh brings it): %w", err)
	}
	return &Python{root: root}, nil
}

type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  *tail
	game    [sha256.Size]byte // that it has loaded
	plays   int
}

// Play implements Engine. A process that dies twice, once in a new one, is a fault of the game.
func (p *Python) Play(ctx context.Context, game []byte, commands []string) (Answer, error) {
	a, died, err := p.play(ctx, game, commands)
	if died && err == nil {
		a, _, err = p.play(ctx, game, commands)
	}
	return a, err
}

func (p *Python) play(ctx context.Context, game []byte, commands []string) (a Answer, died bool, err error) {
	if p.process != nil && p.process.plays >= playsPerProcess {
		if err := p.Close(); err != nil {
			return a, false, err
		}
	}
	if p.process == nil {
		if p.process, err = p.start(); err != nil {
			return a, false, fmt.Errorf("starting ALFWorld's engine: %w", err)
		}
	}
	stop := context.AfterFunc(ctx, p.process.kill)
	playLimit := cmp.Or(p.Limit, 2*time.Minute)
	limit := time.AfterFunc(playLimit, p.process.kill)
	line, err := p.process.ask(game, commands)
	if !limit.Stop() {
		err = fmt.Errorf("no answer within %v", playLimit)
	}
	stop()
	if ctx.Err() != nil {
		return a, false, ctx.Err()
	}
	if err != nil {
		a.Fault = fmt.Sprintf("the process ended: %v", errors.Join(err, p.Close()))
		return a, true, nil
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, false, fmt.Errorf("reading ALFWorld's answer %q: %w", line[:min(len(line), 200)], err)
	}
	if a.Fault != "" {
		p.process.game = [sha256.Size]byte{} // perhaps half loaded
	}
	return a, false, nil
}

func (p *Python) start() (*process, error) {
	command := exec.Command(filepath.Join(p.root, ".venv-bench", "bin", "python"), "-B", filepath.Join(p.root, "scripts", "parity", "games.py"))
	q := &process{command: command, stderr: &tail{}}
	command.Stderr = q.stderr
	// The translator's order of some sets follows the hash; ours must not be right by luck, nor wrong by it.
	command.Env = append(os.Environ(), "PYTHONHASHSEED=0")
	var err error
	if q.in, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	q.out = bufio.NewReader(out)
	return q, command.Start()
}

func (q *process) kill() { _ = q.command.Process.Kill() } // it may have ended by itself

func (q *process) ask(game []byte, commands []string) ([]byte, error) {
	ask := struct {
		Game     json.RawMessage `json:"game,omitempty"`
		Commands []string        `json:"commands"`
	}{Commands: append([]string{}, commands...)}
	if sum := sha256.Sum256(game); sum != q.game {
		ask.Game, q.game = game, sum
	}
	q.plays++
	line, err := json.Marshal(ask)
	if err != nil {
		return nil, err
	}
	if _, err := q.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	return q.out.ReadBytes('\n')
}

// Close ends the process. The engine may be used again.
func (p *Python) Close() error {
	q := p.process
	if q == nil {
		return nil
	}
	p.process = nil
	if err := errors.Join(q.in.Close(), q.command.Wait()); err != nil {
		return fmt.Errorf("ALFWorld's engine: %w: %s", err, q.stderr.text)
	}
	return nil
}

// tail keeps the end of what is written.
type tail struct{ text []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	t.text = bytes.Clone(t.text[max(0, len(t.text)-keptStderr):])
	return len(b), nil
}

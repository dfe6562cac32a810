package alfworld_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/env/envtest"
)

// hostile is a game file that wants too much of something.
type hostile struct {
	name  string
	game  func() world
	file  func(t *testing.T) []byte                         // where game is nil
	play  func(ctx context.Context, g *alfworld.Game) error // nil: Start within the default limits
	want  string                                            // in the error; "" is none
	limit env.BudgetError                                   // that the error is, if not zero
	// megabytes is how much memory the process may have held at most, 12 of them its own and the file's text several
	// times over.
	megabytes int
}

// outcome is what came of one, told by the process that tried it.
type outcome struct {
	Error       string
	BadGame     bool
	What        string // of an env.BudgetError
	Limit       int
	Megabytes   int // most that were resident
	Left        int // goroutines left behind
	Nanoseconds time.Duration
}

const (
	hostileName = "HONE_HOSTILE" // the case to try, in the environment of a child
	outcomeMark = "hostile outcome: "
	// hostileClock is only a net: everything below ends by counts.
	hostileClock = time.Minute
	// hostileBytes is the address space of a child, so that a fault here does not take the machine down.
	hostileBytes = 6 << 30
)

// TestHostile gives each hostile game to a process of its own and looks at how it ends and what it took.
func TestHostile(t *testing.T) {
	if name := os.Getenv(hostileName); name != "" {
		tryHostile(t, name)
		return
	}
	for _, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			got := inChild(t, h.name)
			t.Logf("| %s | %.200s | %d ms | %d MB |", h.name, got.Error, got.Nanoseconds.Milliseconds(), got.Megabytes)
			var budget env.BudgetError
			if got.What != "" {
				budget = env.BudgetError{What: got.What, Limit: got.Limit}
			}
			switch {
			case h.want == "" && h.limit.What == "" && got.Error != "":
				t.Errorf("got %q, want it played", got.Error)
			case !strings.Contains(got.Error, h.want) || h.want != "" && !got.BadGame:
				t.Errorf("got %q (bad game: %v), want a bad game and %q", got.Error, got.BadGame, h.want)
			case budget != h.limit:
				t.Errorf("got %q, want %q", got.Error, h.limit.Error())
			}
			if len(got.Error) > 2000 {
				t.Errorf("the error has %d bytes, expected a sentence", len(got.Error))
			}
			if got.Megabytes > h.megabytes && !raceEnabled {
				t.Errorf("took %d MB, want at most %d", got.Megabytes, h.megabytes)
			}
			if got.Left > 0 {
				t.Errorf("%d goroutines are left behind", got.Left)
			}
		})
	}
}

func inChild(t *testing.T, name string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hostileClock)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestHostile$", "-test.count=1")
	cmd.Env = append(os.Environ(), hostileName+"="+name)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out[:min(len(out), 4000)])
	}
	_, text, _ := bytes.Cut(out, []byte(outcomeMark))
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var got outcome
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatalf("%v: %s", err, out[:min(len(out), 4000)])
	}
	return got
}

// tryHostile is the child.
func tryHostile(t *testing.T, name string) {
	if !raceEnabled { // whose shadow memory takes more
		space := syscall.Rlimit{Cur: hostileBytes, Max: hostileBytes}
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &space); err != nil {
			t.Fatal(err)
		}
	}
	var h hostile
	for _, c := range hostiles {
		if c.name == name {
			h = c
		}
	}
	if h.game != nil {
		h.file = h.game().file
	}
	data := h.file(t)
	before := runtime.NumGoroutine()
	begun := time.Now()
	game, err := alfworld.Parse("hostile", data)
	switch {
	case err != nil:
	case h.play == nil:
		_, err = game.Start(t.Context(), env.Limits{})
	default:
		err = h.play(t.Context(), game)
	}
	out := outcome{Nanoseconds: time.Since(begun), Left: envtest.Settle(before) - before, Megabytes: resident(t)}
	if err != nil {
		out.Error, out.BadGame = err.Error(), errors.Is(err, env.ErrBadGame)
		var b *env.BudgetError
		if errors.As(err, &b) {
			out.What, out.Limit = b.What, b.Limit
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdout.WriteString("\n" + outcomeMark + string(text) + "\n")
}

// resident is the most memory that this process has had, in megabytes.
func resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	text, _, _ = strings.Cut(text, "kB")
	kilobytes, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes >> 10
}

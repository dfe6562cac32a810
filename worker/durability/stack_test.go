package durability_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/devserver/stackfile"
	"github.com/hone-rl/hone/internal/freeport"
	"github.com/hone-rl/hone/stack"
)

// patience bounds each wait for a condition; machines that build at the same time are slow.
const patience = 20 * time.Minute

// place is a data folder with its local stack.
type place struct {
	t      *testing.T
	bin    string
	dir    stackfile.Dir
	faults string // folder of the faults, HONE_FAULTS
	flags  []string
}

// newPlace starts a stack on a new data folder. Its workers meet the faults armed.
func newPlace(t *testing.T, armed []string, flags ...string) *place {
	t.Helper()
	return newPlaceOn(t, armed, func(stackfile.Dir) {}, flags...)
}

// newPlaceOn is newPlace on a folder that is made ready first.
func newPlaceOn(t *testing.T, armed []string, ready func(stackfile.Dir), flags ...string) *place {
	t.Helper()
	p := &place{t: t, bin: programs(t), dir: stackfile.Dir(filepath.Join(t.TempDir(), "data")), faults: t.TempDir()}
	for _, flag := range []string{"--temporal-port", "--ui-port", "--s3-port"} {
		p.flags = append(p.flags, flag, freePort(t))
	}
	p.flags = append(p.flags, flags...)
	var lines strings.Builder
	for _, line := range armed {
		lines.WriteString(line + "\n")
	}
	if err := os.WriteFile(filepath.Join(p.faults, "armed"), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	ready(p.dir)
	p.watchdog()
	p.up()
	t.Cleanup(func() {
		if t.Failed() {
			p.showLogs()
		}
		if s, err := p.dir.Last(); err == nil {
			_ = syscall.Kill(-s.PID, syscall.SIGKILL) // stopped by the test otherwise
		}
		p.await("the stack's end", p.down)
	})
	return p
}

// watchdog kills the stack when this test program dies without its clean-up, as it does at its time limit.
func (p *place) watchdog() {
	dog := exec.Command("sh", "-c", `cat; kill -s KILL "$(cat "$0")"`, p.dir.Lock())
	dog.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := dog.StdinPipe() // is closed when this program ends, in whatever way
	if err == nil {
		err = dog.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = dog.Process.Kill() // first, or it would bite
		_ = dog.Wait()
		_ = pipe.Close()
	})
}

// hone runs hone on the place and returns what it prints.
func (p *place) hone(args ...string) (string, error) {
	cmd := exec.CommandContext(p.t.Context(), filepath.Join(p.bin, "hone"), append([]string{"--data", string(p.dir)}, args...)...)
	cmd.Env = append(os.Environ(), "HONE_FAULTS="+p.faults)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func (p *place) mustHone(args ...string) string {
	p.t.Helper()
	out, err := p.hone(args...)
	if err != nil {
		p.t.Fatalf("hone %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// up starts the stack. That its worker ends at once is what hone says when a fault meets it at its start.
func (p *place) up() {
	p.t.Helper()
	out, err := p.hone(append([]string{"up", "--"}, p.flags...)...)
	if _, running := p.dir.Read(); err != nil && (running != nil || !strings.Contains(out, "its worker ends at once")) {
		p.t.Fatalf("hone up: %v\n%s", err, out)
	}
}

// down says whether no stack runs on the place.
func (p *place) down() bool {
	pid, err := p.dir.Holder()
	return err == nil && pid == 0
}

// worker starts one more worker, which dies with this program.
func (p *place) worker(name string, flags ...string) {
	p.t.Helper()
	log, err := os.Create(filepath.Join(p.dir.Logs(), name+".log"))
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(p.bin, "hone-worker"), append([]string{"--data", string(p.dir)}, flags...)...)
	cmd.Env = append(os.Environ(), "HONE_FAULTS="+p.faults)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // the kernel kills the worker when the thread that started it ends
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it is killed in the end
		}
	}()
	if err := <-started; err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		_ = log.Close()
	})
}

func (p *place) config() *stack.Config { return &stack.Config{Data: string(p.dir)} }

func (p *place) client() client.Client {
	p.t.Helper()
	c, err := p.config().Dial(p.t.Context(), client.Options{Logger: quiet{}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(c.Close)
	return c
}

func (p *place) store() artifacts.Store {
	p.t.Helper()
	s, err := p.config().Store(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// await waits until is holds.
func (p *place) await(what string, is func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("waited %s in vain for %s", patience, what)
		}
	}
}

func (p *place) logs() map[string]string {
	logs := map[string]string{}
	names, err := filepath.Glob(filepath.Join(p.dir.Logs(), "*.log"))
	if err != nil {
		p.t.Error(err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			p.t.Error(err)
		}
		logs[filepath.Base(name)] = string(raw)
	}
	return logs
}

func (p *place) showLogs() {
	for name, text := range p.logs() {
		lines := strings.Split(text, "\n")
		p.t.Logf("the end of %s:\n%s", name, strings.Join(lines[max(0, len(lines)-30):], "\n"))
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

// exitCode is the exit code of a command that has ended, 0 if err is nil.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	default:
		return -1
	}
}

type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

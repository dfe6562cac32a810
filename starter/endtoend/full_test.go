package endtoend_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/devserver/stackfile"
	"github.com/hone-rl/hone/internal/programs"
)

// small makes a disk of its own out of a folder.
func small(t *testing.T, dir, size string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skipf("needs to mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// lines collects what a program prints while it runs.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestDiskFull: an upload to a full disk is one clear error, and a run in whose midst the disk fills says so, waits,
// and goes on by itself when there is room. Nothing that was stored is lost.
func TestDiskFull(t *testing.T) {
	bin := programs.Dir(t)
	root, _ := goldenTrials(t, 6)
	p := &place{bin, stackfile.Dir(filepath.Join(t.TempDir(), "data"))}
	small(t, p.dir.Objects(), "12m")
	t.Cleanup(p.kill)
	p.up(t)

	filler := filepath.Join(p.dir.Objects(), ".filler")
	fill := func() {
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1 << 20, 4 << 10} {
			for err = nil; err == nil; {
				_, err = f.Write(make([]byte, size))
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	spec := write(t, filepath.Join(t.TempDir(), "spec.yaml"), homeSpec+smallModel)
	out := p.must(t, "run", spec, "--until", "panels")
	fill()
	p.hone(t, "games", "import", root).says(t, 1, "no space left in the store")
	p.hone(t, "audit", "--all").says(t, 0, "all is well")

	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "hone"), "--data", string(p.dir), "run", spec, "--until", "hints")
	var seen lines
	cmd.Stdout, cmd.Stderr = &seen, &seen
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, "the run says that the disk is full", func() bool {
		return strings.Contains(seen.String(), "no space left in the store")
	})
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(seen.String(), "has stopped after hints") {
		t.Errorf("got %v, want the run to go on and stop after hints\n%s", err, seen.String())
	}
	p.must(t, "games", "import", root)
	p.hone(t, "audit", runOf(t, out)).says(t, 0, "all is well")
	p.hone(t, "audit", "--all").says(t, 0, "all is well")
}

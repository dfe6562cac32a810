package regular_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hone-rl/hone/internal/regular"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"five": "12345", "none": ""} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", at("s"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	for link, to := range map[string]string{"to-five": "five", "to-device": "/dev/zero", "to-pipe": "pipe", "to-nothing": "nothing"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path, want, says string
		limit            int64
	}{
		{at("five"), "12345", "", 5},
		{at("to-five"), "12345", "", 100},
		{at("none"), "", "", 0},
		{at("five"), "", at("five") + ": 5 bytes, expected at most 4", 4},
		{dir, "", dir + ": a folder, expected a regular file", 100},
		{at("pipe"), "", at("pipe") + ": a pipe, expected a regular file", 100},
		{at("to-pipe"), "", at("to-pipe") + ": a pipe, expected a regular file", 100},
		{at("to-device"), "", at("to-device") + ": a device, expected a regular file", 100},
		{"/dev/zero", "", "/dev/zero: a device, expected a regular file", 100},
		{"/proc/self/status", "", "/proc/self/status: more than its 0 bytes, expected a file that stays", 100},
		{at("s"), "", at("s") + ": a socket, expected a regular file", 100},
		{at("to-nothing"), "", "no such file", 100},
	} {
		got, err := regular.Read(c.path, c.limit)
		switch {
		case c.says == "" && (err != nil || string(got) != c.want):
			t.Errorf("%s: got %q, %v, want %q", c.path, got, err, c.want)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want an error with %q", c.path, err, c.says)
		}
	}
}

package official

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// offline is what to do where the package cannot be downloaded.
const offline = "download alfworld " + Version + " elsewhere (pip download --no-deps alfworld==" + Version + ") and name the wheel with --package"

// Download brings the package's wheel with python3's pip, from wherever pip is set up to look, into a folder that is
// removed again, and reads it. Nothing is installed. Python is run as python names it.
func Download(ctx context.Context, python string) (files *Files, err error) {
	if _, err := exec.LookPath(python); err != nil {
		return nil, fmt.Errorf("downloading alfworld's package: no %s on the PATH, expected Python 3 with pip; or %s", python, offline)
	}
	if out, err := pip(ctx, python, "--version"); ctx.Err() != nil {
		return nil, ctx.Err()
	} else if err != nil {
		return nil, fmt.Errorf("downloading alfworld's package: %s has no pip (%s); install it, or %s", python, out, offline)
	}
	temp, err := os.MkdirTemp("", "alfworld-package-")
	if err != nil {
		return nil, fmt.Errorf("downloading alfworld's package: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	want := filepath.Join(temp, "requirements.txt")
	if err := os.WriteFile(want, []byte("alfworld=="+Version+" --hash=sha256:"+wheelDigest+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("downloading alfworld's package: %w", err)
	}
	// Only files are taken from the wheel, so it does not matter which Python it is for.
	out, err := pip(ctx, python, "download", "--no-deps", "--only-binary=:all:", "--require-hashes", "--ignore-requires-python",
		"--retries", "2", "--quiet", "--progress-bar", "off", "--dest", temp, "--requirement", want)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("downloading alfworld's package: pip says %s; if this machine has no way to a package index, %s", out, offline)
	}
	return Open(filepath.Join(temp, wheelName))
}

// pip runs python's pip and returns what it said last, for an error. Its settings are the user's.
func pip(ctx context.Context, python string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, python, append([]string{"-m", "pip", "--disable-pip-version-check", "--no-input"}, args...)...)
	cmd.Env = append(os.Environ(), "PIP_REQUIRE_VIRTUALENV=false") // nothing is installed
	cmd.WaitDelay = 5 * time.Second                                // a child of pip may hold its output open
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return last(out.String()), err
}

// last is the end of a program's output in one line: its errors where it marks them so.
func last(text string) string {
	var lines, marked []string
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			continue
		}
		lines = append(lines, line)
		if strings.HasPrefix(line, "ERROR:") || len(marked) > 0 { // what follows an error belongs to it
			marked = append(marked, strings.TrimPrefix(line, "ERROR: "))
		}
	}
	if len(marked) > 0 {
		lines = marked
	}
	const most = 6
	return strings.Join(lines[max(0, len(lines)-most):], " ")
}

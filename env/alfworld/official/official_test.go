package official

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/internal/outside"
)

// wheel is an archive of the given files, and parts that expect them.
func wheel(t *testing.T, texts map[string]string) ([]byte, []part) {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	list := append([]part(nil), parts...)
	for i := range list {
		text, ok := texts[list[i].name]
		sum := sha256.Sum256([]byte(text))
		list[i].digest = hex.EncodeToString(sum[:])
		if !ok {
			continue
		}
		w, err := z.Create(list[i].entry)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), list
}

func write(t *testing.T, path string, data []byte, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, data, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUnpack(t *testing.T) {
	whole := map[string]string{DomainName: "(define", GrammarName: "grammar ::", LicenseName: "MIT"}
	read := func(texts map[string]string, change func([]part)) (*Files, error) {
		data, list := wheel(t, texts)
		if change != nil {
			change(list)
		}
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return unpack(z, list)
	}
	if got, err := read(whole, nil); err != nil || *got != (Files{"(define", "grammar ::", "MIT"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, tt := range map[string]struct {
		texts  map[string]string
		change func([]part)
		words  []string
	}{
		"an entry is missing": {map[string]string{DomainName: "(define", LicenseName: "MIT"}, nil, []string{"alfworld/data/alfred.twl2", "file does not exist"}},
		"another text": {
			whole, func(p []part) { p[0].digest = strings.Repeat("0", 64) },
			[]string{"alfworld/data/alfred.pddl", "sha256 is 2b", "expected 0000"},
		},
		"a bomb": {map[string]string{DomainName: strings.Repeat("0", maxEntry+1)}, nil, []string{"alfred.pddl", "more than 1048576 bytes"}},
	} {
		_, err := read(tt.texts, tt.change)
		for _, word := range tt.words {
			word = strings.Replace(word, "2b", hex.EncodeToString(sum("(define"))[:2], 1)
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: got %v, want %q in it", name, err, word)
			}
		}
	}
}

func sum(text string) []byte {
	s := sha256.Sum256([]byte(text))
	return s[:]
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	data, _ := wheel(t, map[string]string{DomainName: "x"})
	for name, tt := range map[string]struct {
		path, words string
		other       bool
	}{
		"another wheel": {write(t, filepath.Join(dir, "other.whl"), data, 0o600), "sha256 is " + hex.EncodeToString(sum(string(data))) + ", expected " + wheelDigest, true},
		"a folder":      {dir, "is no regular file, expected the wheel alfworld-0.4.2-py3-none-any.whl", false},
		"nothing":       {filepath.Join(dir, "none.whl"), "no such file", false},
	} {
		_, err := Open(tt.path)
		if err == nil || !strings.Contains(err.Error(), tt.words) || !strings.Contains(err.Error(), tt.path) || errors.Is(err, ErrOther) != tt.other {
			t.Errorf("%s: got %v, want %q", name, err, tt.words)
		}
	}
}

// TestReadDir reads the two files where they lie beside the repository, and no others.
func TestReadDir(t *testing.T) {
	dir := outside.Shared(t, "alfworld-games")
	files, err := ReadDir(dir)
	if err != nil || !strings.Contains(files.Domain, "(define (domain alfred)") || strings.Count(files.Grammar, "UNKNOWN GOAL") != 1 {
		t.Errorf("got %d and %d bytes, %v", len(files.Domain), len(files.Grammar), err)
	}
	if _, err := ReadDir(filepath.Join(dir, "legacy")); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "alfred.pddl: not the pinned file") {
		t.Errorf("the old vintage: got %v, want %v", err, ErrOther)
	}
}

// TestInstalled reads them out of the Python engine, where it is.
func TestInstalled(t *testing.T) {
	files, err := Installed(filepath.Join("..", "..", "..", ".venv-bench"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Logf("make setup-bench brings it: %v", err)
	case err != nil || files.Domain == "" || files.Grammar == "":
		t.Errorf("got %+v, %v", files, err)
	}
	venv := t.TempDir()
	if _, err := Installed(venv); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), venv) {
		t.Errorf("an empty folder: got %v", err)
	}
	data := filepath.Join(venv, "lib", "python3.11", "site-packages", "alfworld", "data")
	if err := os.MkdirAll(data, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(data, DomainName), []byte("(define)"), 0o600)
	if _, err := Installed(venv); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), filepath.Join(data, DomainName)) {
		t.Errorf("another domain: got %v", err)
	}
}

// TestSameHash: the wheel is the one that the Python engine of make parity is set up with.
func TestSameHash(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "scripts", "bench-requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "alfworld==" + Version + " \\\n    --hash=sha256:" + wheelDigest + "\n"; !strings.Contains(string(text), want) {
		t.Errorf("bench-requirements.txt lacks %q", want)
	}
}

// python is a program that stands for Python: it answers pip --version, and pip download with what script does.
func python(t *testing.T, script string) string {
	t.Helper()
	return write(t, filepath.Join(t.TempDir(), "python"), []byte("#!/bin/sh\ncase \"$*\" in *--version*) exit 0;; esac\n"+script+"\n"), 0o755)
}

func TestDownloadFails(t *testing.T) {
	nopip := write(t, filepath.Join(t.TempDir(), "python"), []byte("#!/bin/sh\necho $0: No module named pip >&2; exit 1\n"), 0o755)
	for name, tt := range map[string]struct {
		python string
		words  []string
	}{
		"no python":  {"python-that-is-not-there", []string{"no python-that-is-not-there on the PATH", "--package"}},
		"no pip":     {nopip, []string{"has no pip", "No module named pip", "--package"}},
		"no network": {python(t, "echo 'WARNING: Retrying'; echo 'ERROR: No matching distribution found' >&2; exit 1"), []string{"pip says No matching distribution found;", "--package"}},
		"another wheel": {
			python(t, `while [ "$1" != --dest ]; do shift; done; echo x > "$2/alfworld-0.4.2-py3-none-any.whl"`),
			[]string{"sha256 is 73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac", "expected " + wheelDigest},
		},
	} {
		files, err := Download(t.Context(), tt.python)
		for _, word := range tt.words {
			if err == nil || files != nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: got %v, want %q in it", name, err, word)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
	defer cancel()
	if _, err := Download(ctx, python(t, "exec sleep 60")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("interrupted: got %v", err)
	}
}

// TestDownload brings the real package, where there is a way to one.
func TestDownload(t *testing.T) {
	files, err := Download(t.Context(), "python3")
	if err != nil {
		if os.Getenv("CI") == "true" || errors.Is(err, ErrOther) {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if !strings.HasPrefix(files.License, "MIT License\n") || files.Domain == "" || files.Grammar == "" {
		t.Errorf("got %d, %d bytes and %.20q", len(files.Domain), len(files.Grammar), files.License)
	}
}

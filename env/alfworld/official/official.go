// Package official has the domain and grammar of ALFWorld itself, read out of its Python package. Both are pinned to
// the bytes that the golden transcripts were made with; they are MIT-licensed work of ALFWorld's authors and no part
// of Hone.
package official

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Version is the package's release.
const Version = "0.4.2"

const (
	// wheelDigest is the sha256 of the release's one wheel, as scripts/bench-requirements.txt has it.
	wheelDigest = "29affbea28f6041d1e8516ed3efd6b55becd52cfca4fb9dd5c75b9d6b8a56c2f"
	wheelName   = "alfworld-" + Version + "-py3-none-any.whl"
	// maxEntry bounds what is unpacked of one file, in bytes; the longest has 17 kB.
	maxEntry = 1 << 20
)

// The names of the files in a folder of games.
const (
	DomainName  = "alfred.pddl"
	GrammarName = "alfred.twl2"
	LicenseName = "LICENSE.alfworld"
)

// Files are the texts that are taken from the package.
type Files struct {
	Domain  string // alfred.pddl
	Grammar string // alfred.twl2, with "UNKNOWN GOAL" where the task sentence goes
	License string // "" where only the first two were read
}

// part is one file of the package.
type part struct {
	entry, name, digest string // in the wheel, in a folder, sha256
	text                func(*Files) *string
}

var parts = []part{
	{
		"alfworld/data/alfred.pddl", DomainName, "f1473041ed01da514de1f87adfd7ef0804862361f83ccf63c75e43633b0eb280",
		func(f *Files) *string { return &f.Domain },
	},
	{
		"alfworld/data/alfred.twl2", GrammarName, "c5b22f0f73309a7fd7c8e5b71de42ad4803b60766ab4a51cc2feb34162be036b",
		func(f *Files) *string { return &f.Grammar },
	},
	{
		"alfworld-" + Version + ".dist-info/LICENSE", LicenseName, "0bdf8c0558499c192b6ab55818e99e91ef0eb02c6e2d19d907b3f2e14df40590",
		func(f *Files) *string { return &f.License },
	},
}

// ErrOther is the error of a file that is not the pinned one: got and want are told.
var ErrOther = errors.New("not the pinned file")

// Open reads the files out of the package's wheel. The wheel and each file are checked against their sha256.
func Open(wheel string) (*Files, error) {
	f, err := os.Open(wheel)
	if err != nil {
		return nil, fmt.Errorf("reading alfworld's package: %w", err)
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading alfworld's package: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading alfworld's package: %s is no regular file, expected the wheel %s", wheel, wheelName)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, fmt.Errorf("reading alfworld's package %s: %w", wheel, err)
	}
	if err := same(hex.EncodeToString(sum.Sum(nil)), wheelDigest); err != nil {
		return nil, fmt.Errorf("%s is not %s: %w", wheel, wheelName, err)
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("unpacking %s: %w", wheel, err)
	}
	files, err := unpack(z, parts)
	if err != nil {
		return nil, fmt.Errorf("unpacking %s: %w", wheel, err)
	}
	return files, nil
}

// unpack reads parts of an archive.
func unpack(z *zip.Reader, parts []part) (*Files, error) {
	files := &Files{}
	for _, p := range parts {
		text, err := readPart(z, p.entry)
		if err == nil {
			err = p.keep(files, text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.entry, err)
		}
	}
	return files, nil
}

// ReadDir reads alfred.pddl and alfred.twl2 from a folder, such as one of fetched games, and checks their sha256.
func ReadDir(dir string) (*Files, error) {
	files := &Files{}
	for _, p := range parts[:2] {
		text, err := readPart(os.DirFS(dir), p.name)
		if err == nil {
			err = p.keep(files, text)
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", filepath.Join(dir, p.name), err)
		}
	}
	return files, nil
}

// Installed reads them from the package as it is installed in a virtual environment.
func Installed(venv string) (*Files, error) {
	dirs, err := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages", "alfworld", "data"))
	if err != nil {
		return nil, fmt.Errorf("looking for alfworld's package: %w", err)
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("looking for alfworld's package: %s has none: %w", venv, fs.ErrNotExist)
	}
	return ReadDir(dirs[len(dirs)-1])
}

func readPart(from fs.FS, name string) ([]byte, error) {
	f, err := from.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(f, maxEntry+1))
	if err == nil && len(text) > maxEntry {
		err = fmt.Errorf("%w: more than %d bytes", ErrOther, maxEntry)
	}
	return text, err
}

// keep checks a text and puts it in its place.
func (p part) keep(files *Files, text []byte) error {
	sum := sha256.Sum256(text)
	if err := same(hex.EncodeToString(sum[:]), p.digest); err != nil {
		return err
	}
	*p.text(files) = string(text)
	return nil
}

func same(got, want string) error {
	if got != want {
		return fmt.Errorf("%w: sha256 is %s, expected %s", ErrOther, got, want)
	}
	return nil
}

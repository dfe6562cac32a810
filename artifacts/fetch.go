package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const fetchTemp = ".fetch-"

// Fetch makes m's outputs a folder below cacheDir, named by m's digest, and returns its path. Files are verified as
// they are written and the folder appears at once, whole. A folder that is there and has every file in its size is
// used again. Its files are read-only and belong to the cache. Processes may fetch the same artifact at once.
func Fetch(ctx context.Context, s Store, m *Manifest, cacheDir string) (string, error) {
	b, err := Encode(*m)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cacheDir, Of(b).Hex())
	if complete(dir, m) {
		return dir, nil
	}
	if err := os.MkdirAll(cacheDir, 0o755); err != nil {
		return "", err
	}
	sweepTemp(cacheDir)
	temp, err := os.MkdirTemp(cacheDir, fetchTemp)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(temp) }() // gone already when all went well
	for _, out := range m.Outputs {
		if err := fetchFile(ctx, s, out, filepath.Join(temp, filepath.FromSlash(out.Name))); err != nil {
			return "", fmt.Errorf("fetch %s of %s %s: %w", out.Name, m.Kind, Of(b).Short(), err)
		}
	}
	if err := install(temp, dir, m); err != nil {
		return "", fmt.Errorf("fetch %s %s: %w", m.Kind, Of(b).Short(), err)
	}
	return dir, nil
}

// install moves the fetched folder to its place, out of which it clears an incomplete one.
func install(temp, dir string, m *Manifest) error {
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	err := os.Rename(temp, dir)
	if err == nil || complete(dir, m) { // another process may have been first
		return nil
	}
	aside, err := os.MkdirTemp(filepath.Dir(dir), fetchTemp)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(aside) }() // swept later otherwise
	if err := os.Rename(dir, filepath.Join(aside, "old")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(temp, dir); err != nil && !complete(dir, m) {
		return err
	}
	return nil
}

func complete(dir string, m *Manifest) bool {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return false
	}
	for _, out := range m.Outputs {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(out.Name)))
		if err != nil || !info.Mode().IsRegular() || info.Size() != out.Size {
			return false
		}
	}
	return true
}

func fetchFile(ctx context.Context, s Store, out Output, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	r, err := s.Open(ctx, out.Digest)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // read to its end, or an error is on its way already
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, r)
	if err == nil && n != out.Size {
		err = fmt.Errorf("blob %s: %d bytes, its manifest says %d: %w", out.Digest, n, out.Size, ErrCorrupt)
	}
	if err == nil {
		err = f.Sync() // or a power cut could leave a folder that only looks complete
	}
	return errors.Join(err, f.Close())
}

// sweepTemp clears what fetches that were killed have left. A day is longer than any fetch.
func sweepTemp(cacheDir string) {
	entries, err := os.ReadDir(cacheDir)
	if err != nil {
		return // the fetch itself will say so
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), fetchTemp) && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(filepath.Join(cacheDir, e.Name())) // tried again at the next fetch
		}
	}
}

package hub

import (
	"cmp"
	"crypto/sha1" //nolint:gosec // git's own
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"strings"
)

// sum is a new hash of f's kind. Git's begins with a header that has the size.
func (f File) sum() hash.Hash {
	if f.SHA256 != "" {
		return sha256.New()
	}
	h := sha1.New() //nolint:gosec // git's own
	fmt.Fprintf(h, "blob %d\x00", f.Size)
	return h
}

// check compares a hash of the whole content with the commit's.
func (f File) check(h hash.Hash) error {
	want, kind := f.SHA256, "SHA-256"
	if want == "" {
		want, kind = f.Git, "git SHA-1"
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("%d bytes with %s %s, expected %s: %w", f.Size, kind, got, want, ErrChecksum)
	}
	return nil
}

// whole says whether the file at path is f.
func (f File) whole(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // only read from
	h := f.sum()
	n, err := io.Copy(h, io.LimitReader(file, f.Size+1))
	return err == nil && n == f.Size && f.check(h) == nil, err
}

// own is the endpoint's last answer on the way to resp, which may be another host's.
func (c *Client) own(resp *http.Response) http.Header {
	for r := resp; r != nil; r = r.Request.Response {
		if c.mine(r.Request.URL) {
			return r.Header
		}
	}
	return nil
}

// told completes f by what the hub's own answer says: where it redirects to a file's content in LFS, it has the SHA-256.
// What contradicts the listing is ErrChecksum: the revision changed meanwhile.
func (f File) told(own http.Header, commit string) (File, error) {
	if got := own.Get("X-Repo-Commit"); got != "" && got != commit {
		return f, fmt.Errorf("it is of commit %.60q, expected %s: %w", got, commit, ErrChecksum)
	}
	tag := cmp.Or(own.Get("X-Linked-Etag"), own.Get("ETag"))
	tag = strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
	switch {
	case f.known():
		if hexSHA256.MatchString(tag) && f.SHA256 != "" && tag != f.SHA256 {
			return f, fmt.Errorf("the hub now has SHA-256 %s, its listing said %s: %w", tag, f.SHA256, ErrChecksum)
		}
	case hexSHA256.MatchString(tag):
		f.SHA256 = tag
	case commitHash.MatchString(tag):
		f.Git = tag
	default:
		return f, fmt.Errorf("the hub tells no checksum, neither in its listing nor as X-Linked-Etag: %w", ErrChecksum)
	}
	return f, nil
}

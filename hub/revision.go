package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hone-rl/hone/internal/exact"
)

// Revision is a commit of a repository and the files at its top.
type Revision struct {
	Repository
	Commit  string // 40 hexadecimal digits
	Licence string // as the model card has it: "apache-2.0", or "other (qwen-research, https://…)"; "" if it has none
	Files   []File // sorted by name
}

// File is a file of a commit. It has one of the two checksums, or none where a hub tells it only with the file.
type File struct {
	Name   string
	Size   int64  // bytes
	SHA256 string // hexadecimal, of a file in LFS
	Git    string // hexadecimal, of any other file: git's SHA-1 of the blob
}

// known says whether the file's checksum is.
func (f File) known() bool { return f.SHA256 != "" || f.Git != "" }

// maxAnswer bounds one answer of the hub's API in bytes, maxPages a listing: the hub gives 1,000 files a page.
const (
	maxAnswer = 16 << 20
	maxPages  = 100
)

// Revision asks which commit a revision is, and which files it has. Folders are passed over.
func (c *Client) Revision(ctx context.Context, repo Repository, revision string) (*Revision, error) {
	var info struct {
		Sha  string   `json:"sha"`
		Tags []string `json:"tags"`
		Card card     `json:"cardData"`
	}
	what := fmt.Sprintf("look up %s at %s", repo, revision)
	at := c.base.JoinPath("api", "models", repo.Org, repo.Name, "revision", url.PathEscape(revision))
	if _, err := c.api(ctx, what, at, &info); err != nil {
		return nil, err
	}
	if !IsCommit(info.Sha) {
		return nil, fmt.Errorf("%s: the hub gives commit %.60q: expected 40 hexadecimal digits", what, info.Sha)
	}
	if IsCommit(revision) && info.Sha != revision {
		return nil, fmt.Errorf("%s: the hub gives commit %s: %w", what, info.Sha, ErrChecksum)
	}
	r := &Revision{Repository: repo, Commit: info.Sha, Licence: info.Card.licence(info.Tags)}
	var err error
	r.Files, err = c.files(ctx, r)
	return r, err
}

// card is the front matter of a model card, as far as it is wanted here.
type card struct {
	Licence any    `json:"license"` // one or a list
	Name    string `json:"license_name"`
	Link    string `json:"license_link"`
}

// UnmarshalJSON takes a card of any form: the hub does not keep authors from writing anything.
func (c *card) UnmarshalJSON(text []byte) error {
	type form card
	if err := exact.Unmarshal(text, (*form)(c)); err != nil {
		*c = card{}
	}
	return nil
}

func (c card) licence(tags []string) string {
	var names []string
	switch l := c.Licence.(type) {
	case string:
		names = append(names, l)
	case []any:
		for _, v := range l {
			if s, ok := v.(string); ok {
				names = append(names, s)
			}
		}
	}
	if len(names) == 0 {
		for _, t := range tags {
			if name, ok := strings.CutPrefix(t, "license:"); ok {
				names = append(names, name)
			}
		}
	}
	text := strings.Join(names, ", ")
	if more := slices.DeleteFunc([]string{c.Name, c.Link}, func(s string) bool { return s == "" }); len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return readable(text)
}

// files lists the top of a commit, page by page.
func (c *Client) files(ctx context.Context, r *Revision) ([]File, error) {
	what := fmt.Sprintf("list the files of %s at %s", r.Repository, r.Commit)
	at := c.base.JoinPath("api", "models", r.Org, r.Name, "tree", r.Commit)
	files := map[string]File{}
	for range maxPages {
		var page []entry
		header, err := c.api(ctx, what, at, &page)
		if err != nil {
			return nil, err
		}
		for i, e := range page {
			if e.Type != "file" {
				continue
			}
			f, err := e.file()
			if err != nil {
				return nil, fmt.Errorf("%s: entry %d: %w", what, i, err)
			}
			if _, twice := files[f.Name]; twice {
				return nil, fmt.Errorf("%s: %q stands there twice", what, f.Name)
			}
			files[f.Name] = f
		}
		next := nextPage(header)
		if next == nil {
			all := slices.Collect(maps.Values(files))
			slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
			return all, nil
		}
		// Only where in the list it is: mirrors name the original's host, which is not to be asked.
		at.RawQuery = next.RawQuery
	}
	return nil, fmt.Errorf("%s: more than %d pages", what, maxPages)
}

// entry is a line of a listing.
type entry struct {
	Type string `json:"type"`
	Path string `json:"path"`
	Size int64  `json:"size"`
	OID  string `json:"oid"`
	LFS  *struct {
		OID  string `json:"oid"`
		Size int64  `json:"size"`
	} `json:"lfs"`
}

var hexSHA256 = regexp.MustCompile(`^[0-9a-f]{64}$`)

// file checks a line: a name that leaves the repository, or a checksum that is none, is refused.
func (e entry) file() (File, error) {
	f := File{Name: e.Path, Size: e.Size}
	if e.Path == "" || e.Path != path.Clean(e.Path) || path.IsAbs(e.Path) || strings.HasPrefix(e.Path, "..") ||
		strings.ContainsAny(e.Path, "\\\x00") {
		return f, fmt.Errorf("path %q: expected a file inside the repository", e.Path)
	}
	if e.LFS != nil {
		f.SHA256, f.Size = strings.TrimPrefix(e.LFS.OID, "sha256:"), e.LFS.Size
		if !hexSHA256.MatchString(f.SHA256) {
			return f, fmt.Errorf("file %q: lfs.oid %.80q: expected a SHA-256", e.Path, e.LFS.OID)
		}
	} else if e.OID != "" {
		if f.Git = e.OID; !commitHash.MatchString(f.Git) {
			return f, fmt.Errorf("file %q: oid %.80q: expected a SHA-1", e.Path, e.OID)
		}
	}
	if f.Size < 0 {
		return f, fmt.Errorf("file %q: size %d: expected 0 or more", e.Path, f.Size)
	}
	return f, nil
}

// nextPage is where a listing goes on (RFC 8288: Link: <URL>; rel="next"), nil at its end.
func nextPage(header http.Header) *url.URL {
	for _, link := range strings.Split(strings.Join(header.Values("Link"), ","), ",") {
		target, rel, ok := strings.Cut(link, ">")
		target, open := strings.CutPrefix(strings.TrimSpace(target), "<")
		if ok && open && strings.Contains(rel, `rel="next"`) {
			if u, err := url.Parse(target); err == nil {
				return u
			}
		}
	}
	return nil
}

// api reads an answer of JSON into v. An answer that breaks off is asked for again.
func (c *Client) api(ctx context.Context, what string, at *url.URL, v any) (http.Header, error) {
	for try := 0; ; try++ {
		resp, err := c.get(ctx, what, at, nil)
		if err != nil {
			return nil, err
		}
		raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
		_ = resp.Body.Close() // read, or err says why not
		switch {
		case err != nil && ctx.Err() == nil && try < c.retries:
			c.log.Info("the hub is asked again", "what", what, "reason", err)
			if err := c.pause(ctx, try); err != nil {
				return nil, err
			}
			continue
		case err != nil:
			return nil, fmt.Errorf("%s: %w", what, broken(err))
		case len(raw) > maxAnswer:
			return nil, fmt.Errorf("%s: an answer of more than %d bytes", what, maxAnswer)
		}
		if err := exact.Unmarshal(raw, v); err != nil {
			return nil, fmt.Errorf("%s: %s answers no JSON of the hub's form: %w", what, place(at), err)
		}
		return resp.Header, nil
	}
}

// broken names what net/http calls an unexpected EOF.
func broken(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", ErrTruncated, err)
	}
	return plain(err)
}

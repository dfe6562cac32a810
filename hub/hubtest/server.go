// Package hubtest is a hub on loopback for tests: the part of the protocol that downloads need, and every fault that
// hubs, mirrors and the lines to them have. Large files come from a second server, as on the public hub.
package hubtest

import (
	"crypto/sha1" //nolint:gosec // git's own
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Server is a hub with one repository.
type Server struct {
	URL  string // the hub
	Far  string // the other host, which has the large files
	Org  string
	Name string

	// What may be changed before requests come.

	Page    int    // entries on a page of the listing; 0: all
	Token   string // "" lets everyone in
	Gated   bool   // nobody is let in, a token or not
	Card    any    // cardData
	Listing func([]Entry) []Entry

	mu       sync.Mutex
	refs     map[string]string            // to commits
	commits  map[string]map[string][]byte // to files
	faults   map[string][]Fault
	requests []Request
}

// Request is one that came.
type Request struct {
	Host          string // that it came to: Server.URL's or Server.Far's
	Path          string
	Authorization string
	Range         string
}

// Entry is a line of a listing.
type Entry struct {
	Type string `json:"type"`
	OID  string `json:"oid"`
	Size int64  `json:"size"`
	LFS  *LFS   `json:"lfs,omitempty"`
	Path string `json:"path"`
}

// LFS is what a listing has of a large file.
type LFS struct {
	OID         string `json:"oid"`
	Size        int64  `json:"size"`
	PointerSize int    `json:"pointerSize"`
}

// New starts a hub with an empty repository org/name until the test's end.
func New(t testing.TB, org, name string) *Server {
	t.Helper()
	s := &Server{Org: org, Name: name, refs: map[string]string{}, commits: map[string]map[string][]byte{}, faults: map[string][]Fault{}}
	near, far := http.NewServeMux(), http.NewServeMux()
	repo := org + "/" + name
	near.HandleFunc("GET /api/models/"+repo+"/revision/{revision}", s.revision)
	near.HandleFunc("GET /api/models/"+repo+"/tree/{revision}", s.tree)
	near.HandleFunc("/"+repo+"/resolve/{revision}/{file...}", s.resolve) // HEAD too, which Python's client asks
	near.HandleFunc("GET /api/models/old/name/", s.renamed)
	near.HandleFunc("/old/name/resolve/{revision}/{file...}", s.renamed)
	near.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "RepoNotFound", "Repository not found")
	})
	far.HandleFunc("/lfs/{oid}", s.content)
	for _, side := range []struct {
		mux *http.ServeMux
		url *string
	}{{near, &s.URL}, {far, &s.Far}} {
		server := httptest.NewServer(s.logged(side.mux))
		t.Cleanup(server.Close)
		// What still waits in a fault is let go.
		t.Cleanup(server.CloseClientConnections)
		*side.url = server.URL
	}
	return s
}

// Commit makes a commit of the files, points refs at it and returns its hash, which follows from the content.
func (s *Server) Commit(files map[string][]byte, refs ...string) string {
	h := sha1.New() //nolint:gosec // git's own
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s\x00%d\x00%s", name, len(files[name]), files[name])
	}
	commit := hex.EncodeToString(h.Sum(nil))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits[commit] = maps.Clone(files)
	s.refs[commit] = commit
	for _, ref := range refs {
		s.refs[ref] = commit
	}
	return commit
}

// Change swaps a file of a commit for another content behind its hash, as no honest hub does.
func (s *Server) Change(commit, name string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits[commit][name] = content
}

// Requests are those that came so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, Request{"http://" + r.Host, r.URL.EscapedPath(), r.Header.Get("Authorization"), r.Header.Get("Range")})
		s.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("X-Error-Code", code)
	w.Header().Set("X-Error-Message", message)
	w.WriteHeader(status)
}

// admitted says whether the hub answers the request, and refuses it otherwise, as the public hub words it.
func (s *Server) admitted(w http.ResponseWriter, r *http.Request) bool {
	given := r.Header.Get("Authorization")
	switch {
	case s.Token != "" && given == "":
		refuse(w, http.StatusUnauthorized, "", "Invalid username or password.")
	case s.Token != "" && given != "Bearer "+s.Token:
		refuse(w, http.StatusUnauthorized, "", "Invalid credentials in Authorization header")
	case s.Gated && strings.Contains(r.URL.Path, "/resolve/"):
		refuse(w, http.StatusForbidden, "GatedRepo", "Access to model "+s.Org+"/"+s.Name+" is restricted and you are not in the authorized list.")
	default:
		return !s.fault(w, r)
	}
	return false
}

// at is the commit that a request's revision means, where the hub answers the request.
func (s *Server) at(w http.ResponseWriter, r *http.Request) (string, map[string][]byte, bool) {
	if !s.admitted(w, r) {
		return "", nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	commit, ok := s.refs[r.PathValue("revision")]
	if !ok {
		refuse(w, http.StatusNotFound, "RevisionNotFound", "Invalid rev id: "+r.PathValue("revision"))
	}
	return commit, maps.Clone(s.commits[commit]), ok
}

func (s *Server) revision(w http.ResponseWriter, r *http.Request) {
	if commit, _, ok := s.at(w, r); ok {
		answer(w, map[string]any{"id": s.Org + "/" + s.Name, "sha": commit, "cardData": s.Card, "tags": []string{"license:mit"}, "private": false})
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
}

// Large says whether the hub keeps a file in LFS.
func Large(name string) bool { return strings.HasSuffix(name, ".safetensors") }

func (s *Server) tree(w http.ResponseWriter, r *http.Request) {
	_, files, ok := s.at(w, r)
	if !ok {
		return
	}
	list := []Entry{{Type: "directory", OID: strings.Repeat("0", 40), Path: "original"}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		e := Entry{Type: "file", OID: gitSum(files[name]), Size: int64(len(files[name])), Path: name}
		if Large(name) {
			sum := sha256.Sum256(files[name])
			e.LFS = &LFS{OID: hex.EncodeToString(sum[:]), Size: e.Size, PointerSize: 134}
		}
		list = append(list, e)
	}
	if s.Listing != nil {
		list = s.Listing(list)
	}
	from, err := strconv.Atoi(r.URL.Query().Get("cursor"))
	if err != nil || from < 0 || from > len(list) {
		from = 0
	}
	if to := from + s.Page; s.Page > 0 && to < len(list) {
		// Another host, as mirrors have it: the path is not to be followed.
		w.Header().Set("Link", fmt.Sprintf(`<https://elsewhere.invalid%s?recursive=False&cursor=%d>; rel="next"`, r.URL.Path, to))
		list = list[from:to]
	} else {
		list = list[from:]
	}
	answer(w, list)
}

func gitSum(b []byte) string {
	h := sha1.New() //nolint:gosec // git's own
	fmt.Fprintf(h, "blob %d\x00", len(b))
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// renamed sends to the name that the repository has now.
func (s *Server) renamed(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, strings.Replace(r.URL.RequestURI(), "old/name", s.Org+"/"+s.Name, 1), http.StatusTemporaryRedirect)
}

func (s *Server) resolve(w http.ResponseWriter, r *http.Request) {
	commit, files, ok := s.at(w, r)
	if !ok {
		return
	}
	name := r.PathValue("file")
	content, ok := files[name]
	if !ok {
		refuse(w, http.StatusNotFound, "EntryNotFound", "Entry not found")
		return
	}
	w.Header().Set("X-Repo-Commit", commit)
	if !Large(name) {
		w.Header().Set("ETag", `"`+gitSum(content)+`"`)
		serve(w, r, content)
		return
	}
	sum := sha256.Sum256(content)
	oid := hex.EncodeToString(sum[:])
	w.Header().Set("X-Linked-Etag", `"`+oid+`"`)
	w.Header().Set("X-Linked-Size", strconv.Itoa(len(content)))
	signed := url.Values{"file": {name}, "commit": {commit}, "X-Signature": {"secret"}}
	http.Redirect(w, r, s.Far+"/lfs/"+oid+"?"+signed.Encode(), http.StatusFound)
}

// content is a large file from the other host.
func (s *Server) content(w http.ResponseWriter, r *http.Request) {
	if s.fault(w, r) {
		return
	}
	if r.Header.Get("Authorization") != "" {
		w.WriteHeader(http.StatusBadRequest) // as S3 does, whose signature is in the URL already
		return
	}
	s.mu.Lock()
	content := s.commits[r.URL.Query().Get("commit")][r.URL.Query().Get("file")]
	s.mu.Unlock()
	serve(w, r, content)
}

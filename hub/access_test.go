package hub_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/hub"
	"github.com/hone-rl/hone/hub/hubtest"
)

type (
	http200 = http.ResponseWriter
	req     = http.Request
)

func TestAccess(t *testing.T) {
	const token = "hf_Secret"
	for _, tt := range []struct {
		name, needs, given string
		gated              bool
		repo, revision     string
		err                error
		want               string
	}{
		{name: "no token needed", needs: ""},
		{name: "token", needs: token, given: token},
		{name: "none given", needs: token, err: hub.ErrAccess, want: "set HF_TOKEN or --token-file"},
		{name: "wrong token", needs: token, given: "hf_other", err: hub.ErrAccess, want: "it is wrong or has expired"},
		{name: "gated", needs: token, given: token, gated: true, err: hub.ErrAccess, want: "ask for it on the model's page"},
		{name: "gated, no token", gated: true, err: hub.ErrAccess, want: "without a token"},
		{name: "no such model", repo: "gone", err: hub.ErrNotFound, want: "Repository not found"},
		{name: "no such revision", revision: "v9", err: hub.ErrNotFound, want: "Invalid rev id: v9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := hubtest.New(t, "lab", "tiny")
			s.Commit(files, "main")
			s.Token, s.Gated = tt.needs, tt.gated
			cfg := settings(s)
			cfg.Token = tt.given
			c := client(t, cfg)
			repo, revision := hub.Repository{Org: "lab", Name: "tiny"}, "main"
			if tt.repo != "" {
				repo.Name = tt.repo
			}
			if tt.revision != "" {
				revision = tt.revision
			}
			r, err := c.Revision(t.Context(), repo, revision)
			if err == nil {
				err = c.Download(t.Context(), r, named(t, r, weights), filepath.Join(t.TempDir(), weights), silent)
			}
			if !errors.Is(err, tt.err) || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hf_")) {
				t.Errorf("got %v, want %v with %q, and the token in no error", err, tt.err, tt.want)
			}
			asked := 0
			for _, r := range s.Requests() {
				if far := r.Host == s.Far; far && r.Authorization != "" || !far && tt.given != "" && r.Authorization != "Bearer "+tt.given {
					t.Errorf("%s%s has Authorization %q", r.Host, r.Path, r.Authorization)
				}
				asked++
			}
			if asked == 0 {
				t.Error("nothing was asked")
			}
		})
	}
}

// TestEndpointSecrets: an endpoint with a user, a password or a token is refused and not told.
func TestEndpointSecrets(t *testing.T) {
	for address, want := range map[string]string{
		"https://me:secret@mirror.example": `hub endpoint "https://…@mirror.example": expected no user and no password`,
		"https://secret@mirror.example/":   `hub endpoint "https://…@mirror.example/": expected no user and no password`,
		"https://mirror.example?a=secret":  `hub endpoint "https://mirror.example?…": expected nothing behind the path`,
		"https://me:sec ret@mirror%zz":     `hub endpoint "https://…@mirror%zz": expected http:// or https:// and a host`,
		"me:secret@mirror.example":         `hub endpoint "…@mirror.example": expected http:// or https:// and a host`,
	} {
		if _, err := hub.New(hub.Config{Endpoint: address}); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
	}
}

// TestRedirects: the token stays at the endpoint's own host and port through a redirect away and back, and https is not
// left for http.
func TestRedirects(t *testing.T) {
	var seen []string
	var back *httptest.Server
	away := httptest.NewServer(http.HandlerFunc(func(w http200, r *req) {
		seen = append(seen, "away "+r.Header.Get("Authorization")+r.Header.Get("Referer"))
		http.Redirect(w, r, back.URL+"/end", http.StatusFound)
	}))
	t.Cleanup(away.Close)
	back = httptest.NewServer(http.HandlerFunc(func(w http200, r *req) {
		seen = append(seen, "home "+r.Header.Get("Authorization"))
		if r.URL.Path != "/end" {
			http.Redirect(w, r, away.URL+"/x?signature=1", http.StatusFound)
			return
		}
		if _, err := w.Write([]byte(`{"sha":"no"}`)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(back.Close)
	c := client(t, hub.Config{Endpoint: back.URL + "/", Token: "hf_x"})
	if _, err := c.Revision(t.Context(), hub.Repository{Org: "a", Name: "b"}, "main"); err == nil || !strings.Contains(err.Error(), "expected 40") {
		t.Errorf("got %v", err)
	}
	if got := strings.Join(seen, "; "); got != "home Bearer hf_x; away ; home Bearer hf_x" {
		t.Errorf("seen %s", got)
	}
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http200, r *req) { http.Redirect(w, r, away.URL, http.StatusFound) }))
	t.Cleanup(secure.Close)
	c = client(t, hub.Config{Endpoint: secure.URL, Transport: secure.Client().Transport})
	seen = nil
	_, err := c.Revision(t.Context(), hub.Repository{Org: "a", Name: "b"}, "main")
	if err == nil || !strings.Contains(err.Error(), "redirect refused: from https to http://") || seen != nil {
		t.Errorf("from https to http: got %v, %q", err, seen)
	}
}

func TestConfig(t *testing.T) {
	for _, cfg := range []hub.Config{
		{Endpoint: "huggingface.co"},
		{Endpoint: "ftp://a"},
		{Endpoint: "https://"},
		{Endpoint: "https://user:password@a"},
		{Endpoint: "https://a?b"},
		{Token: "two words"},
		{Token: "line\n"},
		{Stall: -1},
		{Retries: -1},
	} {
		if _, err := hub.New(cfg); err == nil || strings.Contains(err.Error(), "words") {
			t.Errorf("%+v: got %v, want an error without the token", cfg, err)
		}
	}
	c, err := hub.New(hub.Config{Endpoint: "https://mirror.example/hf/"})
	if err != nil || c.Endpoint() != "https://mirror.example/hf" || c.Host() != "mirror.example" {
		t.Errorf("got %v, %v", c, err)
	}
}

var repositories = []struct {
	text     string
	want     string // "" for an error
	revision string
}{
	{"Qwen/Qwen2.5-3B@main", "Qwen/Qwen2.5-3B", "main"},
	{"Qwen/Qwen2.5-3B", "Qwen/Qwen2.5-3B", "main"},
	{"a/b@refs/pr/1", "a/b", "refs/pr/1"},
	{"a/b@c@d", "a/b", "c@d"},
	{"gpt2", "", ""},
	{"a/b/c", "", ""},
	{"../b", "", ""},
	{"a/..", "", ""},
	{"a/b..c", "", ""},
	{"a/b@", "", ""},
	{"a/b@..", "", ""},
	{"a/b@x/../../y", "", ""},
	{"a/b@x y", "", ""},
	{"/b", "", ""},
	{"a/", "", ""},
	{"a/-b", "", ""},
	{"a b/c", "", ""},
	{"a/" + strings.Repeat("b", 97), "", ""},
	{"", "", ""},
}

func TestParseRepository(t *testing.T) {
	for _, tt := range repositories {
		r, revision, err := hub.ParseRepository(tt.text)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%q: got %v@%s, want an error", tt.text, r, revision)
			}
		} else if err != nil || r.String() != tt.want || revision != tt.revision {
			t.Errorf("%q: got %v@%s, %v", tt.text, r, revision, err)
		}
	}
}

// FuzzParseRepository: what is accepted names one place below an endpoint, and reads the same again.
func FuzzParseRepository(f *testing.F) {
	for _, tt := range repositories {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, revision, err := hub.ParseRepository(text)
		if err != nil {
			return
		}
		again, same, err := hub.ParseRepository(r.String() + "@" + revision)
		if err != nil || again != r || same != revision || strings.Contains(text, "..") || filepath.Clean(r.String()) != r.String() {
			t.Errorf("%q: got %v@%s, then %v@%s, %v", text, r, revision, again, same, err)
		}
	})
}

package hub

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"
)

// FuzzListing: what a listing's line is accepted as is a file inside the folder that it is written to, with a size and
// a checksum that can be one.
func FuzzListing(f *testing.F) {
	for _, line := range []string{
		`{"type":"file","oid":"9e26dfeeb6e641a33dae4961196235bdb965b21b","size":2,"path":"config.json"}`,
		`{"type":"file","size":7,"path":"a/b.safetensors","lfs":{"oid":"9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c","size":7}}`,
		`{"type":"file","path":"../x"}`, `{"path":"/x"}`, `{"path":"a\\b"}`, `{"path":"."}`, `{"path":"..."}`, `{"path":"x","size":-1}`, `{"lfs":null}`, `[]`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var e entry
		if json.Unmarshal(line, &e) != nil {
			return
		}
		file, err := e.file()
		if err != nil {
			return
		}
		if !filepath.IsLocal(file.Name) || file.Size < 0 || file.SHA256 != "" && len(file.SHA256) != 64 || file.Git != "" && len(file.Git) != 40 {
			t.Errorf("%s: accepted as %+v", line, file)
		}
	})
}

// FuzzHeaders: no header of an answer makes the client panic, or wait or read backwards.
func FuzzHeaders(f *testing.F) {
	f.Add(`<https://a/b?cursor=2>; rel="next"`, "bytes 5-9/10", "7", `"api";r=0;t=55`)
	f.Add(`<:>; rel="next", <b>; rel="prev"`, "bytes -5/*", "Fri, 31 Dec 1999 23:59:59 GMT", "t=-1")
	f.Add("", "bytes 0-/-2", "", "")
	f.Add("", "bytes 0-/", "99999999999999999999", ";t=999999999999")
	f.Fuzz(func(t *testing.T, link, span, after, limit string) {
		nextPage(http.Header{"Link": {link}})
		if from, total, ok := contentRange(span); ok && (from < 0 || total < -1) {
			t.Errorf("range %q is %d of %d", span, from, total)
		}
		wait, _ := asked(&http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {after}, "Ratelimit": {limit}}})
		if wait < 0 {
			t.Errorf("Retry-After %q, RateLimit %q: %v", after, limit, wait)
		}
	})
}

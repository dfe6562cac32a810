package hubtest

import (
	"bytes"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// Fault answers a request in place of the hub, in some wrong way.
type Fault func(w http.ResponseWriter, r *http.Request, content []byte)

// Break lets the next requests for a file's content meet faults, one each, in this order; those after them are served
// as they should be. For a large file it is the other host that breaks. The names "revision" and "tree" mean the API.
func (s *Server) Break(file string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[file] = append(s.faults[file], faults...)
}

// fault meets the request with the next fault, if there is one.
func (s *Server) fault(w http.ResponseWriter, r *http.Request) bool {
	name := path.Base(r.URL.Path)
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/"):
		name = path.Base(path.Dir(r.URL.Path))
	case r.URL.Query().Has("file"):
		name = r.URL.Query().Get("file")
	case Large(name):
		return false // the redirect itself
	}
	s.mu.Lock()
	var f Fault
	if waiting := s.faults[name]; len(waiting) > 0 {
		f, s.faults[name] = waiting[0], waiting[1:]
	}
	commit := r.URL.Query().Get("commit")
	if commit == "" {
		commit = s.refs[r.PathValue("revision")]
	}
	content, ok := s.commits[commit][name]
	s.mu.Unlock()
	if !ok {
		content = bytes.Repeat([]byte(" "), 8<<10) // in the place of the API's answer
	}
	if f != nil {
		f(w, r, content)
	}
	return f != nil
}

// serve is the right answer, ranges included.
func serve(w http.ResponseWriter, r *http.Request, content []byte) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// partly writes the first n bytes of what is asked for under the headers of all of it, and says so by true.
func partly(w http.ResponseWriter, r *http.Request, content []byte, n int) {
	from := 0
	if text, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok {
		if v, err := strconv.Atoi(strings.TrimSuffix(text, "-")); err == nil && v < len(content) {
			from = v
			w.Header().Set("Content-Range", "bytes "+strconv.Itoa(from)+"-"+strconv.Itoa(len(content)-1)+"/"+strconv.Itoa(len(content)))
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)-from))
	if from > 0 {
		w.WriteHeader(http.StatusPartialContent)
	}
	send(w, content[from:min(from+n, len(content))])
}

func send(w http.ResponseWriter, b []byte) {
	if _, err := w.Write(b); err != nil {
		panic(http.ErrAbortHandler)
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// Drop breaks the connection after n bytes.
func Drop(n int) Fault {
	return func(w http.ResponseWriter, r *http.Request, content []byte) {
		partly(w, r, content, n)
		panic(http.ErrAbortHandler)
	}
}

// Stall sends n bytes and then nothing, with the connection open.
func Stall(n int) Fault {
	return func(w http.ResponseWriter, r *http.Request, content []byte) {
		partly(w, r, content, n)
		<-r.Context().Done()
	}
}

// Mute never answers at all.
func Mute() Fault {
	return func(_ http.ResponseWriter, r *http.Request, _ []byte) { <-r.Context().Done() }
}

// Trickle sends a byte at a time, for ever.
func Trickle(every time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, content []byte) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		for i := range content {
			send(w, content[i:i+1])
			select {
			case <-r.Context().Done():
				return
			case <-time.After(every):
			}
		}
	}
}

// Status answers with a status and headers, given as name and value in turns.
func Status(code int, header ...string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		send(w, []byte(`{"error":"as the test wants it"}`))
	}
}

// Length announces n bytes more, or with a negative n fewer, than the content has, and ends with the content or at the
// announced length.
func Length(n int) Fault {
	return func(w http.ResponseWriter, _ *http.Request, content []byte) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)+n))
		send(w, content[:min(len(content), len(content)+n)])
	}
}

// Short announces no length and ends after n bytes, as if all were well.
func Short(n int) Fault {
	return func(w http.ResponseWriter, _ *http.Request, content []byte) {
		w.WriteHeader(http.StatusOK)
		send(w, content[:n])
	}
}

// Content sends something else.
func Content(other []byte) Fault {
	return func(w http.ResponseWriter, r *http.Request, _ []byte) { serve(w, r, other) }
}

// Whole ignores that a range was asked for.
func Whole() Fault {
	return func(w http.ResponseWriter, r *http.Request, content []byte) {
		r.Header.Del("Range")
		serve(w, r, content)
	}
}

// Shifted answers with another range than was asked for.
func Shifted() Fault {
	return func(w http.ResponseWriter, r *http.Request, content []byte) {
		r.Header.Set("Range", "bytes=1-")
		serve(w, r, content)
	}
}

// Endless sends the content again and again without an end.
func Endless() Fault {
	return func(w http.ResponseWriter, r *http.Request, content []byte) {
		for r.Context().Err() == nil {
			send(w, content)
		}
	}
}

// Redirect sends elsewhere.
func Redirect(to string) Fault {
	return func(w http.ResponseWriter, r *http.Request, _ []byte) { http.Redirect(w, r, to, http.StatusFound) }
}

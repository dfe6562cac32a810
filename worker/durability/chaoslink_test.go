package durability_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// wire is a TCP connection to a server that can be cut: all that go through it at once, and new ones for as long.
type wire struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	open  map[net.Conn]bool
	isCut bool
}

// newWire listens on loopback and hands on to the address to until the test ends.
func newWire(t *testing.T, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, to: to, open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		w.cut()
	})
	go w.serve()
	return w
}

func (w *wire) address() string { return w.listener.Addr().String() }

func (w *wire) serve() {
	for {
		in, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.join(in)
	}
}

// join copies both ways until either side ends, or the wire is cut.
func (w *wire) join(in net.Conn) {
	defer func() { _ = in.Close() }()
	out, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer func() { _ = out.Close() }()
	if !w.keep(in) {
		return
	}
	defer w.forget(in)
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
		go func() {
			_, _ = io.Copy(way[0], way[1])
			done <- struct{}{}
		}()
	}
	<-done
}

func (w *wire) keep(c net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.isCut {
		w.open[c] = true
	}
	return !w.isCut
}

func (w *wire) forget(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, c)
}

// cut ends what goes on and refuses what comes, until mend.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for c := range w.open {
		_ = c.Close()
	}
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = false
}

// What an s3Front does to requests.
const (
	frontPlain       = iota
	frontErrors      // every second one is answered with 500 or 503
	frontSlow        // each waits for a second
	frontTornReplies // half of an answer's body comes, then the connection breaks
	frontTornPuts    // half of a request's body goes on, then the connection breaks
	frontFull        // what would be written is answered as on a full disk
)

// s3Front stands before an S3 server and spoils requests.
type s3Front struct {
	mode  atomic.Int32
	count atomic.Int64
	next  *httputil.ReverseProxy
}

// newS3Front serves before the server at target, and returns itself and its address.
func newS3Front(t *testing.T, target string) (*s3Front, string) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	f := &s3Front{next: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(u)
			r.Out.Host = r.In.Host // it is signed
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     nothing(),
	}}
	f.next.ModifyResponse = f.tear
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: f, ErrorLog: nothing(), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return f, l.Addr().String()
}

// ServeHTTP implements http.Handler.
func (f *s3Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := f.count.Add(1)
	switch f.mode.Load() {
	case frontErrors:
		if n%2 == 0 {
			code, status := "InternalError", http.StatusInternalServerError
			if n%4 == 0 {
				code, status = "SlowDown", http.StatusServiceUnavailable
			}
			refuse(w, r, status, code)
			return
		}
	case frontSlow:
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
			return
		}
	case frontTornPuts:
		if r.ContentLength > 1 {
			r.Body = &torn{r.Body, r.ContentLength / 2}
		}
	case frontFull:
		if r.Method == http.MethodPut || r.Method == http.MethodPost {
			refuse(w, r, http.StatusInsufficientStorage, "InsufficientStorage")
			return
		}
	}
	f.next.ServeHTTP(w, r)
}

// refuse answers as S3 does.
func refuse(w http.ResponseWriter, r *http.Request, status int, code string) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>a fault of TestChaos</Message></Error>")
}

// tear leaves half of an answer's body.
func (f *s3Front) tear(r *http.Response) error {
	if f.mode.Load() == frontTornReplies && r.ContentLength > 1 {
		r.Body = &torn{r.Body, r.ContentLength / 2}
	}
	return nil
}

// torn is a body that breaks off.
type torn struct {
	io.ReadCloser
	left int64
}

var errTorn = errors.New("torn")

// Read implements io.Reader.
func (b *torn) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTorn
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

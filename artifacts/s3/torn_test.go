package s3_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/s3"
)

// cutter passes connections on to the gateway and cuts them off after so many bytes of answer; no limit when 0.
type cutter struct {
	address     string
	limit       atomic.Int64
	connections atomic.Int64
}

func newCutter(t *testing.T) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // ends the loop below
	c := &cutter{address: l.Addr().String()}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(conn)
		}
	}()
	return c
}

func (c *cutter) pass(client net.Conn) {
	defer func() { _ = client.Close() }() // cut off, in any case
	c.connections.Add(1)
	up, err := net.Dial("tcp", strings.TrimPrefix(server.endpoint, "http://"))
	if err != nil {
		return
	}
	defer func() { _ = up.Close() }()          // as above
	go func() { _, _ = io.Copy(up, client) }() // ends with the connection
	if limit := c.limit.Load(); limit > 0 {
		_, _ = io.CopyN(client, up, limit) // and then it is cut
		return
	}
	_, _ = io.Copy(client, up) // ends with the connection
}

func TestTornAnswers(t *testing.T) {
	cut := newCutter(t)
	cfg := testConfig()
	direct := open(t, cfg)
	content := large(8)
	if _, err := artifacts.PutBytes(t.Context(), direct, "a/b", content); err != nil {
		t.Fatal(err)
	}
	cfg.Endpoint = "http://" + cut.address
	tests := []struct {
		name  string
		limit int64 // bytes of each connection's answers, headers and all
		ok    bool
	}{
		{"whole", 0, true},
		{"seven times", 6 << 20, true},
		{"nothing but headers", 100, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store, err := s3.New(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			cut.limit.Store(tt.limit)
			cut.connections.Store(0)
			if tt.ok {
				mustHave(t, store, content)
			} else if _, err := artifacts.ReadAll(t.Context(), store, artifacts.Of(content), 1<<30); err == nil || errors.Is(err, artifacts.ErrCorrupt) {
				t.Errorf("got %v, want that the answer broke off, not that the blob is corrupt", err)
			}
			if n := cut.connections.Load(); tt.limit > 100 && n != 6 {
				t.Errorf("%d connections, want 6 for 35 MiB by 6 MiB", n)
			}
		})
	}
}

package main

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/hone-rl/hone/devserver/stackfile"
)

// listen is a port that is listened at until the test's end.
func listen(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // nobody uses it
	return l.Addr().(*net.TCPAddr).Port
}

func TestUpAndDown(t *testing.T) {
	dir := stackfile.Dir(filepath.Join(t.TempDir(), "data"))
	if s := readStatusJSON(t, dir); s.State != "stopped" {
		t.Errorf("before: %+v, want stopped", s)
	}
	about := up(t, dir, append(freePorts(t), "--no-worker", "--search-attribute", "Phase=Keyword", "--search-attribute", "Step=Int")...)

	t.Run("second up", func(t *testing.T) {
		out, err := honeStack(t, "up", "--data", string(dir), "--no-worker")
		if err != nil || !strings.Contains(out, "running already") {
			t.Errorf("got %v\n%s\nwant no error and that it is running already", err, out)
		}
		out, err = honeStack(t, "up", "--data", string(dir), "--no-worker", "--foreground")
		if err == nil || !strings.Contains(out, "in use by the stack of process ") {
			t.Errorf("in the foreground: got %v\n%s\nwant an error with the process id", err, out)
		}
	})
	t.Run("status", func(t *testing.T) {
		s := readStatusJSON(t, dir)
		if s.State != "running" || s.PID != about.PID || s.Stack.Temporal.Address != about.Temporal.Address || s.Stack.Versions.Temporal != "1.32.1" {
			t.Errorf("got %+v, want that of %+v", s, about)
		}
	})
	t.Run("web page", func(t *testing.T) {
		resp, err := http.Get(about.UI.URL + "/namespaces/default/workflows")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // only the status matters
		if resp.StatusCode != http.StatusOK {
			t.Errorf("got %s, want 200", resp.Status)
		}
	})
	t.Run("temporal", func(t *testing.T) {
		c := dial(t, about.Temporal.Address)
		ns, err := c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
		if err != nil {
			t.Fatal(err)
		}
		if got := ns.Config.WorkflowExecutionRetentionTtl.AsDuration().Hours(); got != 90*24 {
			t.Errorf("retention %v hours, want 90 days", got)
		}
		if n := count(t.Context(), c, "Phase = 'train' AND Step >= 20"); n != 0 {
			t.Errorf("search by attributes: got %d, want 0", n)
		}
	})
	t.Run("s3", func(t *testing.T) { testKeys(t, dir, about) })
	t.Run("modes", func(t *testing.T) {
		for path, want := range map[string]fs.FileMode{dir.Credentials(): 0o600, dir.Objects(): 0o700, dir.Temporal(): 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v, want mode %o", path, info.Mode(), err, want)
			}
		}
	})
	t.Run("loopback only", func(t *testing.T) {
		for _, address := range []string{about.Temporal.Address, strings.TrimPrefix(about.UI.URL, "http://"), strings.TrimPrefix(about.S3.Endpoint, "http://")} {
			if !strings.HasPrefix(address, "127.0.0.1:") {
				t.Errorf("%s: want 127.0.0.1", address)
			}
		}
	})
	t.Run("down", func(t *testing.T) {
		for range 2 {
			if out, err := honeStack(t, "down", "--data", string(dir)); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		}
		if _, err := dir.Last(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("stack.json: got %v, want that it is gone", err)
		}
		if s := readStatusJSON(t, dir); s.State != "stopped" {
			t.Errorf("after: %+v, want stopped", s)
		}
		if _, err := dir.Read(); !errors.Is(err, stackfile.ErrNotRunning) {
			t.Errorf("Read: got %v, want ErrNotRunning", err)
		}
	})
	t.Run("log", func(t *testing.T) {
		b, err := os.ReadFile(dir.StackLog())
		if err != nil || strings.Count(string(b), "\n") != 1 || !strings.HasPrefix(string(b), "ready:") {
			t.Errorf("got %v\n%s\nwant one line that says ready", err, b)
		}
	})
}

// testKeys: the keys that were made work, all others are refused for the right reason.
func testKeys(t *testing.T, dir stackfile.Dir, about *stackfile.Stack) {
	keys, err := dir.ReadCredentials()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, id, secret, want string }{
		{"right", keys.AccessKeyID, keys.SecretAccessKey, ""},
		{"wrong secret", keys.AccessKeyID, "wrong", "SignatureDoesNotMatch"},
		{"unknown key", "wrong", keys.SecretAccessKey, "InvalidAccessKeyId"},
	}
	for _, tt := range tests {
		c := s3.New(s3.Options{
			BaseEndpoint: aws.String(about.S3.Endpoint), Region: about.S3.Region, UsePathStyle: true,
			Credentials: credentials.NewStaticCredentialsProvider(tt.id, tt.secret, ""),
		})
		_, err := c.ListBuckets(t.Context(), &s3.ListBucketsInput{})
		got := ""
		if api := smithy.APIError(nil); errors.As(err, &api) {
			got = api.ErrorCode()
		} else if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPorts(t *testing.T) {
	dir := stackfile.Dir(t.TempDir())
	busy := listen(t)
	out, err := honeStack(t, "up", "--data", string(dir), "--no-worker", "--s3-port", itoa(busy))
	if err == nil || !strings.Contains(out, "port "+itoa(busy)+" for S3 is in use; choose another with --s3-port") {
		t.Errorf("a chosen port that is busy: got %v\n%s", err, out)
	}
	if pid, err := dir.Holder(); err != nil || pid != 0 {
		t.Fatalf("process %d, %v, want none left", pid, err)
	}
	if l, err := net.Listen("tcp", "127.0.0.1:7233"); err == nil { // or else it is busy as it should be
		defer func() { _ = l.Close() }() // nobody uses it
	}
	out, err = honeStack(t, "up", "--data", string(dir), "--no-worker")
	if err != nil || !strings.Contains(out, "port 7233 is in use: Temporal gets ") {
		t.Fatalf("a default port that is busy: got %v\n%s", err, out)
	}
	s, err := dir.Read()
	if err != nil || s.Temporal.Address == "127.0.0.1:7233" {
		t.Errorf("got %+v, %v, want another port", s, err)
	}
	if out, err := honeStack(t, "down", "--data", string(dir)); err != nil {
		t.Errorf("down: %v\n%s", err, out)
	}
}

// Stacks that start at the same time find the same ports free, and each comes up all the same.
func TestPortsTogether(t *testing.T) {
	const stacks = 3
	said, failed := make([]string, stacks), make([]error, stacks)
	dirs := make([]stackfile.Dir, stacks)
	var all sync.WaitGroup
	for i := range dirs {
		dirs[i] = stackfile.Dir(t.TempDir())
		all.Go(func() { said[i], failed[i] = honeStack(t, "up", "--data", string(dirs[i]), "--no-worker") })
	}
	all.Wait()
	addresses := map[string]bool{}
	for i, dir := range dirs {
		if failed[i] != nil {
			t.Errorf("stack %d: %v\n%s", i, failed[i], said[i])
			continue
		}
		s, err := dir.Read()
		if err != nil {
			t.Fatal(err)
		}
		for _, address := range []string{s.Temporal.Address, s.UI.URL, s.S3.Endpoint} {
			addresses[address] = true
		}
		if out, err := honeStack(t, "down", "--data", string(dir)); err != nil {
			t.Errorf("down: %v\n%s", err, out)
		}
	}
	if !t.Failed() && len(addresses) != 3*stacks {
		t.Errorf("addresses %v, want %d", addresses, 3*stacks)
	}
}

func TestRefused(t *testing.T) {
	dir := stackfile.Dir(t.TempDir())
	if err := os.MkdirAll(dir.Temporal(), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"temporal.db": "", "origin.json": `{"serverVersion":"1.31.4","clusterId":"x"}`} {
		if err := os.WriteFile(filepath.Join(dir.Temporal(), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"database of another version", append(freePorts(t), "--no-worker"), "was made by Temporal 1.31.4 and cannot be opened by 1.32.1"},
		{"no such worker", []string{"--worker", "/nowhere/hone-worker"}, "worker program /nowhere/hone-worker"},
		{"search attribute", []string{"--no-worker", "--search-attribute", "Phase=Sometimes"}, `search attribute "Phase=Sometimes"`},
		{"two wishes", []string{"--no-worker", "--worker", "x"}, "no-worker"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := honeStack(t, append([]string{"up", "--data", string(dir)}, tt.args...)...)
			if err == nil || !strings.Contains(out, tt.want) {
				t.Errorf("got %v\n%s\nwant an error with %q", err, out, tt.want)
			}
		})
	}
}

package s3_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/s3"
	"github.com/hone-rl/hone/artifacts/storetest"
	"github.com/hone-rl/hone/devserver/gateway/faults"
)

const (
	accessKey = "test-access"
	secretKey = "test-secret-0123456789"
	partSize  = 5 << 20
)

// server is the one gateway that a process can run.
var server struct {
	dir      string // holds a folder for each bucket
	endpoint string
	buckets  atomic.Int64
	faults   faults.Faults
}

func TestMain(m *testing.M) {
	if job := os.Getenv(childJob); job != "" {
		os.Exit(child(job))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	// Whatever is set where the tests run is of no concern to them.
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AWS_") {
			_ = os.Unsetenv(name) // fails on no name that the environment gave
		}
	}
	dir, err := os.MkdirTemp("", "hone-s3-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // in the system's temporary folder
	for _, v := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		_ = os.Setenv(v, filepath.Join(dir, "none")) // fails on no valid name
	}
	_ = os.Setenv("AWS_EC2_METADATA_DISABLED", "true") // as above
	g, address, err := startGateway(dir, &server.faults)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server.dir, server.endpoint = filepath.Join(dir, "objects"), "http://"+address
	code := m.Run()
	if err := g.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// testConfig is a bucket of its own for each test.
func testConfig() s3.Config {
	return s3.Config{
		Endpoint: server.endpoint, Bucket: fmt.Sprintf("test-%d", server.buckets.Add(1)),
		AccessKeyID: accessKey, SecretAccessKey: secretKey, PartSize: partSize,
	}
}

func open(t *testing.T, cfg s3.Config) *s3.Store {
	t.Helper()
	store, err := s3.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func blobFile(bucket string, d artifacts.Digest) string {
	return filepath.Join(server.dir, bucket, "blobs", "sha256", d.Hex()[:2], d.Hex())
}

func nameFile(bucket, name string) string {
	return filepath.Join(server.dir, bucket, "names", filepath.FromSlash(name)+".json")
}

func flip(t *testing.T, path string, i int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, int64(i)); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1
	if _, err := f.WriteAt(b, int64(i)); err != nil {
		t.Fatal(err)
	}
}

func age(t *testing.T, path string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Harness {
		cfg := testConfig()
		return storetest.Harness{
			Store:     open(t, cfg),
			FlipBlob:  func(t *testing.T, d artifacts.Digest, i int) { flip(t, blobFile(cfg.Bucket, d), i) },
			FlipName:  func(t *testing.T, name string, i int) { flip(t, nameFile(cfg.Bucket, name), i) },
			Age:       func(t *testing.T, d artifacts.Digest, by time.Duration) { age(t, blobFile(cfg.Bucket, d), by) },
			LargeSize: 2 * partSize,
		}
	})
}

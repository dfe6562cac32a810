package s3_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/s3"
	"github.com/hone-rl/hone/devserver/gateway/faults"
	"github.com/hone-rl/hone/internal/freeport"
)

const largeParts = 8

// large is a blob of largeParts parts, the last one shorter.
func large(seed byte) []byte {
	b := make([]byte, (largeParts-1)*partSize+1234)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b) // never fails
	return b
}

func mustHave(t *testing.T, store artifacts.Store, want []byte) {
	t.Helper()
	got, err := artifacts.ReadAll(t.Context(), store, artifacts.Of(want), int64(len(want)))
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("read: %d bytes, %v, want the %d put", len(got), err, len(want))
	}
}

func mustLack(t *testing.T, store artifacts.Store, content []byte) {
	t.Helper()
	if _, err := store.Open(t.Context(), artifacts.Of(content)); !errors.Is(err, artifacts.ErrNotFound) {
		t.Fatalf("Open: got %v, want ErrNotFound", err)
	}
}

func waitFor(t *testing.T, about string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			t.Fatalf("waited in vain: %s", about)
		}
	}
}

func rawClient(cfg s3.Config) *awss3.Client {
	return awss3.New(awss3.Options{
		BaseEndpoint: &cfg.Endpoint, Region: "us-east-1", UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""),
	})
}

// noUploads: nothing unfinished is left behind.
func noUploads(t *testing.T, cfg s3.Config) {
	t.Helper()
	out, err := rawClient(cfg).ListMultipartUploads(t.Context(), &awss3.ListMultipartUploadsInput{Bucket: &cfg.Bucket})
	if err != nil || len(out.Uploads) != 0 {
		t.Errorf("unfinished uploads: %+v, %v, want none", out, err)
	}
}

func TestResumeCancelled(t *testing.T) {
	cfg := testConfig()
	cfg.Concurrency = 1
	store, content := open(t, cfg), large(1)
	ctx, cancel := context.WithCancel(t.Context())
	server.faults.Set(cfg.Bucket, faults.Hooks{Part: func(number int) error {
		if number == 4 {
			cancel()
		}
		return nil
	}})
	if _, err := artifacts.PutBytes(ctx, store, "a/b", content); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled put: got %v, want context.Canceled", err)
	}
	mustLack(t, store, content)
	server.faults.Set(cfg.Bucket, faults.Hooks{})
	waitFor(t, "part 4 arrives or is cut off", func() bool { time.Sleep(50 * time.Millisecond); return true })
	before := server.faults.Sent(cfg.Bucket)
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", content); err != nil {
		t.Fatal(err)
	}
	mustHave(t, store, content)
	if after := server.faults.Sent(cfg.Bucket); before < 3 || before+after != largeParts {
		t.Errorf("%d parts sent before and %d after, want %d in all and 3 or 4 before", before, after, largeParts)
	}
	noUploads(t, cfg)
}

// TestResumeKilledClient kills the process that uploads, as a worker is killed.
func TestResumeKilledClient(t *testing.T) {
	cfg := testConfig()
	store, content := open(t, cfg), large(2)
	file := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	var arrived atomic.Int64
	server.faults.Set(cfg.Bucket, faults.Hooks{Part: func(int) error {
		if arrived.Add(1) > 3 {
			time.Sleep(200 * time.Millisecond)
		}
		return nil
	}})
	cfg.Concurrency = 1
	cmd := job{Put: file, Store: cfg}.start(t)
	waitFor(t, "3 parts", func() bool { return arrived.Load() >= 4 })
	killed(t, cmd)
	mustLack(t, store, content)
	time.Sleep(300 * time.Millisecond) // the part that was on its way has arrived by now, or never will
	before := server.faults.Sent(cfg.Bucket)
	server.faults.Set(cfg.Bucket, faults.Hooks{})
	if _, err := artifacts.PutFile(t.Context(), store, "a/b", file); err != nil {
		t.Fatal(err)
	}
	mustHave(t, store, content)
	if after := server.faults.Sent(cfg.Bucket); before < 3 || before+after != largeParts {
		t.Errorf("%d parts sent before and %d after, want %d in all and 3 or 4 before", before, after, largeParts)
	}
	noUploads(t, cfg)
}

// TestResumeKilledServer kills the gateway in the middle of an upload and starts it again.
func TestResumeKilledServer(t *testing.T) {
	address, err := freeport.Address()
	if err != nil {
		t.Fatal(err)
	}
	gw := job{Gateway: t.TempDir(), Address: address}
	cmd := gw.start(t)
	cfg := testConfig()
	cfg.Endpoint, cfg.Concurrency = "http://"+address, 1
	store, content := open(t, cfg), large(3)
	parts := func() int {
		found, err := filepath.Glob(filepath.Join(gw.Gateway, "objects", cfg.Bucket, ".sgwtmp", "multipart", "*", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := artifacts.PutBytes(t.Context(), store, "a/b", content)
		failed <- err
	}()
	waitFor(t, "3 parts", func() bool { return parts() >= 3 })
	killed(t, cmd)
	if err := <-failed; err == nil {
		t.Skip("the upload was complete before the gateway was killed")
	} else if !errors.Is(err, s3.ErrUnreachable) {
		t.Errorf("put while the gateway is gone: got %v, want ErrUnreachable", err)
	}
	before := parts()
	gw.start(t)
	mustLack(t, store, content)
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", content); err != nil {
		t.Fatal(err)
	}
	mustHave(t, store, content)
	noUploads(t, cfg)
	t.Logf("%d of %d parts had arrived", before, largeParts)
}

// TestResumeWrongParts begins uploads of the blob that hold something else; none of it may get into the blob.
func TestResumeWrongParts(t *testing.T) {
	cfg := testConfig()
	store, content := open(t, cfg), large(4)
	client := rawClient(cfg)
	d := artifacts.Of(content)
	key := aws.String("blobs/sha256/" + d.Hex()[:2] + "/" + d.Hex())
	begin := func(algorithm types.ChecksumAlgorithm, parts ...[]byte) *string {
		created, err := client.CreateMultipartUpload(t.Context(), &awss3.CreateMultipartUploadInput{
			Bucket: &cfg.Bucket, Key: key, ChecksumAlgorithm: algorithm,
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range parts {
			_, err := client.UploadPart(t.Context(), &awss3.UploadPartInput{
				Bucket: &cfg.Bucket, Key: key, UploadId: created.UploadId, PartNumber: aws.Int32(int32(i + 1)),
				Body: bytes.NewReader(part), ChecksumAlgorithm: algorithm,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return created.UploadId
	}
	other := large(5)
	part := func(b []byte, i int) []byte { return b[i*partSize : (i+1)*partSize] }
	// Right parts, a wrong one of the right length, a short one, and one too many of them all.
	begin(types.ChecksumAlgorithmSha256, part(content, 0), part(other, 1), part(content, 2)[:1000], part(content, 3))
	begin(types.ChecksumAlgorithmSha256, part(other, 0))                                                        // none right
	begin(types.ChecksumAlgorithmCrc32, part(content, 0), part(content, 1), part(content, 2), part(content, 3)) // not by SHA-256
	server.faults.Sent(cfg.Bucket)
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", content); err != nil {
		t.Fatal(err)
	}
	mustHave(t, store, content)
	if sent := server.faults.Sent(cfg.Bucket); sent != largeParts-2 {
		t.Errorf("%d parts sent, want all %d but the 2 that were right", sent, largeParts)
	}
}

// TestLostAnswer: the put has succeeded, but its answer says otherwise, and the SDK's second try meets the first.
func TestLostAnswer(t *testing.T) {
	cfg := testConfig()
	store := open(t, cfg)
	var n atomic.Int64
	server.faults.Set(cfg.Bucket, faults.Hooks{Put: func() error {
		if n.Add(1)%2 == 1 {
			return errors.New("the answer is lost")
		}
		return nil
	}})
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", []byte("abc")); err != nil {
		t.Errorf("blob: %v", err)
	}
	mustHave(t, store, []byte("abc"))
	n.Store(0)
	if err := store.Name(t.Context(), "x/y", artifacts.Of([]byte("abc"))); err != nil {
		t.Errorf("name: %v", err)
	}
}

// TestTroubledServer: a server that fails more often than the SDK tries has the upload completed in the end.
func TestTroubledServer(t *testing.T) {
	cfg := testConfig()
	store := open(t, cfg)
	content := large(9)
	var n atomic.Int64
	server.faults.Set(cfg.Bucket, faults.Hooks{Complete: func() error {
		if n.Add(1) <= 4 { // the SDK tries three times
			return errors.New("another upload is being completed")
		}
		return nil
	}})
	if _, err := artifacts.PutBytes(t.Context(), store, "a/b", content); err != nil {
		t.Fatal(err)
	}
	if n.Load() != 5 {
		t.Errorf("completed after %d tries, want 5", n.Load())
	}
	mustHave(t, store, content)
}

// TestPutOverCorrupt: what is in the blob's place is something else, and is not passed off as it.
func TestPutOverCorrupt(t *testing.T) {
	cfg := testConfig()
	store := open(t, cfg)
	for _, content := range [][]byte{[]byte("small"), large(9)[:2*partSize]} {
		desc, err := artifacts.PutBytes(t.Context(), store, "a/b", content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(blobFile(cfg.Bucket, desc.Digest), 3); err != nil {
			t.Fatal(err)
		}
		if _, err := artifacts.PutBytes(t.Context(), store, "a/b", content); !errors.Is(err, artifacts.ErrCorrupt) {
			t.Errorf("put of %d bytes over 3: got %v, want ErrCorrupt", len(content), err)
		}
		if _, err := artifacts.ReadAll(t.Context(), store, desc.Digest, desc.Size); !errors.Is(err, artifacts.ErrCorrupt) {
			t.Errorf("read: got %v, want ErrCorrupt", err)
		}
	}
}

package gateway_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/hone-rl/hone/devserver/gateway"
	"github.com/hone-rl/hone/internal/freeport"
)

const (
	key    = "gateway-key"
	secret = "gateway-secret"
)

// config is a gateway over a folder of its own. A process can run one at a time, so these tests are not parallel.
func config(t *testing.T) gateway.Config {
	t.Helper()
	address, err := freeport.Address()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // a gateway changes it, too
	dir := t.TempDir()
	return gateway.Config{
		Dir: filepath.Join(dir, "objects"), MetaDir: filepath.Join(dir, "meta"), Address: address,
		AccessKeyID: key, SecretAccessKey: secret,
	}
}

func start(t *testing.T, cfg gateway.Config) *gateway.Gateway {
	t.Helper()
	g, err := gateway.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// stop waits until the server itself has ended, so that another can be started in this process.
func stop(t *testing.T, g *gateway.Gateway) {
	t.Helper()
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
	<-g.Done()
}

func client(cfg gateway.Config, key, secret string) *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String("http://" + cfg.Address), Region: gateway.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(key, secret, ""), RetryMaxAttempts: 1,
		// A server that stops waits for connections that are kept.
		HTTPClient: noKeepAlive(),
	})
}

func noKeepAlive() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

func code(err error) string {
	if api := smithy.APIError(nil); errors.As(err, &api) {
		return api.ErrorCode()
	}
	return fmt.Sprint(err)
}

func TestRefusedKeys(t *testing.T) {
	cfg := config(t)
	g := start(t, cfg)
	defer stop(t, g)
	tests := []struct{ name, key, secret, want string }{
		{"right", key, secret, "<nil>"},
		{"wrong secret", key, "x", "SignatureDoesNotMatch"},
		{"unknown key", "x", secret, "InvalidAccessKeyId"},
	}
	for _, tt := range tests {
		if _, err := client(cfg, tt.key, tt.secret).ListBuckets(t.Context(), &s3.ListBucketsInput{}); code(err) != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestConfigRefused(t *testing.T) {
	cfg := config(t)
	cfg.Address, cfg.SecretAccessKey, cfg.MetaDir = "0.0.0.0:9000", "", ""
	_, err := gateway.Start(t.Context(), cfg)
	for _, want := range []string{"0.0.0.0:9000", "loopback", "access key", "metadata"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestPortTaken(t *testing.T) {
	cfg := config(t)
	l, err := net.Listen("tcp", cfg.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // nobody uses it
	g, err := gateway.Start(t.Context(), cfg)
	if err == nil {
		stop(t, g)
		t.Fatal("no error")
	}
	if !strings.Contains(err.Error(), cfg.Address) {
		t.Errorf("got %v, want an error with %s", err, cfg.Address)
	}
}

// TestSweep leaves an upload that is a day old to be resumed and removes one that nobody came back to for a week.
func TestSweep(t *testing.T) {
	cfg := config(t)
	g := start(t, cfg)
	c := client(cfg, key, secret)
	bucket := aws.String("bucket")
	if _, err := c.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: bucket}); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{"young": 24 * time.Hour, "old": 8 * 24 * time.Hour} {
		created, err := c.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: bucket, Key: &name})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: bucket, Key: &name, UploadId: created.UploadId, PartNumber: aws.Int32(1), Body: bytes.NewReader([]byte(name)),
		})
		if err != nil {
			t.Fatal(err)
		}
		dirs, err := filepath.Glob(filepath.Join(cfg.Dir, "bucket", ".sgwtmp", "multipart", "*", *created.UploadId))
		if err != nil || len(dirs) != 1 {
			t.Fatalf("folder of the upload: %v, %v, want one", dirs, err)
		}
		if err := os.Chtimes(dirs[0], time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	stop(t, g)
	g = start(t, cfg)
	defer stop(t, g)
	left, err := c.ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: bucket})
	if err != nil || len(left.Uploads) != 1 || *left.Uploads[0].Key != "young" {
		t.Errorf("left: %+v, %v, want the young one", left, err)
	}
}

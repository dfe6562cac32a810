package s3_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/versity/versitygw/s3err"

	"github.com/hone-rl/hone/artifacts/s3"
	"github.com/hone-rl/hone/devserver/gateway/faults"
	"github.com/hone-rl/hone/internal/freeport"
)

func TestNewRefuses(t *testing.T) {
	_, err := s3.New(t.Context(), s3.Config{
		Endpoint: "127.0.0.1:9000", Bucket: "No_Such", AccessKeyID: "only", PartSize: 1, Concurrency: -1,
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`endpoint "127.0.0.1:9000": expected http://`, `bucket "No_Such": expected 3 to 63`, "only one is given",
		"part size 1: expected 5242880", "concurrency -1",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %q in it", err, want)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	address, err := freeport.Address()
	if err != nil {
		t.Fatal(err)
	}
	denied := testConfig()
	open(t, denied) // what does not exist is not looked at any closer
	server.faults.Set(denied.Bucket, faults.Hooks{List: func() error { return s3err.GetAPIError(s3err.ErrAccessDenied) }})
	tests := []struct {
		name   string
		cfg    s3.Config
		change func(*s3.Config)
		is     error
		want   string // in the error, besides bucket and endpoint
	}{
		{"unreachable", testConfig(), func(c *s3.Config) { c.Endpoint = "http://" + address }, s3.ErrUnreachable, "connection refused"},
		{"no such host", testConfig(), func(c *s3.Config) { c.Endpoint = "http://nowhere.invalid:9000" }, s3.ErrUnreachable, "nowhere.invalid"},
		{"unknown key", testConfig(), func(c *s3.Config) { c.AccessKeyID = "stranger" }, s3.ErrCredentials, "access key id stranger"},
		{"wrong secret", testConfig(), func(c *s3.Config) { c.SecretAccessKey = "guessed" }, s3.ErrCredentials, "access key id " + accessKey},
		{"no keys", testConfig(), func(c *s3.Config) { c.AccessKeyID, c.SecretAccessKey = "", "" }, s3.ErrCredentials, "AWS_ACCESS_KEY_ID"},
		{"no permission", denied, func(*s3.Config) {}, s3.ErrPermission, "access key id " + accessKey},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.change(&tt.cfg)
			_, err := s3.Open(t.Context(), tt.cfg)
			if !errors.Is(err, tt.is) {
				t.Fatalf("got %v, want %v", err, tt.is)
			}
			for _, want := range []string{tt.cfg.Bucket, tt.cfg.Endpoint, tt.want} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v\nwant %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), secretKey) || strings.Contains(err.Error(), "guessed") {
				t.Errorf("the secret stands in the error: %v", err)
			}
		})
	}
}

// TestStandardEnvironment: everything but the bucket can come from the SDK's own variables.
func TestStandardEnvironment(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_S3", server.endpoint)
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	store, err := s3.Open(t.Context(), s3.Config{Bucket: testConfig().Bucket})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Names(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

// TestStrangersEnvironment: what is said in full is not redirected by what else is set.
func TestStrangersEnvironment(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	t.Setenv("AWS_PROFILE", "stranger")
	t.Setenv("AWS_ACCESS_KEY_ID", "stranger")
	t.Setenv("AWS_REGION", "mars-north-1")
	if _, err := open(t, testConfig()).Names(t.Context(), ""); err != nil {
		t.Error(err)
	}
}

// TestEndpointSecrets: an endpoint with a user, a password or a token is refused, and not told, whoever names it.
func TestEndpointSecrets(t *testing.T) {
	for _, address := range []string{
		"http://me:secret@127.0.0.1:1", "http://secret@127.0.0.1:1", "http://127.0.0.1:1?token=secret", "http://me:sec ret@127.0.0.1", "me:secret@127.0.0.1",
	} {
		check := func(cfg s3.Config) {
			t.Helper()
			_, err := s3.New(t.Context(), cfg)
			if err == nil || !strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "ret@") {
				t.Errorf("%s: got %v", address, err)
			}
		}
		check(s3.Config{Endpoint: address, Bucket: "bucket"})
		t.Setenv("AWS_ENDPOINT_URL_S3", address)
		check(s3.Config{Bucket: "bucket"})
	}
}

// Package s3 is an artifacts.Store in a bucket of Amazon S3 or of a server that speaks its protocol. Objects are
// written once, under a condition, and never changed. docs/artifacts.md describes the layout.
package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/endpoint"
)

// Config says where the bucket is. What is left zero comes from the AWS SDK's standard environment variables and
// files (AWS_ACCESS_KEY_ID, AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_PROFILE, AWS_CA_BUNDLE, …). With an endpoint and keys
// here, none of them counts.
type Config struct {
	Endpoint string // such as http://127.0.0.1:9000; Amazon's own when neither this nor the environment names one
	Bucket   string // required
	Region   string // us-east-1 when nothing names one

	AccessKeyID     string // together with SecretAccessKey, or neither
	SecretAccessKey string

	// PartSize is the size in bytes of a part of a large upload; what is not larger goes in one request. Default
	// 16 MiB, at least S3's 5 MiB. It grows for blobs of more than 10,000 parts. An upload is resumed only with
	// the part size it was begun with.
	PartSize int64
	// Concurrency is how many parts of one upload are sent at once. Default 4.
	Concurrency int

	Logger *slog.Logger // told of resumed uploads; nil for none
}

const (
	defaultPartSize    = 16 << 20
	minPartSize        = 5 << 20 // https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
	maxPartSize        = 5 << 30
	maxParts           = 10_000
	defaultConcurrency = 4
	defaultRegion      = "us-east-1"
)

// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func (c Config) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Endpoint != "" {
		if _, err := endpoint.Parse(c.Endpoint); err != nil {
			bad("endpoint %q: %w", endpoint.Plain(c.Endpoint), err)
		}
	}
	if !bucketName.MatchString(c.Bucket) {
		bad("bucket %q: expected 3 to 63 of a-z 0-9 . -", c.Bucket)
	}
	if (c.AccessKeyID == "") != (c.SecretAccessKey == "") {
		bad("access key id and secret access key: only one is given, expected both or neither")
	}
	if c.PartSize != 0 && (c.PartSize < minPartSize || c.PartSize > maxPartSize) {
		bad("part size %d: expected %d to %d bytes", c.PartSize, minPartSize, int64(maxPartSize))
	}
	if c.Concurrency < 0 {
		bad("concurrency %d: expected 1 or more", c.Concurrency)
	}
	return errors.Join(errs...)
}

// sdk is the SDK's configuration.
func (c Config) sdk(ctx context.Context) (aws.Config, error) {
	// A blob is checked against its own digest, and parts say their SHA-256. More checksums would only cost.
	const request, response = aws.RequestChecksumCalculationWhenRequired, aws.ResponseChecksumValidationWhenRequired
	keys := credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, "")
	if c.Endpoint != "" && c.AccessKeyID != "" {
		// All is said, as for the local stack: a stranger's profile is not even read.
		return aws.Config{
			Region: cmp.Or(c.Region, defaultRegion), Credentials: keys, HTTPClient: httpClient(),
			RequestChecksumCalculation: request, ResponseChecksumValidation: response,
		}, nil
	}
	options := []func(*config.LoadOptions) error{
		config.WithRequestChecksumCalculation(request),
		config.WithResponseChecksumValidation(response),
		config.WithHTTPClient(httpClient()),
	}
	if c.Region != "" {
		options = append(options, config.WithRegion(c.Region))
	}
	if c.AccessKeyID != "" {
		options = append(options, config.WithCredentialsProvider(keys))
	}
	sdk, err := config.LoadDefaultConfig(ctx, options...)
	sdk.Region = cmp.Or(sdk.Region, defaultRegion)
	return sdk, err
}

// Store is a bucket. Its methods may be called from many goroutines.
type Store struct {
	client      *awss3.Client
	bucket      string
	where       string // for errors: bucket and endpoint
	partSize    int64
	concurrency int
	log         *slog.Logger
}

var _ artifacts.Store = (*Store)(nil)

// New checks cfg and reads the SDK's environment and files. It asks no server: Open does.
func New(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("s3 store: %w", err)
	}
	sdk, err := cfg.sdk(ctx)
	if err != nil {
		return nil, fmt.Errorf("s3 store: AWS settings: %w", err)
	}
	client := awss3.NewFromConfig(sdk, func(o *awss3.Options) {
		if cfg.Endpoint != "" {
			o.BaseEndpoint = aws.String(cfg.Endpoint)
		}
		// Servers other than Amazon's seldom have a host name for each bucket.
		o.UsePathStyle = o.BaseEndpoint != nil
	})
	server := "Amazon S3 in " + sdk.Region
	if base := client.Options().BaseEndpoint; base != nil { // of cfg, of the environment or of a file
		if server = *base; server != cfg.Endpoint {
			if _, err := endpoint.Parse(server); err != nil {
				return nil, fmt.Errorf("s3 store: AWS settings: endpoint %q: %w", endpoint.Plain(server), err)
			}
		}
	}
	return &Store{
		client:      client,
		bucket:      cfg.Bucket,
		where:       fmt.Sprintf("bucket %s at %s", cfg.Bucket, server),
		partSize:    cmp.Or(cfg.PartSize, defaultPartSize),
		concurrency: cmp.Or(cfg.Concurrency, defaultConcurrency),
		log:         cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
	}, nil
}

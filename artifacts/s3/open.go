package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// answerTimeout bounds the wait for an answer's first byte; completing an upload of many gigabytes takes minutes.
const answerTimeout = 10 * time.Minute

func httpClient() *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.ResponseHeaderTimeout = answerTimeout
		t.MaxIdleConnsPerHost = 64
	})
}

// Open is New, and then asks the server: it makes the bucket where it is missing. ErrUnreachable, ErrCredentials and
// ErrPermission tell what is wrong otherwise.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s, err := New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	keys, err := s.client.Options().Credentials.Retrieve(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: no access key, expected AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or an AWS profile "+
			"(%w): %w", s.where, err, ErrCredentials)
	}
	if err := s.ensureBucket(ctx); err != nil {
		return nil, explain(fmt.Errorf("%s, access key id %s: %w", s.where, keys.AccessKeyID, err))
	}
	return s, nil
}

func (s *Store) ensureBucket(ctx context.Context) error {
	// Listing, where HEAD would do, because an answer to HEAD has no body to say what was wrong.
	_, err := s.client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: &s.bucket, MaxKeys: aws.Int32(1)})
	if code(err) != "NoSuchBucket" {
		return err
	}
	in := &awss3.CreateBucketInput{Bucket: &s.bucket}
	options := s.client.Options()
	if options.BaseEndpoint == nil && options.Region != defaultRegion {
		in.CreateBucketConfiguration = &types.CreateBucketConfiguration{
			LocationConstraint: types.BucketLocationConstraint(options.Region),
		}
	}
	_, err = s.client.CreateBucket(ctx, in)
	if owned := (*types.BucketAlreadyOwnedByYou)(nil); errors.As(err, &owned) {
		return nil // another process was first
	}
	if err != nil {
		return fmt.Errorf("make the bucket: %w", err)
	}
	return nil
}

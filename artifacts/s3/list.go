package s3

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/hone-rl/hone/artifacts"
)

// Blobs implements artifacts.Store. Objects among the blobs whose key is no digest's are named in an error after all
// blobs have been seen.
func (s *Store) Blobs(ctx context.Context, f func(artifacts.Digest, int64) error) error {
	var strays []error
	var failed error // f's own, given back as it is
	err := s.list(ctx, blobPrefix, func(key string, size int64) error {
		d := artifacts.Digest("sha256:" + key[max(0, len(key)-64):])
		if !isBlob(key, d) {
			strays = append(strays, fmt.Errorf("object %s in %s is no blob: %w", key, s.where, artifacts.ErrCorrupt))
			return nil
		}
		failed = f(d, size)
		return failed
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return explain(fmt.Errorf("list blobs in %s: %w", s.where, err))
	}
	return errors.Join(strays...)
}

func isBlob(key string, d artifacts.Digest) bool { return d.Validate() == nil && blobKey(d) == key }

// list calls f for the keys that begin with prefix, in their order.
func (s *Store) list(ctx context.Context, prefix string, f func(key string, size int64) error) error {
	pages := awss3.NewListObjectsV2Paginator(s.client, &awss3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			if err := f(aws.ToString(o.Key), aws.ToInt64(o.Size)); err != nil {
				return err
			}
		}
	}
	return nil
}

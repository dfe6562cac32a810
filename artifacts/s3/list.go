package s3

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/hone-rl/hone/artifacts"
)

// Blobs implements artifacts.Store. Objects among the blobs whose key is no digest's are named in an error after all
// blobs have been seen.
func (s *Store) Blobs(ctx context.Context, f func(artifacts.Digest, int64) error) error {
	var strays []error
	var failed error // f's own, given back as it is
	err := s.list(ctx, blobPrefix, func(o types.Object) error {
		d, ok := blobOf(aws.ToString(o.Key))
		if !ok {
			strays = append(strays, fmt.Errorf("object %s in %s is no blob: %w", aws.ToString(o.Key), s.where, artifacts.ErrCorrupt))
			return nil
		}
		failed = f(d, aws.ToInt64(o.Size))
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

// blobOf is the digest of the blob that is kept under a key.
func blobOf(key string) (artifacts.Digest, bool) {
	d := artifacts.Digest("sha256:" + key[max(0, len(key)-64):])
	return d, d.Validate() == nil && blobKey(d) == key
}

// list calls f for the objects whose keys begin with prefix, in the order of keys.
func (s *Store) list(ctx context.Context, prefix string, f func(types.Object) error) error {
	pages := awss3.NewListObjectsV2Paginator(s.client, &awss3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			if err := f(o); err != nil {
				return err
			}
		}
	}
	return nil
}

package gateway

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
)

// sweep removes uploads to which nothing was added for age. Younger ones can still be resumed.
func sweep(ctx context.Context, be backend.Backend, age time.Duration) error {
	buckets, err := be.ListBucketsAndOwners(ctx)
	if err != nil {
		return err
	}
	for _, b := range buckets {
		in := &s3.ListMultipartUploadsInput{Bucket: &b.Name, MaxUploads: aws.Int32(1000)}
		for {
			page, err := be.ListMultipartUploads(ctx, in)
			if err != nil {
				return fmt.Errorf("bucket %s: %w", b.Name, err)
			}
			for _, u := range page.Uploads {
				if time.Since(u.Initiated) < age {
					continue
				}
				abort := &s3.AbortMultipartUploadInput{Bucket: &b.Name, Key: &u.Key, UploadId: &u.UploadID}
				if err := be.AbortMultipartUpload(ctx, abort); err != nil {
					return fmt.Errorf("bucket %s: %s: %w", b.Name, u.Key, err)
				}
			}
			if !page.IsTruncated {
				break
			}
			in.KeyMarker, in.UploadIdMarker = &page.NextKeyMarker, &page.NextUploadIDMarker
		}
	}
	return nil
}

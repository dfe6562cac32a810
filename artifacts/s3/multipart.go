package s3

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"github.com/hone-rl/hone/artifacts"
)

// The SDK's transfer manager aborts an upload that fails and cannot go on with one it finds, so parts are sent here.

func (s *Store) putLarge(ctx context.Context, up *upload) (artifacts.Descriptor, error) {
	desc := artifacts.Descriptor{MediaType: up.mediaType, Digest: up.digest, Size: up.size}
	if err := s.once(ctx, desc, true, func() error { return s.send(ctx, up) }); err != nil {
		return artifacts.Descriptor{}, explain(fmt.Errorf("store blob %s (%d bytes) in %s: %w",
			up.digest, up.size, s.where, err))
	}
	return desc, nil
}

// send uploads what is missing of up and completes it. When it fails, the parts that arrived stay for the next try.
func (s *Store) send(ctx context.Context, up *upload) error {
	id, parts, err := s.begun(ctx, up)
	if err != nil {
		return err
	}
	if id == "" {
		if id, err = s.begin(ctx, up); err != nil {
			return err
		}
	}
	if err := s.sendParts(ctx, up, id, parts); err != nil {
		return err
	}
	key := blobKey(up.digest)
	_, err = s.client.CompleteMultipartUpload(ctx, &awss3.CompleteMultipartUploadInput{
		Bucket:          &s.bucket,
		Key:             &key,
		UploadId:        &id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
		IfNoneMatch:     aws.String("*"),
	})
	if lost(err) {
		// Another upload of the same blob was first; this one's parts are of no use to anyone.
		_, aerr := s.client.AbortMultipartUpload(ctx, &awss3.AbortMultipartUploadInput{
			Bucket: &s.bucket, Key: &key, UploadId: &id,
		})
		if aerr != nil {
			s.log.WarnContext(ctx, "leftover upload not removed", "key", key, "upload", id, "error", aerr)
		}
	}
	return err
}

func (s *Store) begin(ctx context.Context, up *upload) (string, error) {
	out, err := s.client.CreateMultipartUpload(ctx, &awss3.CreateMultipartUploadInput{
		Bucket:            &s.bucket,
		Key:               aws.String(blobKey(up.digest)),
		ContentType:       &up.mediaType,
		ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
		ChecksumType:      types.ChecksumTypeComposite,
		Metadata:          map[string]string{metaDigest: string(up.digest)},
	})
	if err != nil {
		return "", err
	}
	return aws.ToString(out.UploadId), nil
}

// sendParts uploads the parts that have no ETag in parts yet, several at once. After an error no part is begun, but
// those on their way are not cut off: what arrives need not be sent again.
func (s *Store) sendParts(ctx context.Context, up *upload, id string, parts []types.CompletedPart) error {
	var group errgroup.Group
	group.SetLimit(s.concurrency)
	var failed atomic.Bool
	for i := range parts {
		if parts[i].ETag != nil {
			continue
		}
		if failed.Load() || ctx.Err() != nil {
			break
		}
		body, err := up.body(i) // here, for contents that can only be read from one place at a time
		if err != nil {
			return errors.Join(fmt.Errorf("read part %d: %w", i+1, err), group.Wait())
		}
		group.Go(func() error {
			out, err := s.client.UploadPart(ctx, &awss3.UploadPartInput{
				Bucket:            &s.bucket,
				Key:               aws.String(blobKey(up.digest)),
				UploadId:          &id,
				PartNumber:        parts[i].PartNumber,
				Body:              body,
				ContentLength:     aws.Int64(up.partLength(i)),
				ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
				ChecksumSHA256:    parts[i].ChecksumSHA256,
			})
			if err != nil {
				failed.Store(true)
				return fmt.Errorf("part %d of %d: %w", i+1, len(parts), err)
			}
			parts[i].ETag = out.ETag
			return nil
		})
	}
	return cmp.Or(group.Wait(), ctx.Err())
}

// begun finds the upload of the same blob that has most of it, "" if there is none. The parts it returns are all of
// up's; those that are there already, with the right length and SHA-256, have an ETag.
func (s *Store) begun(ctx context.Context, up *upload) (string, []types.CompletedPart, error) {
	key := blobKey(up.digest)
	best, bestParts, bestCount := "", up.parts(), 0
	pages := awss3.NewListMultipartUploadsPaginator(s.client, &awss3.ListMultipartUploadsInput{
		Bucket: &s.bucket, Prefix: &key,
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if code(err) == "AccessDenied" {
			return "", bestParts, nil // may write but not list: begins anew
		}
		if err != nil {
			return "", nil, err
		}
		slices.SortFunc(page.Uploads, func(a, b types.MultipartUpload) int {
			return cmp.Compare(aws.ToString(a.UploadId), aws.ToString(b.UploadId))
		})
		for _, u := range page.Uploads {
			if aws.ToString(u.Key) != key || u.ChecksumAlgorithm != types.ChecksumAlgorithmSha256 {
				continue
			}
			parts, count, err := s.arrived(ctx, up, u.UploadId)
			if err != nil {
				return "", nil, err
			}
			if count > bestCount {
				best, bestParts, bestCount = aws.ToString(u.UploadId), parts, count
			}
		}
	}
	if best != "" {
		s.log.InfoContext(ctx, "upload resumed", "digest", up.digest, "parts", bestCount, "of", len(bestParts))
	}
	return best, bestParts, nil
}

// arrived lists which of up's parts the upload id has. One that is finished or gone meanwhile has none.
func (s *Store) arrived(ctx context.Context, up *upload, id *string) ([]types.CompletedPart, int, error) {
	parts, count := up.parts(), 0
	pages := awss3.NewListPartsPaginator(s.client, &awss3.ListPartsInput{
		Bucket: &s.bucket, Key: aws.String(blobKey(up.digest)), UploadId: id,
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if code(err) == "NoSuchUpload" {
			return parts, 0, nil
		}
		if err != nil {
			return nil, 0, err
		}
		for _, p := range page.Parts {
			i := int(aws.ToInt32(p.PartNumber)) - 1
			if i >= 0 && i < len(parts) && aws.ToInt64(p.Size) == up.partLength(i) &&
				aws.ToString(p.ChecksumSHA256) == *parts[i].ChecksumSHA256 {
				parts[i].ETag = p.ETag
				count++
			}
		}
	}
	return parts, count, nil
}

// parts is all of up's parts without their ETags.
func (u *upload) parts() []types.CompletedPart {
	parts := make([]types.CompletedPart, len(u.sums))
	for i, sum := range u.sums {
		parts[i].PartNumber = aws.Int32(int32(i + 1)) //nolint:gosec // at most 10,000
		parts[i].ChecksumSHA256 = aws.String(base64.StdEncoding.EncodeToString(sum[:]))
	}
	return parts
}

package s3

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/hone-rl/hone/artifacts"
)

const (
	blobPrefix = "blobs/sha256/"
	// metaDigest is the user metadata that says a blob's digest: the SHA-256 that S3 keeps of a multipart object is
	// one of hashes.
	metaDigest = "hone-digest"
)

func blobKey(d artifacts.Digest) string { return blobPrefix + d.Hex()[:2] + "/" + d.Hex() }

// Put implements artifacts.Store. An upload that was interrupted, by whatever means, goes on where it was when the
// same content is put again.
func (s *Store) Put(ctx context.Context, mediaType string, r io.ReadSeeker) (artifacts.Descriptor, error) {
	if err := ctx.Err(); err != nil {
		return artifacts.Descriptor{}, err
	}
	start, err := r.Seek(0, io.SeekCurrent)
	if err != nil {
		return artifacts.Descriptor{}, err
	}
	var head bytes.Buffer
	if _, err := io.CopyN(&head, r, s.partSize+1); err != nil && !errors.Is(err, io.EOF) {
		return artifacts.Descriptor{}, fmt.Errorf("read content to store: %w", err)
	}
	if int64(head.Len()) <= s.partSize {
		return s.putSmall(ctx, mediaType, head.Bytes())
	}
	head = bytes.Buffer{}
	if _, err := r.Seek(start, io.SeekStart); err != nil {
		return artifacts.Descriptor{}, err
	}
	up, err := s.survey(r, start)
	if err != nil {
		return artifacts.Descriptor{}, fmt.Errorf("read content to store: %w", err)
	}
	up.mediaType = mediaType
	return s.putLarge(ctx, up)
}

func (s *Store) putSmall(ctx context.Context, mediaType string, b []byte) (artifacts.Descriptor, error) {
	desc := artifacts.Descriptor{MediaType: mediaType, Digest: artifacts.Of(b), Size: int64(len(b))}
	put := func() error {
		sum, err := hex.DecodeString(desc.Digest.Hex())
		if err != nil {
			return err
		}
		_, err = s.client.PutObject(ctx, &awss3.PutObjectInput{
			Bucket:            &s.bucket,
			Key:               aws.String(blobKey(desc.Digest)),
			Body:              bytes.NewReader(b),
			ContentLength:     &desc.Size,
			ContentType:       &mediaType,
			ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
			ChecksumSHA256:    aws.String(base64.StdEncoding.EncodeToString(sum)),
			Metadata:          map[string]string{metaDigest: string(desc.Digest)},
			IfNoneMatch:       aws.String("*"),
		})
		return err
	}
	// A few kilobytes go over sooner than the question whether they need to.
	if err := s.once(ctx, desc, len(b) > 64<<10, put); err != nil {
		return artifacts.Descriptor{}, explain(fmt.Errorf("store blob %s in %s: %w", desc.Digest, s.where, err))
	}
	return desc, nil
}

// once calls put; with look, only if the blob is not there already. A put that is beaten to its place has succeeded
// all the same: the winner's content has the same digest. It may not even have got an answer: a server can close the
// connection of a request that has become pointless before it has read the body.
func (s *Store) once(ctx context.Context, desc artifacts.Descriptor, look bool, put func() error) error {
	const tries = 5
	for try := 1; ; try++ {
		if look {
			if there, err := s.has(ctx, desc); there || err != nil {
				return err
			}
		}
		err := put()
		if err == nil || ctx.Err() != nil || unreachable(err) {
			return err
		}
		there, herr := s.has(ctx, desc)
		if there || errors.Is(herr, artifacts.ErrCorrupt) {
			return herr
		}
		if try == tries || !lost(err) && code(err) != "NoSuchUpload" && !unanswered(err) && !troubled(err) {
			return err
		}
		// The other upload is about to end, or has failed and it is for this one to begin anew.
		if err := pause(ctx, time.Duration(try)*100*time.Millisecond); err != nil {
			return err
		}
	}
}

// has says whether the blob is there, ErrCorrupt if something else is in its place. One that is there counts as used.
func (s *Store) has(ctx context.Context, desc artifacts.Descriptor) (bool, error) {
	key := blobKey(desc.Digest)
	head, err := s.client.HeadObject(ctx, &awss3.HeadObjectInput{
		Bucket: &s.bucket, Key: &key, ChecksumMode: types.ChecksumModeEnabled,
	})
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	size, said := aws.ToInt64(head.ContentLength), head.Metadata[metaDigest]
	if size != desc.Size || said != "" && said != string(desc.Digest) {
		return false, fmt.Errorf("object %s has %d bytes and digest %q in its metadata, expected %d bytes: %w",
			key, size, said, desc.Size, artifacts.ErrCorrupt)
	}
	if head.ChecksumSHA256 != nil && head.ChecksumType == types.ChecksumTypeFullObject {
		sum, err := base64.StdEncoding.DecodeString(*head.ChecksumSHA256)
		if err != nil || hex.EncodeToString(sum) != desc.Digest.Hex() {
			return false, fmt.Errorf("object %s has SHA-256 %s: %w", key, *head.ChecksumSHA256, artifacts.ErrCorrupt)
		}
	}
	return true, s.use(ctx, desc.Digest, head)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

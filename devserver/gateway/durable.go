package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"
)

// durable flushes what the folder holds to the disk before it is acknowledged. posix alone leaves that to the
// kernel: safe from a kill, not from a power cut.
type durable struct {
	*posix.Posix
	root string // absolute
}

func (d durable) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	out, err := d.Posix.PutObject(ctx, in)
	if err == nil {
		err = d.flush(*in.Bucket, *in.Key)
	}
	return out, full(err)
}

func (d durable) CopyObject(ctx context.Context, in s3response.CopyObjectInput) (s3response.CopyObjectOutput, error) {
	out, err := d.Posix.CopyObject(ctx, in)
	if err == nil {
		err = d.flush(*in.Bucket, *in.Key)
	}
	return out, full(err)
}

// UploadPart flushes too: a resumed upload trusts the checksums that were stored with its parts.
func (d durable) UploadPart(ctx context.Context, in *s3.UploadPartInput) (*s3.UploadPartOutput, error) {
	out, err := d.Posix.UploadPart(ctx, in)
	if err == nil {
		sum := sha256.Sum256([]byte(*in.Key))
		err = d.flush(*in.Bucket, filepath.Join(posix.MetaTmpMultipartDir, hex.EncodeToString(sum[:]), *in.UploadId,
			strconv.Itoa(int(aws.ToInt32(in.PartNumber)))))
		if errors.Is(err, fs.ErrNotExist) { // completed or aborted by another client meanwhile
			return nil, s3err.GetNoSuchUploadErr(*in.UploadId)
		}
	}
	return out, full(err)
}

func (d durable) CompleteMultipartUpload(ctx context.Context, in *s3.CompleteMultipartUploadInput) (
	s3response.CompleteMultipartUploadResult, string, error,
) {
	out, version, err := d.Posix.CompleteMultipartUpload(ctx, in)
	if err == nil {
		err = d.flush(*in.Bucket, *in.Key)
	}
	return out, version, full(err)
}

// flush syncs a file and, because their entries may be new, the folders from it up to the bucket's.
func (d durable) flush(bucket, key string) error {
	top := filepath.Join(d.root, bucket)
	for path := filepath.Join(top, filepath.FromSlash(key)); ; path = filepath.Dir(path) {
		if err := syncPath(path); err != nil {
			return err
		}
		if len(path) <= len(top) {
			return nil
		}
	}
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// full gives a full disk the answer that says so wherever it was noticed; elsewhere it would be InternalError.
func full(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return s3err.GetAPIError(s3err.ErrNoSpaceLeftOnDevice)
	case errors.Is(err, syscall.EDQUOT):
		return s3err.GetAPIError(s3err.ErrQuotaExceeded)
	}
	return err
}

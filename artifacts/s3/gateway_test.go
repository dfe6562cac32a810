package s3_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"

	"github.com/hone-rl/hone/devserver/gateway"
)

// faults counts what reaches the folder behind the gateway and lets tests fail it.
type faults struct {
	mu    sync.Mutex
	parts map[string]int // uploaded, by bucket
	puts  map[string]int // by bucket
	room  map[string]int // bytes that still fit, by bucket; those not named have no limit
	onPut func(bucket, key string) error
}

// count takes the bytes of a call from the bucket's room.
func (f *faults) take(bucket string, n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	room, limited := f.room[bucket]
	if !limited {
		return nil
	}
	if int64(room) < n {
		return fmt.Errorf("write %s: %w", bucket, syscall.ENOSPC)
	}
	f.room[bucket] = room - int(n)
	return nil
}

func (f *faults) limit(bucket string, bytes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.room == nil {
		f.room = map[string]int{}
	}
	f.room[bucket] = bytes
}

func (f *faults) partsOf(bucket string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.parts[bucket]
}

type faulty struct {
	backend.Backend
	*faults
}

func (b faulty) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	b.mu.Lock()
	hook := b.onPut
	b.mu.Unlock()
	if hook != nil {
		if err := hook(*in.Bucket, *in.Key); err != nil {
			return s3response.PutObjectOutput{}, err
		}
	}
	if err := b.take(*in.Bucket, *in.ContentLength); err != nil {
		_, _ = io.Copy(io.Discard, in.Body) // as a server that notices while it writes
		return s3response.PutObjectOutput{}, s3err.GetAPIError(s3err.ErrNoSpaceLeftOnDevice)
	}
	return b.Backend.PutObject(ctx, in)
}

func (b faulty) UploadPart(ctx context.Context, in *awss3.UploadPartInput) (*awss3.UploadPartOutput, error) {
	if err := b.take(*in.Bucket, *in.ContentLength); err != nil {
		_, _ = io.Copy(io.Discard, in.Body) // as above
		return nil, s3err.GetAPIError(s3err.ErrNoSpaceLeftOnDevice)
	}
	out, err := b.Backend.UploadPart(ctx, in)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.parts == nil {
		b.parts = map[string]int{}
	}
	if err == nil {
		b.parts[*in.Bucket]++
	}
	return out, err
}

func startGateway(dir string, f *faults) (*gateway.Gateway, string, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, "", err
	}
	g, err := gateway.Start(context.Background(), gateway.Config{
		Dir: filepath.Join(dir, "objects"), MetaDir: filepath.Join(dir, "meta"), Address: address,
		AccessKeyID: accessKey, SecretAccessKey: secretKey,
		Wrap: func(be backend.Backend) backend.Backend { return faulty{be, f} },
	})
	return g, address, err
}

// childJob names the environment variable that makes this test program do a job and nothing else.
const childJob = "HONE_S3_TEST_JOB"

func child(job string) {
	what, args, _ := strings.Cut(job, " ")
	fmt.Fprintln(os.Stderr, "no such job:", what, args)
	os.Exit(2)
}

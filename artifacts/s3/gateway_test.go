package s3_test

import (
	"context"
	"io"
	"path/filepath"
	"sync"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"

	"github.com/hone-rl/hone/devserver/gateway"
)

// faults counts what reaches the folder behind the gateway and lets tests fail it. Hooks are given the bucket, since
// every test has its own.
type faults struct {
	mu    sync.Mutex
	parts map[string]int // that were uploaded, by bucket
	room  map[string]int // bytes that still fit, by bucket; those not named have no limit
	hooks map[string]hooks
}

type hooks struct {
	list    func() error
	putDone func() error // after an object has been put
	part    func(number int) error
}

func (f *faults) set(bucket string, h hooks) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hooks == nil {
		f.hooks = map[string]hooks{}
	}
	f.hooks[bucket] = h
}

func (f *faults) of(bucket string) hooks {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hooks[bucket]
}

// take takes the bytes of a call from the bucket's room.
func (f *faults) take(bucket string, n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	room, limited := f.room[bucket]
	if !limited {
		return nil
	}
	if int64(room) < n {
		return s3err.GetAPIError(s3err.ErrNoSpaceLeftOnDevice)
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

// sent is how many parts the bucket has been sent since it was last asked.
func (f *faults) sent(bucket string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.parts[bucket]
	delete(f.parts, bucket)
	return n
}

type faulty struct {
	backend.Backend
	*faults
}

func (b faulty) ListObjectsV2(ctx context.Context, in *awss3.ListObjectsV2Input) (s3response.ListObjectsV2Result, error) {
	if hook := b.of(*in.Bucket).list; hook != nil {
		if err := hook(); err != nil {
			return s3response.ListObjectsV2Result{}, err
		}
	}
	return b.Backend.ListObjectsV2(ctx, in)
}

func (b faulty) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	if err := b.take(*in.Bucket, *in.ContentLength); err != nil {
		_, _ = io.Copy(io.Discard, in.Body) // as a server that notices while it writes
		return s3response.PutObjectOutput{}, err
	}
	out, err := b.Backend.PutObject(ctx, in)
	if hook := b.of(*in.Bucket).putDone; hook != nil && err == nil {
		err = hook()
	}
	return out, err
}

func (b faulty) UploadPart(ctx context.Context, in *awss3.UploadPartInput) (*awss3.UploadPartOutput, error) {
	err := b.take(*in.Bucket, *in.ContentLength)
	if hook := b.of(*in.Bucket).part; hook != nil && err == nil {
		err = hook(int(*in.PartNumber))
	}
	if err != nil {
		_, _ = io.Copy(io.Discard, in.Body) // as above
		return nil, err
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

func gatewayConfig(dir, address string) gateway.Config {
	return gateway.Config{
		Dir: filepath.Join(dir, "objects"), MetaDir: filepath.Join(dir, "meta"), Address: address,
		AccessKeyID: accessKey, SecretAccessKey: secretKey,
	}
}

func startGateway(dir string, f *faults) (*gateway.Gateway, string, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, "", err
	}
	cfg := gatewayConfig(dir, address)
	cfg.Wrap = func(be backend.Backend) backend.Backend { return faulty{be, f} }
	g, err := gateway.Start(context.Background(), cfg)
	return g, address, err
}

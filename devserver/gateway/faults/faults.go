// Package faults lets tests count and fail what reaches the folder behind a gateway.
package faults

import (
	"context"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"
)

// Faults is what is counted and failed, bucket by bucket, so that tests with buckets of their own do not meet. Its
// zero value does nothing.
type Faults struct {
	mu    sync.Mutex
	parts map[string]int // that were uploaded
	room  map[string]int64
	hooks map[string]Hooks
}

// Hooks are called on requests for a bucket; an error is the request's. Nil ones are not called.
type Hooks struct {
	List func() error
	Put  func() error           // after an object has been put
	Part func(number int) error // before a part is written
	// Complete is called before an upload's parts become an object.
	Complete func() error
}

// Set replaces the bucket's hooks.
func (f *Faults) Set(bucket string, h Hooks) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hooks == nil {
		f.hooks = map[string]Hooks{}
	}
	f.hooks[bucket] = h
}

func (f *Faults) of(bucket string) Hooks {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hooks[bucket]
}

// Limit lets so many more bytes into the bucket; then the disk is full.
func (f *Faults) Limit(bucket string, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.room == nil {
		f.room = map[string]int64{}
	}
	f.room[bucket] = bytes
}

func (f *Faults) take(bucket string, bytes int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	room, limited := f.room[bucket]
	if limited && room < bytes {
		return s3err.GetAPIError(s3err.ErrNoSpaceLeftOnDevice)
	}
	if limited {
		f.room[bucket] = room - bytes
	}
	return nil
}

// Sent is how many parts the bucket has been sent since it was last asked.
func (f *Faults) Sent(bucket string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.parts[bucket]
	delete(f.parts, bucket)
	return n
}

func (f *Faults) arrived(bucket string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.parts == nil {
		f.parts = map[string]int{}
	}
	f.parts[bucket]++
}

// Wrap is for gateway.Config.
func (f *Faults) Wrap(be backend.Backend) backend.Backend { return faulty{be, f} }

type faulty struct {
	backend.Backend
	*Faults
}

func (b faulty) ListObjectsV2(ctx context.Context, in *s3.ListObjectsV2Input) (s3response.ListObjectsV2Result, error) {
	if hook := b.of(*in.Bucket).List; hook != nil {
		if err := hook(); err != nil {
			return s3response.ListObjectsV2Result{}, err
		}
	}
	return b.Backend.ListObjectsV2(ctx, in)
}

func (b faulty) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	if err := b.take(*in.Bucket, *in.ContentLength); err != nil {
		return s3response.PutObjectOutput{}, drained(in.Body, err)
	}
	out, err := b.Backend.PutObject(ctx, in)
	if hook := b.of(*in.Bucket).Put; hook != nil && err == nil {
		err = hook()
	}
	return out, err
}

func (b faulty) UploadPart(ctx context.Context, in *s3.UploadPartInput) (*s3.UploadPartOutput, error) {
	err := b.take(*in.Bucket, *in.ContentLength)
	if hook := b.of(*in.Bucket).Part; hook != nil && err == nil {
		err = hook(int(*in.PartNumber))
	}
	if err != nil {
		return nil, drained(in.Body, err)
	}
	out, err := b.Backend.UploadPart(ctx, in)
	if err == nil {
		b.arrived(*in.Bucket)
	}
	return out, err
}

func (b faulty) CompleteMultipartUpload(ctx context.Context, in *s3.CompleteMultipartUploadInput) (s3response.CompleteMultipartUploadResult, string, error) {
	if hook := b.of(*in.Bucket).Complete; hook != nil {
		if err := hook(); err != nil {
			return s3response.CompleteMultipartUploadResult{}, "", err
		}
	}
	return b.Backend.CompleteMultipartUpload(ctx, in)
}

// drained reads the body to its end, as a server does that notices while it writes: otherwise the connection would
// be reset before the client has read why.
func drained(body io.Reader, err error) error {
	_, _ = io.Copy(io.Discard, body) // err is what counts
	return err
}

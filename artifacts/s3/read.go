package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/hone-rl/hone/artifacts"
)

const (
	// stallTimeout is how long an answer may bring nothing before it is asked for again.
	stallTimeout = time.Minute
	// readTries is how often an answer may break off without having brought a byte.
	readTries = 4
)

// Open implements artifacts.Store. An answer that breaks off is asked for again from there.
func (s *Store) Open(ctx context.Context, d artifacts.Digest) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.Validate(); err != nil {
		return nil, err
	}
	o := &object{store: s, key: blobKey(d)}
	if err := o.open(ctx); err != nil {
		if missing(err) {
			err = artifacts.ErrNotFound
		}
		return nil, explain(fmt.Errorf("blob %s in %s: %w", d, s.where, err))
	}
	o.reopen = func() error { return o.open(ctx) }
	return artifacts.Verified(o, d), nil
}

// object reads an object over as many answers as it takes.
type object struct {
	store  *Store
	key    string
	body   io.ReadCloser
	etag   *string // of the first answer, so that the later ones are of the same content
	offset int64   // what has been read, in bytes
	size   int64
	empty  int // answers in a row that brought nothing
	cancel context.CancelFunc
	stall  *time.Timer
	reopen func() error
}

func (o *object) open(ctx context.Context) error {
	in := &awss3.GetObjectInput{Bucket: &o.store.bucket, Key: &o.key}
	if o.etag != nil {
		in.IfMatch = o.etag
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", o.offset))
	}
	ctx, cancel := context.WithCancel(ctx)
	out, err := o.store.client.GetObject(ctx, in)
	if err != nil {
		cancel()
		return err
	}
	if o.etag == nil {
		o.etag, o.size = out.ETag, aws.ToInt64(out.ContentLength)
	}
	o.body, o.cancel = out.Body, cancel
	o.stall = time.AfterFunc(stallTimeout, cancel)
	return nil
}

func (o *object) Read(p []byte) (int, error) {
	for {
		o.stall.Reset(stallTimeout)
		n, err := o.body.Read(p)
		o.offset += int64(n)
		if n > 0 {
			o.empty = 0
		}
		switch {
		case err == nil:
			return n, nil
		case errors.Is(err, io.EOF) && o.offset >= o.size:
			return n, io.EOF
		case n > 0:
			return n, nil // what broke is met again at the next read
		}
		o.empty++
		if o.empty >= readTries {
			return 0, fmt.Errorf("read %s: broke off at byte %d of %d: %w", o.key, o.offset, o.size, noEOF(err))
		}
		_ = o.Close() // it is broken
		if oerr := o.reopen(); oerr != nil {
			return 0, explain(fmt.Errorf("read %s: broke off at byte %d of %d (%w): %w", o.key, o.offset, o.size, noEOF(err), oerr))
		}
	}
}

// noEOF keeps an answer that ended early from looking like a complete one.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (o *object) Close() error {
	o.stall.Stop()
	o.cancel()
	return o.body.Close()
}

package s3

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/hone-rl/hone/artifacts"
)

// upload is a large blob on its way: what it is and how it is cut.
type upload struct {
	content   io.ReadSeeker
	start     int64 // where the blob begins in content
	mediaType string
	digest    artifacts.Digest
	size      int64
	partSize  int64
	sums      [][sha256.Size]byte // of each part, the first one first
}

// survey reads all of r, whose position is start. The sums of its parts are taken in the same pass. The size of
// parts follows from the blob's size alone, so that a later try cuts it alike.
func (s *Store) survey(r io.ReadSeeker, start int64) (*upload, error) {
	end, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := r.Seek(start, io.SeekStart); err != nil {
		return nil, err
	}
	up := &upload{content: r, start: start, partSize: s.partSize}
	for (end-start)/up.partSize >= maxParts {
		up.partSize *= 2
	}
	if up.partSize > maxPartSize {
		return nil, fmt.Errorf("%d bytes are more than an S3 object can hold", end-start)
	}
	whole := sha256.New()
	for {
		part := sha256.New()
		n, err := io.CopyN(io.MultiWriter(whole, part), r, up.partSize)
		up.size += n
		if n > 0 {
			up.sums = append(up.sums, [sha256.Size]byte(part.Sum(nil)))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	up.digest, err = artifacts.ParseDigest("sha256:" + hex.EncodeToString(whole.Sum(nil)))
	return up, err
}

// partLength is the length in bytes of part i, counted from 0.
func (u *upload) partLength(i int) int64 {
	return min(u.partSize, u.size-int64(i)*u.partSize)
}

// body is the content of part i. Of files and byte slices it is a window; anything else is read into memory, and
// then calls must not overlap.
func (u *upload) body(i int) (io.ReadSeeker, error) {
	offset, length := u.start+int64(i)*u.partSize, u.partLength(i)
	if at, ok := u.content.(io.ReaderAt); ok {
		return io.NewSectionReader(at, offset, length), nil
	}
	if _, err := u.content.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	b := make([]byte, length)
	if _, err := io.ReadFull(u.content, b); err != nil {
		return nil, err
	}
	return bytes.NewReader(b), nil
}

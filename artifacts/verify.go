package artifacts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// Verified reads r and, at its end, compares what was read with d: Read answers ErrCorrupt in place of io.EOF when
// they differ. A reader that stops earlier has verified nothing. Close closes r.
func Verified(r io.ReadCloser, d Digest) io.ReadCloser {
	return &verified{r: r, want: d, sum: sha256.New()}
}

type verified struct {
	r    io.ReadCloser
	want Digest
	sum  hash.Hash
	size int64
	err  error // given again once it has been given
}

func (v *verified) Read(p []byte) (int, error) {
	if v.err != nil {
		return 0, v.err
	}
	n, err := v.r.Read(p)
	v.sum.Write(p[:n]) // a hash never fails
	v.size += int64(n)
	if errors.Is(err, io.EOF) {
		err = v.end()
	}
	v.err = err
	return n, err
}

func (v *verified) end() error {
	if got := Digest(prefix + hex.EncodeToString(v.sum.Sum(nil))); got != v.want {
		return fmt.Errorf("blob %s: its %d bytes have digest %s: %w", v.want, v.size, got, ErrCorrupt)
	}
	return io.EOF
}

func (v *verified) Close() error { return v.r.Close() }

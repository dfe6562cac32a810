// Package shelf keeps records of bytes in a file: written once, one after the other, and read one at a time wherever
// they lie, so that a file of many gigabytes takes no memory. Every record is checked when it is read.
package shelf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"

	"github.com/hone-rl/hone/internal/regular"
)

// The file: a header of 32 bytes, then records, the last of which is the register, by which its owner finds the others.
// Numbers are little-endian.
//
//	header  magic (8 bytes), version, 0 (32 bits each), where the register begins (64 bits), CRC-32C of the 24 bytes
//	        before and 0 (32 bits each)
//	record  its length and the CRC-32C of its bytes (32 bits each), its bytes
const (
	magic      = "HONEshlf"
	version    = 1 // of the layout and of what webshop keeps in it
	headerSize = 32
	recordHead = 8
)

// maxRecord bounds a record in bytes, the register among them.
const maxRecord = 1 << 30

// guess is how many bytes are read at first: most records are no longer.
const guess = 4096

// ErrBad is the error of a file that is damaged, cut short, of another version or of another kind. It can be made again.
var ErrBad = errors.New("not a file of products that can be used")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Shelf is a file that is open. It never changes and may be used from many goroutines.
type Shelf struct {
	file *os.File
	size int64
}

// Open opens a file and gives its register. It must stay as it is until Close.
func Open(path string) (s *Shelf, register []byte, err error) {
	file, size, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return nil, nil, err
	}
	s = &Shelf{file, size}
	if register, err = s.register(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return s, register, nil
}

func (s *Shelf) register() ([]byte, error) {
	head := make([]byte, headerSize)
	if _, err := s.file.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%w: %d bytes, expected a header of %d: %w", ErrBad, s.size, headerSize, err)
	}
	if string(head[:8]) != magic {
		return nil, fmt.Errorf("%w: it begins with %q, expected %q", ErrBad, head[:8], magic)
	}
	if v := binary.LittleEndian.Uint32(head[8:]); v != version {
		return nil, fmt.Errorf("%w: version %d, expected %d", ErrBad, v, version)
	}
	if got, want := crc32.Checksum(head[:24], castagnoli), binary.LittleEndian.Uint32(head[24:]); got != want {
		return nil, fmt.Errorf("%w: the header has checksum %08x, expected %08x", ErrBad, got, want)
	}
	return s.Read(binary.LittleEndian.Uint64(head[16:]))
}

// Read is the record at a place that Append gave. It belongs to the caller.
func (s *Shelf) Read(at uint64) ([]byte, error) {
	if at < headerSize || at > uint64(s.size) {
		return nil, fmt.Errorf("%w: a record at %d, expected it within %d bytes", ErrBad, at, s.size)
	}
	left := s.size - int64(at)
	data := make([]byte, min(guess, left))
	if _, err := s.file.ReadAt(data, int64(at)); err != nil {
		return nil, fmt.Errorf("%w: the record at %d: %w", ErrBad, at, err)
	}
	if len(data) < recordHead {
		return nil, fmt.Errorf("%w: the record at %d is cut short", ErrBad, at)
	}
	length, sum := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
	if length > maxRecord || recordHead+int64(length) > left {
		return nil, fmt.Errorf("%w: the record at %d has %d bytes, expected at most %d", ErrBad, at, length, left)
	}
	if have := len(data) - recordHead; have < int(length) {
		data = append(data, make([]byte, int(length)-have)...)
		if _, err := s.file.ReadAt(data[guess:], int64(at)+guess); err != nil {
			return nil, fmt.Errorf("%w: the record at %d: %w", ErrBad, at, err)
		}
	}
	data = data[recordHead : recordHead+length]
	if got := crc32.Checksum(data, castagnoli); got != sum {
		return nil, fmt.Errorf("%w: the record at %d has checksum %08x, expected %08x", ErrBad, at, got, sum)
	}
	return data, nil
}

// Close gives the file back. Nothing may be reading.
func (s *Shelf) Close() error { return s.file.Close() }

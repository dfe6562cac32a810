package search

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/edsrzf/mmap-go"

	"github.com/hone-rl/hone/internal/regular"
)

// Open maps the index at path into memory and checks all of it. A file that is not a whole index of this version is
// ErrBadIndex. It must stay as it is until Close; a search that meets what changed meanwhile is ErrBadIndex, too.
func Open(path string) (*Index, error) {
	x, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("open search index %s: %w", path, err)
	}
	return x, nil
}

func open(path string) (x *Index, err error) {
	file, size, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }() // the mapping stays
	if size < headerSize {
		return nil, fmt.Errorf("%w: %d bytes, expected a header of %d", ErrBadIndex, size, headerSize)
	}
	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	x, err = mapped(data)
	if err != nil {
		return nil, errors.Join(err, data.Unmap())
	}
	return x, nil
}

// Sum is the checksum of the index at path: of its header, which has those of all else. Nothing else is read.
func Sum(path string) (uint32, error) {
	file, size, err := regular.Open(path, math.MaxInt64)
	if err != nil {
		return 0, err
	}
	defer file.Close() // only read
	head := make([]byte, headerSize)
	if _, err := file.ReadAt(head, 0); err != nil {
		return 0, fmt.Errorf("read search index %s: %w: %d bytes, expected a header of %d: %w", path, ErrBadIndex, size, headerSize, err)
	}
	return crc32.Checksum(head[:headerSize-4], castagnoli), nil
}

func mapped(data mmap.MMap) (*Index, error) {
	x := &Index{release: data.Unmap}
	var bad error
	err := guard(func() { x.content, bad = read(data) })
	if bad != nil {
		err = fmt.Errorf("%w: %w", ErrBadIndex, bad)
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

// guard does what reads a mapped file. What the file no longer has, or has otherwise, is an error rather than the end of
// the process.
func guard(do func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("%w: it changed while it was open: %w", ErrBadIndex, r)
		default:
			panic(r)
		}
	}()
	do()
	return nil
}

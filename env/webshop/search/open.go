package search

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/edsrzf/mmap-go"

	"github.com/hone-rl/hone/internal/regular"
)

// Open maps the index at path into memory and checks all of it. A file that is not a whole index of this version is
// ErrBadIndex. It must stay as it is until Close; what a search no longer finds
// there is ErrBadIndex, too.
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

func mapped(data mmap.MMap) (x *Index, err error) {
	x = &Index{release: data.Unmap}
	errFault := guard(func() { x.content, err = read(data) })
	if err = errors.Join(err, errFault); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadIndex, err)
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

// Package regular reads files that outsiders name: only regular ones, or links to them, and no more of them than is
// expected. A pipe would keep its reader waiting, and a device may have no end.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a file that has at most limit bytes and says how many. What else it is, is told before it is opened.
func Open(path string, limit int64) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := check(path, info, limit); err != nil {
		return nil, 0, err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // should a pipe have taken its place
	if err != nil {
		return nil, 0, err
	}
	if info, err = file.Stat(); err == nil {
		err = check(path, info, limit)
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// Read is the content of a file of at most limit bytes.
func Read(path string, limit int64) (data []byte, err error) {
	file, size, err := Open(path, limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data = make([]byte, size+1)
	n, err := io.ReadFull(file, data)
	switch {
	case err == nil: // as files that the kernel makes up do, whose size is 0
		err := fmt.Errorf("more than its %d bytes, expected a file that stays as it is", size)
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF): // all of it, or cut short meanwhile
		err = nil
	}
	return data[:n], err
}

func check(path string, info fs.FileInfo, limit int64) error {
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		err := fmt.Errorf("a %s, expected a regular file", kind(mode))
		return &fs.PathError{Op: "read", Path: path, Err: err}
	case info.Size() > limit:
		err := fmt.Errorf("%d bytes, expected at most %d", info.Size(), limit)
		return &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return nil
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

package shelf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
)

// Writer writes a file, on one goroutine. It is none that can be opened until Finish.
type Writer struct {
	file *os.File
	out  *bufio.Writer
	at   uint64
	err  error // the first one
}

// Create begins a file.
func Create(path string) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: file, out: bufio.NewWriterSize(file, 1<<20), at: headerSize}
	_, w.err = w.out.Write(make([]byte, headerSize))
	return w, nil
}

// Append writes a record and says where it lies.
func (w *Writer) Append(record []byte) (at uint64, err error) {
	if w.err == nil && len(record) > maxRecord {
		w.err = fmt.Errorf("a record of %d bytes, expected at most %d", len(record), maxRecord)
	}
	if w.err != nil {
		return 0, w.err
	}
	var head [recordHead]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(record)))
	binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(record, castagnoli))
	if _, w.err = w.out.Write(head[:]); w.err == nil {
		_, w.err = w.out.Write(record)
	}
	at = w.at
	w.at += recordHead + uint64(len(record))
	return at, w.err
}

// Finish writes the register and closes the file.
func (w *Writer) Finish(register []byte) error {
	at, err := w.Append(register)
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil {
		head := make([]byte, headerSize)
		copy(head, magic)
		binary.LittleEndian.PutUint32(head[8:], version)
		binary.LittleEndian.PutUint64(head[16:], at)
		binary.LittleEndian.PutUint32(head[24:], crc32.Checksum(head[:24], castagnoli))
		_, err = w.file.WriteAt(head, 0)
	}
	if err == nil {
		err = w.file.Sync()
	}
	return errors.Join(err, w.file.Close())
}

// Close gives up a file that is not finished.
func (w *Writer) Close() error { return w.file.Close() }

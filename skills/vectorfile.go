package skills

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Vectors are kept as NumPy keeps them (format 1.0): 10 bytes, a header that is a text, little-endian float32, row
// by row. Numbers are exact, and numpy.load reads them.

// vectorHeader is all before the numbers. It is padded with blanks to a multiple of 64 bytes, as NumPy does.
func vectorHeader(rows, dimension int) []byte {
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, dimension)
	const before, multiple = 10, 64
	size := (before + len(text) + 1 + multiple - 1) / multiple * multiple
	text += strings.Repeat(" ", size-before-len(text)-1) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(text))), text...)
}

func encodeVectors(vectors []float32, rows, dimension int) []byte {
	b := vectorHeader(rows, dimension)
	b = append(make([]byte, 0, len(b)+4*len(vectors)), b...)
	for _, x := range vectors {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// decodeVectors reads that many rows, one behind the other. Each must be of length 1.
func decodeVectors(b []byte, rows, dimension int) ([]float32, error) {
	header := vectorHeader(rows, dimension)
	if !bytes.HasPrefix(b, header) {
		return nil, fmt.Errorf("header %.128q: expected %q", b[:min(len(b), len(header))], header)
	}
	b = b[len(header):]
	if want := 4 * int64(rows) * int64(dimension); int64(len(b)) != want {
		return nil, fmt.Errorf("%d bytes behind the header: expected %d for %d vectors of %d float32", len(b), want, rows, dimension)
	}
	vectors := make([]float32, rows*dimension)
	for i := range vectors {
		vectors[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	for i := range rows {
		if err := checkVector(vectors[i*dimension:(i+1)*dimension], dimension); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return vectors, nil
}

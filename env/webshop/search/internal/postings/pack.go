package postings

import "encoding/binary"

// pack appends the lowest width bits of each number, the first number in the lowest bits of the first byte.
func pack(b []byte, numbers []uint32, width int) []byte {
	var held uint64
	count := 0
	for _, n := range numbers {
		held |= uint64(n) << count
		for count += width; count >= 8; count -= 8 {
			b = append(b, byte(held))
			held >>= 8
		}
	}
	if count > 0 {
		b = append(b, byte(held))
	}
	return b
}

// packed is the size in bytes of count numbers of so many bits.
func packed(count, width int) int { return (count*width + 7) / 8 }

// number is the one at i of those packed in b. There are Padding bytes after them.
func number(b []byte, i, width int) uint32 {
	bit := i * width
	return uint32(binary.LittleEndian.Uint64(b[bit>>3:]) >> (bit & 7) & (1<<width - 1)) //nolint:gosec // width is at most 32
}

// unpack reads numbers and adds base to each.
func unpack(numbers []uint32, b []byte, width int, base uint32) {
	mask := uint64(1)<<width - 1
	bit := 0
	for i := range numbers {
		numbers[i] = base + uint32(binary.LittleEndian.Uint64(b[bit>>3:])>>(bit&7)&mask) //nolint:gosec // width is at most 32
		bit += width
	}
}

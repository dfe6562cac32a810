package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// The file of an index: a header of 256 bytes, then five sections, one right after the other to the end of the file.
// Numbers are little-endian. The bytes are a function of the documents alone, whatever their order.
//
//	header     magic (8 bytes), version, 0 (32 bits each); documents, documents with a term, length of all documents in
//	           terms, terms, postings (64 bits each); per section its offset and length (64 bits), its CRC-32C and 0 (32 bits);
//	           zeros; in the last four bytes the CRC-32C of those before
//	lists      the postings of each term in the order of the terms (internal/postings), and Padding zeros
//	terms      per term 16 bytes: where its text ends, its number of postings (32 bits each), where its list begins (64 bits)
//	term text  the terms in ascending order of their bytes
//	ids        per document 32 bits: where its id ends
//	id text    the ids in ascending order of their bytes; a document's number is its id's place
//	lengths    per document a byte, as Lucene encodes its length in terms
const (
	magic      = "HONEbm25"
	version    = 1 // of the layout, the analysis, k1 and b
	headerSize = 256
	entrySize  = 16
)

// The sections in their order.
const (
	sectionLists = iota
	sectionTerms
	sectionTermText
	sectionIDs
	sectionIDText
	sectionLengths
	sections
)

var sectionNames = [sections]string{"lists", "terms", "term text", "ids", "id text", "lengths"}

// maxDocuments bounds the numbers of documents.
const maxDocuments = math.MaxInt32

// ErrBadIndex is the error of an index file that is damaged, cut short, of another version, or no index at all. It can be
// built again.
var ErrBadIndex = errors.New("not a search index that can be used")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// section is where one lies.
type section struct {
	offset, length uint64
	sum            uint32 // CRC-32C
}

// header is the beginning of the file.
type header struct {
	documents, counted, length, terms, postings uint64
	sections                                    [sections]section
}

func (h *header) bytes() []byte {
	b := make([]byte, 0, headerSize)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, 0)
	for _, n := range []uint64{h.documents, h.counted, h.length, h.terms, h.postings} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	for _, s := range h.sections {
		b = binary.LittleEndian.AppendUint64(b, s.offset)
		b = binary.LittleEndian.AppendUint64(b, s.length)
		b = binary.LittleEndian.AppendUint32(b, s.sum)
		b = binary.LittleEndian.AppendUint32(b, 0)
	}
	b = append(b, make([]byte, headerSize-4-len(b))...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// readHeader reads the header of a file of these bytes and checks it against them, the sections' sums aside.
func readHeader(data []byte) (h header, err error) {
	if len(data) < headerSize {
		return h, fmt.Errorf("%d bytes, expected a header of %d", len(data), headerSize)
	}
	if string(data[:8]) != magic {
		return h, fmt.Errorf("begins with %q, expected %q", data[:8], magic)
	}
	if v := binary.LittleEndian.Uint32(data[8:]); v != version {
		return h, fmt.Errorf("version %d, expected %d", v, version)
	}
	if got, want := crc32.Checksum(data[:headerSize-4], castagnoli), binary.LittleEndian.Uint32(data[headerSize-4:]); got != want {
		return h, fmt.Errorf("the header has checksum %08x, expected %08x", got, want)
	}
	at := 16
	for _, n := range []*uint64{&h.documents, &h.counted, &h.length, &h.terms, &h.postings} {
		*n = binary.LittleEndian.Uint64(data[at:])
		at += 8
	}
	end := uint64(headerSize)
	for i := range h.sections {
		s := section{binary.LittleEndian.Uint64(data[at:]), binary.LittleEndian.Uint64(data[at+8:]), binary.LittleEndian.Uint32(data[at+16:])}
		at += 24
		if s.offset != end || s.length > uint64(len(data))-end {
			return h, fmt.Errorf("%s: %d bytes at %d, expected them at %d in %d bytes", sectionNames[i], s.length, s.offset, end, len(data))
		}
		end += s.length
		h.sections[i] = s
	}
	if end != uint64(len(data)) {
		return h, fmt.Errorf("%d bytes, expected %d", len(data), end)
	}
	return h, nil
}

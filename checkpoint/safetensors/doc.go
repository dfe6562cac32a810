// Package safetensors reads and writes the safetensors format: 8 bytes little-endian length of the header, the
// header (JSON: name to dtype, shape and the two ends of its bytes, counted from the header's end), the data.
//
// Headers are taken as the format describes them, which is at times more and at times less than Python's safetensors
// 0.8.0 takes. Refused here alone: a name that stands twice, among the metadata too; an empty name; members beside
// dtype, shape and data_offsets; a tensor as a list of its members' values; blanks before the header; more than 64
// dimensions or 131,072 tensors; element types that no model here has. Taken here alone: -0 as an offset. Both refuse
// what is not UTF-8, half a surrogate pair, a member that is missing or null or written in other letters, other than
// two offsets, fractions, holes, overlaps, and metadata that are not texts.
//
// Files are mapped into memory, not read: a tensor's bytes are a view of the file, good until Close. Everything a
// header says is checked against the file before it is believed. What is written is a function of the tensors and
// the metadata alone, byte for byte.
package safetensors

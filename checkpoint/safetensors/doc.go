// Package safetensors reads and writes the safetensors format: 8 bytes little-endian length of the header, the
// header (JSON: name to dtype, shape and the two ends of its bytes, counted from the header's end), the data.
//
// Files are mapped into memory, not read: a tensor's bytes are a view of the file, good until Close. Everything a
// header says is checked against the file before it is believed. What is written is a function of the tensors and
// the metadata alone, byte for byte.
package safetensors

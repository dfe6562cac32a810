// Package decode lets a model choose among given continuations and draw free ones.
//
// A [Batcher] takes requests from any goroutine and computes all that is under way in passes: each sequence's new
// tokens, their rows packed. Sequences join and leave between passes. Keys and values lie in pages of a few tokens,
// which sequences with the same beginning share (Kwon et al. 2023, section 4.3); finished beginnings stay, the ones
// not used for longest go first. A prompt that several requests have is computed once and forks when it is done. A
// recurrent state cannot be shared or cut back: of it copies are kept at the ends of prompts and where prompts part.
//
// No sequence knows of another: rows are computed row by row, attention sequence by sequence in an order that does
// not depend on how tokens are cut into passes, and what is decided is decided from a request's own numbers. So on
// the CPU in fp32 a request gives the same bits alone, in any company, and after anything that is still remembered.
// On a GPU and in bf16 the library's products depend on their shapes, and equality is up to rounding.
package decode

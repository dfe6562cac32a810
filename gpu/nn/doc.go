// Package nn is what language models are made of: linear layers and the adapters that stand in for them, norms,
// rotary positions, packed batches, the cache of keys and values, and reading all that from safetensors.
//
// Sequences are packed: the tokens of all sequences stand one after the other in rows, without padding. A layer
// that works row by row (linear, norm, gate) takes the rows as they are; attention is told which rows belong
// together. So a token costs the same in any batch.
package nn

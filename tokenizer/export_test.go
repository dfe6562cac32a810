package tokenizer

// Forget empties the cache of pieces, for benchmarks of texts that have not been seen.
func (t *Tokenizer) Forget() { t.cache = newCache() }

// Forget empties the cache of words.
func (w *WordPiece) Forget() { w.cache = newCache() }

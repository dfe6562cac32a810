// Package tokenizer is byte-level byte-pair encoding and WordPiece: it reads Hugging Face's tokenizer.json, gives the
// same ids as Python's tokenizers, and learns and writes byte-level vocabularies of its own.
package tokenizer

// Tokenizer is byte-level byte-pair encoding: it turns text into token ids and back. Its methods may be called from many goroutines.
type Tokenizer struct {
	vocab        map[string]int32 // model.vocab as written: byte-level characters
	merges       []merge          // by rank; what Save writes
	added        []addedToken     // by id
	split        split
	nfc          bool
	ignoreMerges bool

	text    []string         // by id: the bytes that a token stands for, "" where there is no token
	names   map[string]int32 // the added tokens' ids
	special map[int32]bool
	byteID  [256]int32       // the token of each single byte
	pairs   map[pair]result  // what two neighbouring tokens become
	whole   map[string]int32 // with ignoreMerges: vocabulary entries by their bytes
	raw     *matcher         // added tokens met in the text as given
	normed  *matcher         // added tokens met in the normalised text
	cache   *cache
}

// Encode returns the ids of text. Names of added tokens in the text, such as <|endoftext|>, become those
// tokens; nothing is put before or after. Every string has an encoding, valid UTF-8 or not.
func (t *Tokenizer) Encode(text string) []int32 {
	return t.raw.around(make([]int32, 0, len(text)/3+1), text, t.encodeRaw)
}

// EncodePlain is Encode for text that must not be able to name added tokens: <|endoftext|> is spelt out.
func (t *Tokenizer) EncodePlain(text string) []int32 {
	return t.encodePieces(make([]int32, 0, len(text)/3+1), t.normalize(text))
}

// encodeRaw appends the ids of a text without raw added tokens.
func (t *Tokenizer) encodeRaw(ids []int32, text string) []int32 {
	return t.normed.around(ids, t.normalize(text), t.encodePieces)
}

// encodePieces appends the ids of a normalised text without added tokens.
func (t *Tokenizer) encodePieces(ids []int32, text string) []int32 {
	for from := 0; from < len(text); {
		end := t.split.next(text, from)
		ids = t.encodePiece(ids, text[from:end])
		from = end
	}
	return ids
}

func (t *Tokenizer) textOf(id int32) string {
	if id < 0 || int(id) >= len(t.text) {
		return ""
	}
	return t.text[id]
}

// VocabSize is one more than the highest id, added tokens counted: the rows that an embedding needs.
func (t *Tokenizer) VocabSize() int { return len(t.text) }

// ID returns the id of a token by its name: an added token's text, or a vocabulary entry in byte-level
// characters as tokenizer.json writes it ("Ġgo").
func (t *Tokenizer) ID(token string) (int32, bool) {
	if id, ok := t.names[token]; ok {
		return id, true
	}
	id, ok := t.vocab[token]
	return id, ok
}

package tokenizer

import "slices"

// Byte-level BPE (Radford et al. 2019) writes each byte as one printable character: the printable ones of
// Latin-1 stand for themselves, the 68 others are U+0100, U+0101, … in the order of their bytes.
var (
	byteRune [256]rune
	runeByte = make(map[rune]byte, 256)
)

func init() {
	next := rune(256)
	for b := range 256 {
		r := rune(b)
		printable := '!' <= r && r <= '~' || '¡' <= r && r <= '¬' || '®' <= r && r <= 'ÿ'
		if !printable {
			r = next
			next++
		}
		byteRune[b] = r
		runeByte[r] = byte(b)
	}
}

// fromByteLevel reads byte-level characters; false if one is not of the alphabet.
func fromByteLevel(token string) (string, bool) {
	out := make([]byte, 0, len(token))
	for _, r := range token {
		b, ok := runeByte[r]
		if !ok {
			return "", false
		}
		out = append(out, b)
	}
	return string(out), true
}

// alphabet is all 256 byte-level characters by code point, the order in which training numbers them.
func alphabet() []rune {
	runes := slices.Clone(byteRune[:])
	slices.Sort(runes)
	return runes
}

// toByteLevel writes bytes as byte-level characters.
func toByteLevel(text string) string {
	out := make([]rune, len(text))
	for i := range len(text) {
		out[i] = byteRune[text[i]]
	}
	return string(out)
}

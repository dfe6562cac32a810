package python_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// TestEveryCharacter asks all of Unicode. The digests are Python 3.11.7's, of each property over all characters but
// surrogates:
//
//	every = [chr(c) for c in range(0x110000) if not 0xd800 <= c < 0xe000]
//	sha256("".join(c for c in every if c.isprintable()).encode())
//	sha256("\n".join(c.lower() for c in every).encode())
func TestEveryCharacter(t *testing.T) {
	var printed, words, spaces strings.Builder
	var lowered []string
	for r := rune(0); r < 0x110000; r++ {
		if 0xd800 <= r && r < 0xe000 {
			continue
		}
		if python.IsPrint(r) {
			printed.WriteRune(r)
		}
		if python.IsWord(r) {
			words.WriteRune(r)
		}
		if python.IsSpace(r) {
			spaces.WriteRune(r)
		}
		lowered = append(lowered, python.Lower(string(r)))
	}
	for name, c := range map[string]struct{ text, want string }{
		"isprintable": {printed.String(), "6bf71390afb42f146770f763b81ed0abfa13285d747ee8d64103190bfa195daa"},
		`\w of re`:    {words.String(), "fad7ecbbe89c705e0741fe9ef5aef1d50c7d987e7cffb783074ab82c064b4f2d"},
		"isspace":     {spaces.String(), "690d49e0bc6f7872ec9959b204e4151fce07372caa0194857fd3d2b71d06a2df"},
		"lower":       {strings.Join(lowered, "\n"), "edca77a44be2b4e6ffdbe85bfd097ed3725757a3f23c5ab03b627eba66c8f0af"},
	} {
		sum := sha256.Sum256([]byte(c.text))
		if got := hex.EncodeToString(sum[:]); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

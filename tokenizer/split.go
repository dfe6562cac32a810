package tokenizer

import (
	"fmt"
	"strings"
)

// The splits by name, for TrainConfig.
const (
	// SplitPhrase cuts only after a comma, a full stop, a colon or a line break, so that a command of a text
	// game can become one token.
	SplitPhrase = "phrase"
	// SplitWord cuts between words, each with the blank before it, and around numbers, which keep a mark or a line
	// break behind them: a type is the same token wherever it stands, and so is a number.
	SplitWord = "word"
	// SplitQwen2 is the split of Qwen2, Qwen2.5 and Qwen3: words, single digits, punctuation. NFC goes with it.
	SplitQwen2 = "qwen2"
	// SplitQwen35 is the split of Qwen3.5 and Qwen3.6: Qwen2's, but combining marks count as letters.
	SplitQwen35 = "qwen3.5"
)

// split cuts a text into the pieces that no token crosses.
type split struct {
	name    string
	pattern string // the regular expression that tokenizer.json says it with
	nfc     bool   // whether a vocabulary trained with it normalises to NFC
	next    func(text string, from int) (end int)
}

var splits = []split{
	{
		name:    SplitPhrase,
		pattern: `[^\n,.:]*[,.:]?\n?`,
		next:    nextPhrase,
	},
	{
		name: SplitQwen2,
		pattern: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*` +
			`|\s*[\r\n]+|\s+(?!\S)|\s+`,
		nfc:  true,
		next: nextQwen2,
	},
	{
		name:    SplitWord,
		pattern: ` ?[0-9]+[,.:]?\n?| ?[^ \t\r\n0-9,.:]+|[,.:]\n?|[ \t\r\n]`,
		next:    nextWord,
	},
	{
		name: SplitQwen35,
		pattern: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*` +
			`|\s*[\r\n]+|\s+(?!\S)|\s+`,
		nfc:  true,
		next: nextQwen35,
	},
}

func splitByName(name string) (split, error) {
	names := make([]string, len(splits))
	for i, s := range splits {
		if s.name == name {
			return s, nil
		}
		names[i] = s.name
	}
	return split{}, fmt.Errorf("split %q is not known (expected %s)", name, strings.Join(names, " or "))
}

func nextPhrase(text string, from int) int {
	i := from
	if n := strings.IndexAny(text[i:], "\n,.:"); n >= 0 {
		i += n
	} else {
		return len(text)
	}
	if text[i] != '\n' {
		i++
	}
	if i < len(text) && text[i] == '\n' {
		i++
	}
	return i
}

func nextWord(text string, from int) int {
	i := from
	if text[i] == ' ' && i+1 < len(text) && !strings.ContainsRune(" \t\r\n,.:", rune(text[i+1])) {
		i++
	}
	digit := func() bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }
	mark := func() bool { return i < len(text) && strings.IndexByte(",.:", text[i]) >= 0 }
	switch {
	case digit():
		for digit() {
			i++
		}
		if mark() {
			i++
		}
	case mark():
		i++
	case strings.IndexByte(" \t\r\n", text[i]) >= 0:
		return i + 1
	default:
		if n := strings.IndexAny(text[i:], " \t\r\n0123456789,.:"); n >= 0 {
			return i + n
		}
		return len(text)
	}
	if i < len(text) && text[i] == '\n' {
		i++
	}
	return i
}

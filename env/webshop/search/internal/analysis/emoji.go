package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	zeroWidthJoiner = '\u200D'
	textSelector    = '\uFE0E'
	emojiSelector   = '\uFE0F'
	enclosingKeycap = '\u20E3'
	firstModifier   = '\U0001F3FB' // of skin
	lastModifier    = '\U0001F3FF'
	firstTag        = '\U000E0020'
	lastTag         = '\U000E007E'
	endOfTags       = '\U000E007F'
)

// emoji is the length in bytes of the longest emoji sequence (UTS 51) that s begins with, 0 if there is none.
func emoji(s string) int {
	return max(pictures(s), flag(s), keycap(s))
}

// pictures are one or several joined by zero-width joiners, or one with a tag sequence.
func pictures(s string) int {
	end, joined := picture(s)
	if end == 0 {
		return 0
	}
	if n := tags(s[end:]); n > 0 {
		return end + n
	}
	for {
		next, apart := strings.CutPrefix(s[end:], string(zeroWidthJoiner))
		if !joined && !apart {
			return end
		}
		n, more := picture(next)
		if n == 0 {
			return end
		}
		end, joined = len(s)-len(next)+n, more
	}
}

// picture is one emoji with what extends it, and whether the last of that is a joiner. Joiners before it belong to it,
// unless it is a modifier on its own.
func picture(s string) (end int, joined bool) {
	start := strings.TrimLeft(s, string(zeroWidthJoiner))
	r, n := utf8.DecodeRuneInString(start)
	modifier := firstModifier <= r && r <= lastModifier
	if !unicode.Is(pictographic, r) || modifier && len(start) < len(s) {
		return 0, false
	}
	end = len(s) - len(start) + n
	more := extension(s[end:])
	joined = strings.HasSuffix(s[end:end+more], string(zeroWidthJoiner))
	end += more
	if !modifier && strings.HasPrefix(s[end:], string(emojiSelector)) {
		return end + len(string(emojiSelector)), false
	}
	return end, joined
}

// tags is the length of a tag sequence with its end.
func tags(s string) int {
	for i, r := range s {
		switch {
		case r == endOfTags && i > 0:
			return i + utf8.RuneLen(r)
		case r < firstTag || r > lastTag:
			return 0
		}
	}
	return 0
}

// flag is two regional indicators.
func flag(s string) int {
	end := 0
	for range 2 {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !unicode.Is(unicode.Regional_Indicator, r) {
			return 0
		}
		for end += n; end < len(s); end += n {
			if r, n = utf8.DecodeRuneInString(s[end:]); !extends(r) {
				break
			}
		}
	}
	return end
}

// keycap is a digit, # or * on a key.
func keycap(s string) int {
	if s == "" || s[0] != '#' && s[0] != '*' && (s[0] < '0' || s[0] > '9') {
		return 0
	}
	end := 1 + extension(s[1:])
	if n := len(selectedKeycap); strings.HasPrefix(s[end:], selectedKeycap) {
		return end + n + extension(s[end+n:])
	}
	if strings.ContainsRune(s[:end], enclosingKeycap) {
		return end
	}
	return 0
}

const selectedKeycap = string(emojiSelector) + string(enclosingKeycap)

// extension is the length of what extends the character before s, up to a presentation selector.
func extension(s string) int {
	for i, r := range s {
		if !extends(r) || r == textSelector || r == emojiSelector {
			return i
		}
	}
	return len(s)
}

package analysis

import "unicode/utf8"

// plain is the length of the word that s begins with, an underscore or an ASCII letter or digit, by the rules that hold
// for ASCII: letters, digits and underscores belong together, a dot, a colon or an apostrophe between two letters, a dot,
// a comma, a semicolon or an apostrophe between two digits. It is 0 where what decides is not ASCII, or where there are
// underscores alone.
//
// Nearly all of a catalogue is such words, and this finds them ten times as fast as the segmenter.
func plain(s string) int {
	alone := true
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			return 0
		case startsWord[c]:
			alone = alone && c == '_'
			continue
		case i+1 < len(s) && s[i+1] >= utf8.RuneSelf:
			return 0 // the other side may be a letter, or a mark on c
		case i+1 < len(s) && between(s[i-1], c, s[i+1]):
			continue
		case alone:
			return 0
		}
		return i
	}
	if alone {
		return 0
	}
	return len(s)
}

// between reports whether c joins what is left and right of it.
func between(left, c, right byte) bool {
	letters, digits := letter(left) && letter(right), digit(left) && digit(right)
	switch c {
	case '.', '\'':
		return letters || digits
	case ':':
		return letters
	case ',', ';':
		return digits
	}
	return false
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

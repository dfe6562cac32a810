package alfworld

import "strings"

// eachSymbol puts what change makes of it in the place of every symbol of a PDDL text.
func eachSymbol(text string, change func(string) string) string {
	return eachOf(text, func(r rune) bool { return !strings.ContainsRune(" \t\r\n()", r) }, change)
}

// eachWord does so with the words of a sentence or an id.
func eachWord(text string, change func(string) string) string {
	return eachOf(text, func(r rune) bool {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}, change)
}

func eachOf(text string, part func(rune) bool, change func(string) string) string {
	var b strings.Builder
	for len(text) > 0 {
		end := strings.IndexFunc(text, func(r rune) bool { return !part(r) })
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			b.WriteString(change(text[:end]))
			text = text[end:]
			continue
		}
		next := strings.IndexFunc(text, part)
		if next < 0 {
			next = len(text)
		}
		b.WriteString(text[:next])
		text = text[next:]
	}
	return b.String()
}

// count is how often a word stands in a text.
func count(text, word string) (n int) {
	eachWord(text, func(w string) string {
		if w == word {
			n++
		}
		return w
	})
	return n
}

package agent

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// ideographic are numerals that Unicode classes as letters.
const ideographic = "零一二三四五六七八九十百千万壱壹弐貳贰参參叁肆伍陸陆柒漆捌玖拾"

// pddlMarks are what the ids of ALFRED's PDDL have between their parts ("mug_bar__minus_00_dot_97").
var pddlMarks = []string{"_bar_", "_minus_", "_plus_", "_dot_"}

// HoldsInstance says whether text tells instances apart: a digit or number sign of any script or form, or a part
// of a PDDL id. Number words are not looked for; see hints for those.
func HoldsInstance(text string) bool {
	plain := norm.NFKC.String(text)
	for _, r := range text + plain {
		tagDigit := r >= 0xE0030 && r <= 0xE0039
		if unicode.IsNumber(r) || tagDigit || strings.ContainsRune(ideographic, r) {
			return true
		}
	}
	plain = strings.ToLower(plain)
	return slices.ContainsFunc(pddlMarks, func(mark string) bool { return strings.Contains(plain, mark) })
}

// HoldsCommand says whether the words of command stand in text one after the other, whatever the case, the form
// of their characters and the punctuation between them.
func HoldsCommand(text, command string) bool {
	words := Plain(command)
	return words != "" && strings.Contains(" "+Plain(text)+" ", " "+words+" ")
}

// Plain is text's words for comparison: compatibility forms made plain, lower case, invisible characters dropped,
// all but letters, marks, numbers and "_" a blank, blanks folded.
func Plain(text string) string {
	mapped := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r), r == '_':
			return r
		}
		return ' '
	}, strings.ToLower(norm.NFKC.String(text)))
	return Fold(mapped)
}

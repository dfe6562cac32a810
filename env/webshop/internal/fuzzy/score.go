package fuzzy

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"
)

// Score is the token-set score, from 0 to 100, of what was bought and what was wanted. The two may not be exchanged:
// difflib finds less in one order than in the other, now and then. A text without words has nothing in common with any.
// Its time grows with the product of the two lengths, and with more where characters repeat.
func Score(bought, wanted Words) int { return score(bought, wanted, 0) }

// Above says whether Score is above limit, mostly without comparing character by character.
func Above(bought, wanted Words, limit int) bool { return score(bought, wanted, limit) > limit }

// score is the score where that is above enough, else a number up to enough.
//
// The score is the best of three ratios: of the shared words with either text's, shared ones first, and of those two
// texts with one another. The first two are known from lengths alone, and the third is worked out where it could
// change what is said.
func score(bought, wanted Words, enough int) int {
	if len(bought.list) == 0 || len(wanted.list) == 0 {
		return 0
	}
	shared, onlyBought, onlyWanted := split(bought, wanted)
	if len(shared) > 0 && (len(onlyBought) == 0 || len(onlyWanted) == 0) {
		return 100 // all words of one are among the other's
	}
	x := strings.Join(shared, " ")
	y, z := joined(x, onlyBought), joined(x, onlyWanted)
	best := max(begins(x, y), begins(x, z))
	if most := bound(y, z); most <= max(best, enough) {
		return best
	}
	return max(best, ratio(y, z))
}

// joined is the shared words, then a text's own.
func joined(shared string, own []string) string {
	if shared == "" {
		return strings.Join(own, " ")
	}
	return shared + " " + strings.Join(own, " ")
}

// ratio is what difflib finds the same in two texts, in percent. Neither is empty.
func ratio(a, b string) int {
	return percent(difflib.NewMatcher(characters(a), characters(b)).Ratio())
}

// percent rounds as Python does, halves to the even number.
func percent(ratio float64) int { return int(math.RoundToEven(100 * ratio)) }

// share is difflib's ratio where so many characters of two lengths match.
func share(matches, a, b int) int { return percent(2 * float64(matches) / float64(a+b)) }

// popular is the length from which on difflib passes over characters of b that stand in it often.
const popular = 200

// begins is the ratio of a and a longer b that begins with it, all of which difflib finds.
func begins(a, b string) int {
	if a == "" {
		return 0
	}
	na, nb := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if nb >= popular {
		return ratio(a, b)
	}
	return share(na, na, nb)
}

// bound is a number that ratio does not exceed: no more characters can match than both texts have, in whatever order.
// Characters that share a place in the table count as one, which makes the bound no smaller.
func bound(a, b string) int {
	var have [128]int
	na, nb, matches := 0, 0, 0
	for _, r := range a {
		have[r&127]++
		na++
	}
	for _, r := range b {
		if have[r&127] > 0 {
			have[r&127]--
			matches++
		}
		nb++
	}
	return share(matches, na, nb)
}

// characters are the parts difflib compares.
func characters(text string) []string {
	list := make([]string, 0, len(text))
	for i := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		list = append(list, text[i:i+size])
	}
	return list
}

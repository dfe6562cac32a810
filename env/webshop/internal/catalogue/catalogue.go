// Package catalogue makes index texts of as many products as are wanted, for benchmarks and tests, since WebShop's full
// catalogue of 1.18 million cannot be had here. They are like the index texts of its thousand products, to which the
// tables are fitted, and mean nothing:
//
//   - Length: the number of index terms is drawn from the thousand texts' own distribution, by its quantiles (107.6 terms
//     on average, from 4 to 1,919).
//   - Repeats: with probability 0.35 the next term is one of the text so far, any with equal chance (Simon 1955), else a
//     fresh one. So a text of 107.6 terms has some 67 distinct ones (68.5 in the thousand), and frequencies have their
//     long tail.
//   - Document frequencies: the chance of a fresh term by its rank was solved for, octave by half octave, so that the
//     expected number of documents with a term is that of the thousand texts, down to rank 1,024 (13 documents). Beyond
//     it falls as rank^-1.54 (Zipf's law in the tail), which leaves the total at 1.
//   - Vocabulary: from that follows Heaps' law. Expected are 3,560, 5,435, 8,505 and 12,963 distinct terms in the first
//     125, 250, 500 and 1,000 texts; the real ones have 3,481, 5,253, 7,972 and 12,074. In the full catalogue's 127
//     million terms some 1.4 million are distinct.
//   - Bytes: stop words and commas are put between terms, so that a text has some 771 bytes (809).
//
// Terms of a text are independent of one another but for repeats, which is harder on a search than real texts are: it
// finds fewer documents that have all of a query's words, and so learns later which can be left out.
//
// What is drawn is a function of the seed and the number of the text or query, in whole numbers only, so it is the same
// on every machine.
package catalogue

import (
	"fmt"
	"strconv"
	"strings"
)

// FullSize is about the number of products in WebShop's full catalogue.
const FullSize = 1_180_000

// Size is the number of products that text names: a number, "full", or 0 for nothing.
func Size(text string) (int, error) {
	switch text {
	case "":
		return 0, nil
	case "full":
		return FullSize, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q, expected a number of products or full", text)
	}
	return n, nil
}

// Catalogue is an endless list of products.
type Catalogue struct {
	Seed uint64
}

// Document is the id and the index text of product i. Ids look like asins and are in no order.
func (c Catalogue) Document(i int) (id, text string) {
	ranks := c.ranks(i)
	var b strings.Builder
	b.Grow(8 * len(ranks))
	for at, rank := range ranks {
		switch {
		case at == 0:
		case at%10 == 0:
			b.WriteString(", ")
		default:
			b.WriteByte(' ')
		}
		if at%3 == 2 {
			b.WriteString(fillers[at/3%len(fillers)])
			b.WriteByte(' ')
		}
		b.WriteString(word(rank))
	}
	return asin(i), b.String()
}

// fillers are stop words.
var fillers = []string{"and", "the", "for", "with", "of"}

// asin spreads numbers over all ids of "B0" and 8 digits of base 36: the factor shares none with 36.
func asin(i int) string {
	const all = 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36
	digits := strconv.FormatUint(all+uint64(i)*1_640_531_526_563%all, 36)
	return "B0" + strings.ToUpper(digits[1:])
}

// ranks are the terms of text i, each by its place among all terms, the commonest being 0.
func (c Catalogue) ranks(i int) []uint32 {
	d := dice{c.Seed, uint64(i)}
	ranks := make([]uint32, d.from(lengths))
	for at := range ranks {
		if at > 0 && d.below(100) < repeats {
			ranks[at] = ranks[d.below(uint64(at))]
		} else {
			ranks[at] = uint32(d.from(shares))
		}
	}
	return ranks
}

// word is the text of a term: syllables and a k. No two have the same stem, since none of Porter's suffixes ends in k.
func word(rank uint32) string {
	const consonants, vowels = "bdfghjlmnprstvwz", "aeiou"
	var b []byte
	for n := int(rank) + 1; n > 0; {
		n--
		b = append(b, consonants[n%len(consonants)], vowels[n/len(consonants)%len(vowels)])
		n /= len(consonants) * len(vowels)
	}
	return string(append(b, 'k'))
}

package postings_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/search/internal/postings"
)

func impact(p postings.Posting) float32 { return float32(p.Freq) / float32(1+p.Doc%7) }

// drawn are count postings of documents some steps apart.
func drawn(dice *rand.Rand, count, step int) []postings.Posting {
	list := make([]postings.Posting, count)
	doc := dice.IntN(step)
	for i := range list {
		list[i] = postings.Posting{Doc: uint32(doc), Freq: 1 + uint32(dice.ExpFloat64())}
		doc += 1 + dice.IntN(step)
	}
	return list
}

func packed(list []postings.Posting) []byte {
	return append(postings.Append(nil, list, impact), make([]byte, postings.Padding)...)
}

var lists = []struct{ count, step int }{{1, 1}, {1, 1 << 20}, {2, 1}, {127, 3}, {128, 3}, {129, 3}, {256, 1}, {1000, 1}, {1000, 9}, {3000, 700_000}}

// TestCursor: what was packed is found again, by taking, by seeking, and within bounds.
func TestCursor(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	c := new(postings.Cursor) // one for all, as in a search
	for _, l := range lists {
		list := drawn(dice, l.count, l.step)
		b := packed(list)
		documents := int(list[len(list)-1].Doc) + 1
		size, err := postings.Check(b, len(list), documents, impact)
		terms := int64(0)
		for _, p := range list {
			terms += int64(p.Freq)
		}
		if err != nil || size != (postings.Size{Bytes: len(b) - postings.Padding, Terms: terms}) {
			t.Errorf("%v: got %+v, %v, want %d bytes and %d terms", l, size, err, len(b)-postings.Padding, terms)
		}
		for range 20 {
			width := 1 + dice.IntN(documents)
			c.Reset(postings.Open(b, len(list)), impact)
			rest := list
			for low := 0; low < documents; low += width {
				high := min(low+width, documents)
				n := 0
				highest := float32(0)
				for n < len(rest) && int(rest[n].Doc) < high {
					highest = max(highest, impact(rest[n]))
					n++
				}
				if bound := c.Bound(uint32(low), uint32(high)); bound < highest {
					t.Errorf("%v: bound %v from %d to %d, expected at least %v", l, bound, low, high, highest)
				}
				if dice.IntN(2) == 0 {
					found(t, c, rest[:n], low, high, dice)
				} else {
					taken(t, c, rest[:n], low, high)
				}
				rest = rest[n:]
			}
		}
	}
}

// taken takes all postings of a range.
func taken(t *testing.T, c *postings.Cursor, want []postings.Posting, low, high int) {
	t.Helper()
	var got []postings.Posting
	for from := uint32(low); ; {
		docs, freqs := c.Take(from, uint32(high))
		if len(docs) == 0 {
			break
		}
		for i, doc := range docs {
			got = append(got, postings.Posting{Doc: doc, Freq: freqs[i]})
		}
		from = docs[len(docs)-1] + 1
	}
	if !slices.Equal(got, want) {
		t.Errorf("from %d to %d: got %v, want %v", low, high, got, want)
	}
}

// found asks for some postings of a range and for documents that have none.
func found(t *testing.T, c *postings.Cursor, want []postings.Posting, low, high int, dice *rand.Rand) {
	t.Helper()
	for doc := low; doc < high; doc += 1 + dice.IntN(1+(high-low)/20) {
		i, ok := slices.BinarySearchFunc(want, uint32(doc), func(p postings.Posting, doc uint32) int { return int(p.Doc) - int(doc) })
		if ok && impact(want[i]) > c.Seek(uint32(doc)) {
			t.Errorf("document %d: impact %v in a block with %v", doc, impact(want[i]), c.Seek(uint32(doc)))
		}
		c.Seek(uint32(doc))
		freq := uint32(0)
		if ok {
			freq = want[i].Freq
		}
		if got := c.Freq(uint32(doc)); got != freq {
			t.Errorf("document %d: got frequency %d, want %d", doc, got, freq)
		}
	}
}

func TestLargest(t *testing.T) {
	list := []postings.Posting{{0, math.MaxUint32}, {math.MaxInt32 - 1, 1}}
	c := new(postings.Cursor)
	b := packed(list)
	if _, err := postings.Check(b, 2, math.MaxInt32, impact); err != nil {
		t.Error(err)
	}
	c.Reset(postings.Open(b, 2), impact)
	taken(t, c, list, 0, math.MaxInt32)
}

// TestCheck: every bit of a list counts, and so does what is said of it.
func TestCheck(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for _, l := range lists {
		list := drawn(dice, min(l.count, 300), min(l.step, 1000))
		b := packed(list)
		documents := int(list[len(list)-1].Doc) + 1
		end := len(b) - postings.Padding
		whole, err := postings.Check(b, len(list), documents, impact)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			what             string
			b                []byte
			count, documents int
			says             string
		}{
			{"no postings", b, 0, documents, "0 postings, expected 1 to"},
			{"too many", b, documents + 1, documents, "postings, expected 1 to"},
			{"no bytes", nil, len(list), documents, "expected"},
			{"no padding", b[:end], len(list), documents, ""},
			{"cut", b[:end/2], len(list), documents, ""},
			{"fewer documents", b, len(list), documents - 1, ""},
		} {
			if size, err := postings.Check(c.b, c.count, c.documents, impact); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, %s: got %+v, %v, want an error with %q", l, c.what, size, err, c.says)
			}
		}
		for at := range end {
			damaged := slices.Clone(b)
			damaged[at] ^= 1 << (at % 8)
			size, err := postings.Check(damaged, len(list), documents, impact)
			if err == nil { // another list, or bits that fill a byte: it can be read all the same
				c := new(postings.Cursor)
				c.Reset(postings.Open(damaged, len(list)), impact)
				read := postings.Size{Bytes: size.Bytes}
				count := 0
				for from := uint32(0); ; {
					docs, freqs := c.Take(from, uint32(documents))
					if len(docs) == 0 {
						break
					}
					count += len(docs)
					for _, freq := range freqs {
						read.Terms += int64(freq)
					}
					from = docs[len(docs)-1] + 1
				}
				if count != len(list) || read != size || size.Bytes > whole.Bytes+len(list)*4 {
					t.Errorf("%v, byte %d: %d postings, %+v, want %d, %+v", l, at, count, read, len(list), size)
				}
			}
		}
	}
}

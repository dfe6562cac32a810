package credit

// Ratio is how alike two texts are: twice the characters in matching blocks over all characters, as Python's
// difflib.SequenceMatcher(None, a, b, autojunk).ratio() has it (Ratcliff and Obershelp's algorithm). It is not
// symmetric. With autojunk, Python's default, characters that make up more than 1 % of a b of 200 characters and more
// begin no block, which for long pages of text is nearly all of them.
func Ratio(a, b string, autojunk bool) float64 {
	m := newMatcher([]rune(a), []rune(b), autojunk)
	if len(m.a)+len(m.b) == 0 {
		return 1
	}
	return 2 * float64(m.matches()) / float64(len(m.a)+len(m.b))
}

// alike says whether Ratio with autojunk is at least that much, and looks for cheap reasons why not first.
func alike(a, b string, least float64) bool {
	if a == b {
		return true
	}
	x, y := []rune(a), []rune(b)
	total := float64(len(x) + len(y))
	if 2*float64(min(len(x), len(y)))/total < least {
		return false
	}
	have := map[rune]int{}
	for _, c := range y {
		have[c]++
	}
	common := 0
	for _, c := range x {
		if have[c] > 0 {
			have[c]--
			common++
		}
	}
	if 2*float64(common)/total < least { // blocks cannot match more
		return false
	}
	return 2*float64(newMatcher(x, y, true).matches())/total >= least
}

type matcher struct {
	a, b []rune
	at   map[rune][]int // places in b, ascending, of characters that may begin a block
	// length of the match that ends at a place of b, shifted by one: of the last character of a, and of this one; all 0
	// between calls
	last, this []int
}

// Python's heuristic of popular elements.
const (
	popularFrom = 200 // characters of b
	popularPart = 100 // more than one in so many, rounded up
)

func newMatcher(a, b []rune, autojunk bool) *matcher {
	m := &matcher{a: a, b: b, at: map[rune][]int{}, last: make([]int, len(b)+1), this: make([]int, len(b)+1)}
	for j, c := range b {
		m.at[c] = append(m.at[c], j)
	}
	if autojunk && len(b) >= popularFrom {
		most := len(b)/popularPart + 1
		for c, places := range m.at {
			if len(places) > most {
				delete(m.at, c)
			}
		}
	}
	return m
}

// span is a part of a and a part of b.
type span struct{ alo, ahi, blo, bhi int }

// matches counts the characters in matching blocks: the longest block, then those to its left and right.
func (m *matcher) matches() (sum int) {
	open := []span{{0, len(m.a), 0, len(m.b)}}
	for len(open) > 0 {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		i, j, n := m.longest(s)
		if n == 0 {
			continue
		}
		sum += n
		if s.alo < i && s.blo < j {
			open = append(open, span{s.alo, i, s.blo, j})
		}
		if i+n < s.ahi && j+n < s.bhi {
			open = append(open, span{i + n, s.ahi, j + n, s.bhi})
		}
	}
	return sum
}

// longest is the longest block in s that begins with characters of m.at, the first in a and then in b of several,
// drawn out to both sides as far as the texts agree.
func (m *matcher) longest(s span) (i, j, n int) {
	i, j = s.alo, s.blo
	for x := s.alo; x < s.ahi; x++ {
		for _, y := range m.at[m.a[x]] {
			if y < s.blo {
				continue
			}
			if y >= s.bhi {
				break
			}
			k := m.last[y] + 1
			m.this[y+1] = k
			if k > n {
				i, j, n = x-k+1, y-k+1, k
			}
		}
		if x > s.alo {
			m.forget(m.last, x-1)
		}
		m.last, m.this = m.this, m.last
	}
	if s.alo < s.ahi {
		m.forget(m.last, s.ahi-1)
	}
	for i > s.alo && j > s.blo && m.a[i-1] == m.b[j-1] {
		i, j, n = i-1, j-1, n+1
	}
	for i+n < s.ahi && j+n < s.bhi && m.a[i+n] == m.b[j+n] {
		n++
	}
	return i, j, n
}

// forget takes back what character x of a put into a row.
func (m *matcher) forget(row []int, x int) {
	for _, y := range m.at[m.a[x]] {
		row[y+1] = 0
	}
}

package tokenizer

// addedToken is an entry of tokenizer.json's added_tokens.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

// matcher finds added tokens in a text: leftmost first, of those the longest. It is a trie over bytes.
type matcher struct {
	first [256]bool
	next  map[edge]int32 // to a node; the root is 0
	id    []int32        // of the token that ends at a node, -1 if none
}

type edge struct {
	node int32
	by   byte
}

// newMatcher takes contents that are not empty.
func newMatcher(tokens []addedToken, content func(addedToken) string) *matcher {
	m := &matcher{next: make(map[edge]int32), id: []int32{-1}}
	for _, token := range tokens {
		text, node := content(token), int32(0)
		m.first[text[0]] = true
		for i := range len(text) {
			e := edge{node, text[i]}
			to, ok := m.next[e]
			if !ok {
				to = int32(len(m.id))
				m.id = append(m.id, -1)
				m.next[e] = to
			}
			node = to
		}
		m.id[node] = token.ID
	}
	return m
}

// find returns the first token at or after from, or the text's end and id -1.
func (m *matcher) find(text string, from int) (start, end int, id int32) {
	if len(m.id) == 1 {
		return len(text), len(text), -1
	}
	for start = from; start < len(text); start++ {
		if !m.first[text[start]] {
			continue
		}
		id, node := int32(-1), int32(0)
		for i := start; i < len(text); i++ {
			to, ok := m.next[edge{node, text[i]}]
			if !ok {
				break
			}
			node = to
			if m.id[node] >= 0 {
				id, end = m.id[node], i+1
			}
		}
		if id >= 0 {
			return start, end, id
		}
	}
	return len(text), len(text), -1
}

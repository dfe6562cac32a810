package alfworld

// told is texts by number: those of a game's opening, which its episodes share, and then an episode's own.
type told struct {
	texts  []string
	work   []int32 // of telling each
	byText numbers // by itself
	byKey  numbers // by action and what it is about
	size   int     // of the episode's own, in bytes
}

// clone is a copy that can be added to.
func (t *told) clone() told {
	n := len(t.texts)
	return told{texts: t.texts[:n:n], work: t.work[:n:n], byText: t.byText.clone(), byKey: t.byKey.clone()}
}

func (t *told) add(text string, work int) int32 {
	id := int32(len(t.texts))
	t.texts, t.work = append(t.texts, text), append(t.work, int32(work))
	t.byText.add(text, id)
	t.size += entryBytes + len(text)
	return id
}

// numbers is a table that goes on from one that others share.
type numbers struct {
	shared, own map[string]int32
}

func (n *numbers) find(key []byte) int32 {
	if id, ok := n.shared[string(key)]; ok {
		return id
	}
	if id, ok := n.own[string(key)]; ok {
		return id
	}
	return -1
}

func (n *numbers) add(key string, id int32) {
	if n.own == nil {
		n.own = map[string]int32{}
	}
	n.own[key] = id
}

// clone shares what there is. Only a table without a shared part is cloned: that of an opening.
func (n *numbers) clone() numbers { return numbers{shared: n.own} }

func appendKey(key []byte, action int, about []int32) []byte {
	key = append(key, byte(action), byte(action>>8))
	for _, o := range about {
		key = append(key, byte(o), byte(o>>8), byte(o>>16), byte(o>>24))
	}
	return key
}

package alfworld

import (
	"slices"
	"sync"

	"github.com/hone-rl/hone/env/pddl"
)

const (
	// remembered is how many domains, and how many languages, a Library keeps: those met last.
	remembered = 8
	// maxRemembered is how long the text of one may be, in bytes; the real ones have 18 kB.
	maxRemembered = 1 << 20
)

// Library reads games and remembers their domains and grammars, so that games that have them in common share them
// and are read faster. Every game file brings its own copy of both; grammars that differ in the task sentence alone
// count as the same. The zero value is ready, and may be used from many goroutines. It holds a bounded number of
// domains and grammars, and no game.
type Library struct {
	mu        sync.Mutex
	domains   recent[readDomain]
	languages recent[sharedLanguage]
}

type readDomain struct {
	text   string
	quoted string // as it stands in a file, "" where that is not known
	domain *pddl.Domain
}

// Parse is as the function Parse; the game read is the same.
func (l *Library) Parse(id string, data []byte) (*Game, error) { return parseWith(l, id, data) }

// known is the text of a domain with which rest goes on, and how that stands there.
func (l *Library) known(rest []byte) (text, quoted string) {
	if l == nil {
		return "", ""
	}
	d, _ := find(l, &l.domains, func(d readDomain) bool {
		return d.quoted != "" && len(rest) >= len(d.quoted) && string(rest[:len(d.quoted)]) == d.quoted
	})
	return d.text, d.quoted
}

// domain reads a domain, or gives the one read from the same text before. Quoted is how the text stands in its file.
func (l *Library) domain(text string, quoted []byte) (*pddl.Domain, error) {
	if l == nil || len(text) > maxRemembered {
		return pddl.ParseDomain("pddl_domain", text)
	}
	same := func(d readDomain) bool { return d.text == text }
	if d, ok := find(l, &l.domains, same); ok {
		return d.domain, nil
	}
	domain, err := pddl.ParseDomain("pddl_domain", text)
	if err != nil {
		return nil, err
	}
	return keep(l, &l.domains, same, readDomain{text, string(quoted), domain}).domain, nil
}

// language reads a grammar for a domain, or gives the one read from a text that says the same but for the task.
func (l *Library) language(domain *pddl.Domain, text string) (*language, ownRule, error) {
	if l == nil || len(text) > maxRemembered {
		lang, err := newLanguage(domain, text)
		return lang, ownRule{}, err
	}
	same := func(s sharedLanguage) bool { return s.domain == domain && s.fits(text) }
	if s, ok := find(l, &l.languages, same); ok {
		if own, ok := s.own(text); ok {
			return s.language, own, nil
		}
		lang, err := newLanguage(domain, text)
		return lang, ownRule{}, err
	}
	lang, err := newLanguage(domain, text)
	if err != nil {
		return nil, ownRule{}, err
	}
	s, ok := share(domain, lang, text)
	if !ok {
		return lang, ownRule{}, nil
	}
	s = keep(l, &l.languages, same, s)
	own, _ := s.own(text) // it was made of this text, or of one that is the same but for the task
	return s.language, own, nil
}

// recent is a list of what was asked for last, the latest first.
type recent[T any] []T

// find looks for one that is meant, and makes it the latest.
func find[T any](l *Library, list *recent[T], meant func(T) bool) (found T, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(*list, meant)
	if i < 0 {
		return found, false
	}
	found = (*list)[i]
	copy((*list)[1:i+1], (*list)[:i])
	(*list)[0] = found
	return found, true
}

// keep adds one; if another goroutine was quicker, it gives the other's.
func keep[T any](l *Library, list *recent[T], meant func(T) bool, add T) T {
	if found, ok := find(l, list, meant); ok {
		return found
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	*list = slices.Insert(*list, 0, add)
	if len(*list) > remembered {
		(*list)[remembered] = *new(T)
		*list = (*list)[:remembered]
	}
	return add
}

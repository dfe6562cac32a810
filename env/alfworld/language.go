package alfworld

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/hone-rl/hone/env/pddl"
)

// language is what a domain and a grammar are together: all of a game but its problem. It never changes.
type language struct {
	grammar *grammar
	actions []wording // by action of the domain
}

// taskSymbol is the symbol that tells the task: what the grammars of a list of games differ in.
const taskSymbol = "task"

// ownRule is a symbol for which a game has rules of its own instead of its grammar's. Without symbol there is none.
type ownRule struct {
	symbol *symbol
	rules  []rule
}

// sharedLanguage is a language that games share, with the text of its grammar around the task sentence.
type sharedLanguage struct {
	domain        *pddl.Domain
	language      *language
	before, after string
}

// share says where in the text the task sentence stands; false where it cannot be told apart from the rest. The
// sentence must be plain text, so that nothing in the language comes of it, and stand in the text once.
func share(domain *pddl.Domain, lang *language, text string) (sharedLanguage, bool) {
	s := lang.grammar.symbols[taskSymbol]
	if s == nil || len(s.rules) != 1 || s.rules[0].condition != nil {
		return sharedLanguage{}, false
	}
	quoted, ok := taskQuoted(text)
	if !ok || strings.Count(text, quoted) != 1 {
		return sharedLanguage{}, false
	}
	before, after, _ := strings.Cut(text, quoted)
	shared := sharedLanguage{domain, lang, before, after}
	_, ok = shared.own(text)
	return shared, ok
}

// taskQuoted is the right-hand side of the task's only rule as it stands in the grammar.
func taskQuoted(text string) (string, bool) {
	r := &grammarReader{text: text, g: newGrammar()}
	if r.read() != nil {
		return "", false
	}
	quoted := ""
	for _, table := range r.tables {
		var symbols map[string]json.RawMessage
		if json.Unmarshal([]byte(table), &symbols) != nil || symbols[taskSymbol] == nil {
			continue
		}
		var rules []map[string]json.RawMessage // by keys as they are written
		if json.Unmarshal(symbols[taskSymbol], &rules) != nil || len(rules) != 1 || len(rules[0]) != 1 {
			return "", false
		}
		quoted = string(rules[0]["rhs"])
	}
	return quoted, quoted != ""
}

// fits reports whether a grammar is this one but for what stands where the task does.
func (s *sharedLanguage) fits(text string) bool {
	return len(text) >= len(s.before)+len(s.after) && strings.HasPrefix(text, s.before) && strings.HasSuffix(text, s.after)
}

// own is the rule for the task in a grammar that fits; false where it is more than plain text in one JSON string.
func (s *sharedLanguage) own(text string) (ownRule, bool) {
	quoted := []byte(text[len(s.before) : len(text)-len(s.after)])
	var sentence string
	if !bytes.HasPrefix(quoted, []byte(`"`)) || !bytes.HasSuffix(quoted, []byte(`"`)) ||
		json.Unmarshal(quoted, &sentence) != nil || strings.ContainsAny(sentence, notText) {
		return ownRule{}, false
	}
	g := newGrammar()
	return ownRule{s.language.grammar.symbols[taskSymbol], []rule{{rhs: g.rhs(sentence, "")}}}, true
}

package alfworld

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
)

// grammar is a twl2 text: symbols with rules, and the wording of actions.
type grammar struct {
	symbols map[string]*symbol
	actions map[string]wording // by name in lower case
	vars    []variable         // of all queries and parameters; their index is their slot
	slots   map[variable]int
	names   []string // of variables, as expressions use them
	named   map[string]int
	meant   [][]int // by name, the slots it may mean
	// asked are the predicates of the domain that queries read, askedDeleted those of which they read what was deleted.
	asked, askedDeleted []int
	warnings            []string
	fault               string // the first thing that makes all of it unusable
}

// wording is how an action is said and answered.
type wording struct {
	template, feedback []part
	slots              []int // of the action's parameters
	types              []int // of the parameters
	about              []int // parameters that the template reads; all where a query may bind others
	varies             bool  // the template reads facts that change
	reads              bool  // the condition has a fact that can change
}

// symbol is a name in the grammar. Of its rules the first whose condition matches is taken.
type symbol struct {
	name  string
	rules []rule // none: mentioned but not defined
}

type rule struct {
	condition *query // nil matches
	rhs       []part
}

// grammarReader walks over the blocks of a twl2 text.
type grammarReader struct {
	text   string
	pos    int
	g      *grammar
	tables []string // of symbols, as JSON
}

func newGrammar() *grammar {
	return &grammar{symbols: map[string]*symbol{}, actions: map[string]wording{}, slots: map[variable]int{}, named: map[string]int{}}
}

func parseGrammar(text string) (*grammar, error) {
	r := &grammarReader{text: text, g: newGrammar()}
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.g, nil
}

func (r *grammarReader) read() error {
	for r.skip(); r.pos < len(r.text); r.skip() {
		var err error
		switch word := r.name(); word {
		case "grammar":
			err = r.table(false)
		case "action":
			err = r.action()
		default:
			err = r.fail("\"grammar\" or \"action\"")
		}
		if err == nil && r.g.fault != "" {
			err = r.errorAt(r.pos, "up to here: %s", r.g.fault)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wrong notes what makes the whole grammar unusable.
func (g *grammar) wrong(format string, args ...any) {
	if g.fault == "" {
		g.fault = fmt.Sprintf(format, args...)
	}
}

// fail is the error at the current place.
func (r *grammarReader) fail(expected string) error {
	got := "the end of the text"
	if r.pos < len(r.text) {
		rest := r.text[r.pos:]
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			rest = rest[:i]
		}
		got = fmt.Sprintf("%q", rest[:min(len(rest), 40)])
	}
	return r.errorAt(r.pos, "got %s, expected %s", got, expected)
}

func (r *grammarReader) errorAt(pos int, format string, args ...any) error {
	line := 1 + strings.Count(r.text[:pos], "\n")
	return fmt.Errorf("%w: grammar:%d: %s", env.ErrBadGame, line, fmt.Sprintf(format, args...))
}

// skip passes white space and comments.
func (r *grammarReader) skip() {
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == ' ' || '\t' <= c && c <= '\r':
			r.pos++
		case c == '#':
			if i := strings.IndexByte(r.text[r.pos:], '\n'); i >= 0 {
				r.pos += i
			} else {
				r.pos = len(r.text)
			}
		default:
			return
		}
	}
}

// name reads a word of letters, digits, "_", "-" and "."; "" if there is none, and the place stays.
func (r *grammarReader) name() string {
	r.skip()
	start := r.pos
	for r.pos < len(r.text) && isNameByte(r.text[r.pos]) {
		r.pos++
	}
	return r.text[start:r.pos]
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// expect passes the given sign.
func (r *grammarReader) expect(sign string) error {
	r.skip()
	if !strings.HasPrefix(r.text[r.pos:], sign) {
		return r.fail(fmt.Sprintf("%q", sign))
	}
	r.pos += len(sign)
	return nil
}

// quoted reads a text between marks.
func (r *grammarReader) quoted(mark string) (string, int, error) {
	if err := r.expect("::"); err != nil {
		return "", 0, err
	}
	if err := r.expect(mark); err != nil {
		return "", 0, err
	}
	start := r.pos
	i := strings.Index(r.text[start:], mark)
	if i < 0 {
		return "", 0, r.errorAt(start, "the text ends within a quotation, expected %s", mark)
	}
	r.pos = start + i + len(mark)
	return r.text[start : start+i], start, r.expect(";")
}

// action reads an action's block after the word "action".
func (r *grammarReader) action() error {
	name := r.name()
	if name == "" {
		return r.fail("the action's name")
	}
	if err := r.expect("{"); err != nil {
		return err
	}
	var w wording
	for {
		r.skip()
		if strings.HasPrefix(r.text[r.pos:], "}") {
			r.pos++
			break
		}
		switch word := r.name(); word {
		case "grammar":
			if err := r.table(true); err != nil {
				return err
			}
		case "pddl": // of older files, where the domain was put together from them
			if _, _, err := r.quoted(`"""`); err != nil {
				return err
			}
		case "template", "feedback":
			text, _, err := r.quoted(`"`)
			if err != nil {
				return err
			}
			parts := r.g.rhs(text, word+" of action "+name)
			if word == "template" {
				w.template = parts
			} else {
				w.feedback = parts
			}
		default:
			return r.fail("\"template\", \"feedback\", \"grammar\" or \"}\" in action " + name)
		}
	}
	r.g.actions[strings.ToLower(name)] = w
	return nil
}

// table reads a JSON table of symbols. In an action's block whole lines may be comments.
func (r *grammarReader) table(comments bool) error {
	text, start, err := r.quoted(`"""`)
	if err != nil {
		return err
	}
	if comments {
		lines := strings.SplitAfter(text, "\n")
		for i, l := range lines {
			if strings.HasPrefix(strings.TrimSpace(l), "#") {
				lines[i] = strings.Repeat(" ", len(l)-1) + "\n"
			}
		}
		text = strings.Join(lines, "")
	}
	r.tables = append(r.tables, text)
	var table map[string][]struct {
		RHS       *string `json:"rhs"`
		Condition string  `json:"condition"`
	}
	if err := json.Unmarshal([]byte(text), &table); err != nil {
		at := start
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at += min(int(syntax.Offset), len(text))
		}
		return r.errorAt(at, "%v, expected a JSON table of symbols with lists of {\"rhs\": …}", err)
	}
	order := make([]string, 0, len(table))
	for name := range table {
		order = append(order, name)
	}
	slices.Sort(order) // so that slots and warnings do not hang on the map's order
	for _, name := range order {
		s := r.g.symbol(name)
		s.rules = nil
		for i, in := range table[name] {
			if in.RHS == nil {
				return r.errorAt(start, "rule %d of symbol %q has no \"rhs\"", i+1, name)
			}
			out := rule{rhs: r.g.rhs(*in.RHS, "symbol "+name)}
			if in.Condition != "" {
				out.condition = r.g.query(in.Condition, "a condition of symbol "+name)
			}
			s.rules = append(s.rules, out)
		}
	}
	return nil
}

// symbol is the symbol called name, which may be defined later or never.
func (g *grammar) symbol(name string) *symbol {
	s, ok := g.symbols[name]
	if !ok {
		s = &symbol{name: name}
		if len(g.symbols) == maxSymbols {
			g.wrong("more than %d symbols", maxSymbols)
			return s
		}
		g.symbols[name] = s
	}
	return s
}

// variable is what a query calls x:type. As ALFWorld's engine has it, x of another type is another variable.
type variable struct {
	name string
	typ  string // in lower case
}

// slot is the slot of a variable.
func (g *grammar) slot(v variable) int {
	i, ok := g.slots[v]
	if !ok {
		if len(g.vars) == maxVariables {
			g.wrong("more than %d variables", maxVariables)
			return 0
		}
		i = len(g.vars)
		v = variable{strings.Clone(v.name), strings.Clone(v.typ)}
		g.slots[v] = i
		g.vars = append(g.vars, v)
		name := g.name(v.name)
		g.meant[name] = append(g.meant[name], i)
	}
	return i
}

// name is the index of a variable's name in names and meant.
func (g *grammar) name(name string) int {
	i, ok := g.named[name]
	if !ok {
		if len(g.names) == maxVariables {
			g.wrong("more than %d variables", maxVariables)
			return 0
		}
		i = len(g.names)
		name = strings.Clone(name)
		g.named[name] = i
		g.names = append(g.names, name)
		g.meant = append(g.meant, nil)
	}
	return i
}

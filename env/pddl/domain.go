package pddl

import (
	"maps"
	"slices"
	"strings"
)

// typeObject is the built-in type. It lies above all that is declared without a type of its own, and so above every
// type whose topmost one is declared; a type that is only named as another's parent has nothing above it.
const typeObject = 0

// Domain is what a domain text says. It never changes once read.
type Domain struct {
	Name       string
	Types      []Type
	Predicates []Predicate
	Actions    []*Action
	Warnings   []Warning

	constants  []named
	types      map[string]int
	predicates map[string]int
	actions    map[string]int
	above      [][]bool // above[t][u]: every t is a u
	parents    int      // of all types
	// derivations are the rules of derived predicates, stratum after stratum; strata is where each begins.
	derivations []*derivation
	strata      []int
	file        string
}

// Type is a type of objects.
type Type struct {
	Name    string
	parents []int
	known   bool // declared; objects can have no other
	times   int  // it is declared
}

// Predicate is a relation between objects.
type Predicate struct {
	Name    string
	Dynamic bool // some action changes it, or rules derive it
	Derived bool // rules derive it
	types   []int
}

// Arity is the number of arguments.
func (p *Predicate) Arity() int { return len(p.types) }

// Action is an operator with parameters.
type Action struct {
	Name   string
	Params []Param

	line      int   // where it is declared
	slots     []int // types of the parameters, then of all quantified variables
	condition *formula
	effects   []effect
}

// Param is a parameter of an action.
type Param struct {
	Name string // without "?"
	Type int    // index into Domain.Types
}

// effect is one literal that comes true for every assignment of vars under which condition holds.
type effect struct {
	vars      []variable
	condition *formula // nil is true
	neg       bool
	pred      int
	args      []ref
	line      int
}

// Predicate returns the index of the predicate called name (in lower case), -1 if there is none.
func (d *Domain) Predicate(name string) int { return find(d.predicates, name) }

// Action returns the index of the action called name (in lower case), -1 if there is none.
func (d *Domain) Action(name string) int { return find(d.actions, name) }

// Type returns the index of the type called name (in lower case), -1 if there is none.
func (d *Domain) Type(name string) int { return find(d.types, name) }

// Fits reports whether everything of type t is of type u too.
func (d *Domain) Fits(t, u int) bool { return d.above[t][u] }

// Subtypes are the other types of which everything is a t, in the order of their names. As ALFWorld's texts have it,
// a type that is declared twice is below none.
func (d *Domain) Subtypes(t int) []int {
	var list []int
	for u := range d.Types {
		if u != t && u != typeObject && d.Types[u].times == 1 && d.above[u][t] {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return strings.Compare(d.Types[a].Name, d.Types[b].Name) })
	return list
}

func find(m map[string]int, name string) int {
	if i, ok := m[name]; ok {
		return i
	}
	return -1
}

// ParseDomain reads a domain. Errors and warnings call the text file.
func ParseDomain(file, text string) (*Domain, error) {
	d := &Domain{file: file, types: map[string]int{}, predicates: map[string]int{}, actions: map[string]int{}}
	d.addType("object", true)
	p := newParser(file, text)
	p.open("\"(define\"")
	p.keyword("define")
	p.open("\"(domain\"")
	p.keyword("domain")
	d.Name = strings.Clone(p.word("the domain's name"))
	p.close("domain")
	for p.more("define") {
		d.section(p)
	}
	if p.err == nil && p.tok.text != "" {
		p.fail(p.tok.line, "got %s, expected nothing after the domain", p.got())
	}
	d.close()
	if p.err == nil {
		d.stratify(p)
	}
	if p.err != nil {
		return nil, p.err
	}
	d.Warnings = p.warnings
	return d, nil
}

func (d *Domain) section(p *parser) {
	p.open("a section of the domain")
	line, head := p.tok.line, p.word("a section of the domain")
	switch head {
	case ":requirements", ":functions":
		p.rest(head)
	case ":types":
		d.readTypes(p)
	case ":constants":
		for _, c := range p.typedList(head, func(n string, l int) int { return d.strictly(p, n, l) }) {
			c.name = strings.Clone(c.name)
			d.constants = append(d.constants, c)
		}
	case ":predicates":
		d.close()
		for p.more(head) {
			d.predicate(p)
		}
	case ":action":
		d.close()
		d.action(p, line)
	case ":derived":
		d.close()
		d.derivation(p, line)
	default:
		if p.err == nil {
			p.fail(line, "unknown section %q, expected :requirements, :types, :constants, :predicates, :functions, :action or :derived", head)
		}
	}
}

func (d *Domain) readTypes(p *parser) {
	list := p.typedList(":types", func(n string, l int) int {
		if n == eitherType {
			p.fail(l, "got either, expected one type above others")
			return typeObject
		}
		if i := d.Type(n); i >= 0 {
			return i
		}
		if len(d.Types) > MaxTypes {
			p.fail(l, "more than %d types", MaxTypes)
			return typeObject
		}
		return d.addType(strings.Clone(n), true)
	})
	for _, n := range list {
		i := d.Type(n.name)
		if i < 0 {
			i = d.addType(strings.Clone(n.name), true)
		}
		d.Types[i].times++
		if i != typeObject {
			d.Types[i].parents = append(d.Types[i].parents, n.typ)
		}
		// A type may be declared again to have more parents.
		if d.parents++; len(d.Types) > MaxTypes || d.parents > 2*MaxTypes {
			p.fail(n.line, "more than %d types", MaxTypes)
			return
		}
	}
}

func (d *Domain) addType(name string, known bool) int {
	d.types[name] = len(d.Types)
	d.Types = append(d.Types, Type{Name: name, known: known})
	return len(d.Types) - 1
}

// strictly is the type called name, which must be declared.
func (d *Domain) strictly(p *parser, name string, line int) int {
	if i := d.Type(name); i >= 0 && d.Types[i].known {
		return i
	}
	if name == eitherType {
		p.fail(line, "got either, expected one type for each object")
	}
	p.fail(line, "unknown type %q, expected one that :types declares", name)
	return typeObject
}

// loosely is the type called name, which nothing has if it is not declared. ALFWorld's own domain writes
// "?l - location, ?r - receptacle", and the comma belongs to the type's name.
func (d *Domain) loosely(p *parser, name string, line int) int {
	i := d.Type(name)
	if i < 0 {
		if len(d.Types) > MaxTypes {
			p.fail(line, "more than %d types", MaxTypes)
			return typeObject
		}
		d.close()
		i = d.addType(strings.Clone(name), false)
		for t := range d.above {
			d.above[t] = append(d.above[t], false)
		}
		row := make([]bool, len(d.Types))
		row[i] = true
		d.above = append(d.above, row)
	}
	return i
}

// clone is a copy to which types can be added.
func (d *Domain) clone() *Domain {
	c := *d
	c.Types, c.types = slices.Clone(d.Types), maps.Clone(d.types)
	c.above = slices.Clone(d.above)
	for t := range c.above {
		c.above[t] = slices.Clone(d.above[t])
	}
	return &c
}

// close works out which types lie above which. A circle of types makes them one.
func (d *Domain) close() {
	if len(d.above) == len(d.Types) {
		return
	}
	d.above = make([][]bool, len(d.Types))
	for t := range d.Types {
		row := make([]bool, len(d.Types))
		row[t] = true
		for stack := []int{t}; len(stack) > 0; {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, u := range d.Types[last].parents {
				if !row[u] {
					row[u] = true
					stack = append(stack, u)
				}
			}
		}
		d.above[t] = row
	}
}

// overlap reports whether something could be a t and a u, as far as the two lie on one line.
func (d *Domain) overlap(t, u int) bool {
	d.close()
	return d.above[t][u] || d.above[u][t] || !d.Types[t].known || !d.Types[u].known
}

func (d *Domain) predicate(p *parser) {
	p.open("a predicate's declaration")
	line := p.tok.line
	name := strings.Clone(p.word("a predicate's name"))
	if _, ok := d.predicates[name]; ok {
		p.fail(line, "predicate %q is declared twice", name)
		return
	}
	if len(d.Predicates) == MaxPredicates {
		p.fail(line, "more than %d predicates", MaxPredicates)
		return
	}
	s := &scope{domain: d, quiet: true}
	vars := s.declare(p)
	if len(vars) > MaxArity {
		p.fail(line, "predicate %q has %d arguments, expected at most %d", name, len(vars), MaxArity)
		return
	}
	types := make([]int, len(vars))
	for i, v := range vars {
		types[i] = v.typ
	}
	d.predicates[name] = len(d.Predicates)
	d.Predicates = append(d.Predicates, Predicate{Name: name, types: types})
}

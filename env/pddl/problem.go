package pddl

import (
	"slices"
	"strings"
)

// Problem is a domain with its objects, first facts and goal. It never changes and may be used from many
// goroutines. Objects are numbered in the bytewise order of their ids, so that facts sorted by numbers are facts
// sorted by ids.
type Problem struct {
	Domain   *Domain
	Name     string
	Warnings []Warning

	objects   []string
	typeOf    []int32
	count     []int // of the objects of each type and its subtypes
	init      []*relation
	written   *formula // the goal as written
	goal      []*program
	goalSlots []int // types
	goalReads []int // dynamic predicates on which it depends
	// goalDeltas finds what makes the goal come true, compiled when first needed.
	goalDeltas func() []delta
	actions    []compiled
	rules      rules
	reach      reach
	fits       fittings
}

// Objects is the number of objects; they are 0 to Objects()-1.
func (p *Problem) Objects() int { return len(p.objects) }

// ID is the id of object o.
func (p *Problem) ID(o int32) string { return p.objects[o] }

// Object returns the object with the given id (in lower case), -1 if there is none.
func (p *Problem) Object(id string) int32 {
	if i, ok := slices.BinarySearch(p.objects, id); ok {
		return int32(i)
	}
	return -1
}

// TypeOf is the type that object o is declared with.
func (p *Problem) TypeOf(o int32) int { return int(p.typeOf[o]) }

// Is reports whether object o is of type t or a subtype.
func (p *Problem) Is(o int32, t int) bool { return p.Domain.above[p.typeOf[o]][t] }

// ParseProblem reads a problem of domain d. Errors and warnings call the text file.
func ParseProblem(file, text string, d *Domain) (*Problem, error) {
	r := &problemReader{p: newParser(file, text), problem: &Problem{Domain: d}}
	r.read()
	if r.p.err != nil {
		return nil, r.p.err
	}
	r.problem.written = r.goal
	if err := r.problem.compile(r.p.file, r.goal, r.slots); err != nil {
		return nil, err
	}
	r.problem.Warnings = r.p.warnings
	return r.problem, nil
}

// problemReader holds what is known of a problem while it is being read.
type problemReader struct {
	p       *parser
	problem *Problem
	numbers map[string]int32
	facts   [][]int32 // by predicate, rows one after the other
	cells   int       // of all facts
	goal    *formula
	slots   []int
	row     []int32
}

func (r *problemReader) read() {
	p := r.p
	p.open("\"(define\"")
	p.keyword("define")
	p.open("\"(problem\"")
	p.keyword("problem")
	r.problem.Name = strings.Clone(p.word("the problem's name"))
	p.close("problem")
	var declared []named
	for p.more("define") {
		p.open("a section of the problem")
		line := p.tok.line
		head := p.word("a section of the problem")
		if r.numbers == nil && (head == ":init" || head == ":goal") {
			r.number(declared)
		}
		switch head {
		case ":domain":
			if name := p.word("the domain's name"); name != r.problem.Domain.Name {
				p.warn(line, "the problem is of domain %q, the domain is called %q", name, r.problem.Domain.Name)
			}
			p.close(head)
		case ":requirements", ":metric":
			p.rest(head)
		case ":objects":
			if r.numbers != nil {
				p.fail(line, ":objects must come once, before :init and :goal")
			}
			declared = append(declared, p.typedList(head, func(n string, l int) int { return r.problem.Domain.strictly(p, n, l) })...)
		case ":init":
			for p.more(head) {
				r.fact()
			}
		case ":goal":
			if r.goal != nil {
				p.fail(line, ":goal is given twice")
			}
			s := &scope{domain: r.problem.Domain, shared: true}
			r.goal = s.formula(p, false)
			r.slots = s.slots
			r.problem.Domain = s.domain
			r.problem.count = append(r.problem.count, make([]int, len(s.domain.Types)-len(r.problem.count))...)
			p.close(head)
		default:
			p.fail(line, "unknown section %q, expected :domain, :objects, :init, :goal or :metric", head)
		}
	}
	if p.err == nil && p.tok.text != "" {
		p.fail(p.tok.line, "got %s, expected nothing after the problem", p.got())
	}
	if p.err == nil && r.goal == nil {
		p.fail(p.tok.line, "the problem has no :goal")
	}
	if p.err != nil {
		return
	}
	r.known(r.goal)
	r.relations()
}

// number sorts the objects and hands out their numbers.
func (r *problemReader) number(declared []named) {
	all := append(slices.Clone(r.problem.Domain.constants), declared...)
	if len(all) > MaxObjects {
		r.p.fail(all[MaxObjects].line, "more than %d objects", MaxObjects)
		return
	}
	byName := func(a, b named) int { return strings.Compare(a.name, b.name) }
	slices.SortFunc(all, byName)
	ids := make([]string, len(all))
	for i, o := range all {
		ids[i] = o.name
	}
	ids = together(ids)
	r.numbers = make(map[string]int32, len(all))
	r.problem.objects, r.problem.typeOf = ids, make([]int32, len(all))
	for i, o := range all {
		if i > 0 && all[i-1].name == o.name {
			r.twice(o.name, declared)
			return
		}
		r.numbers[ids[i]] = int32(i)
		r.problem.typeOf[i] = int32(o.typ)
	}
	r.facts = make([][]int32, len(r.problem.Domain.Predicates))
	r.problem.count = make([]int, len(r.problem.Domain.Types))
	own := make([]int, len(r.problem.count))
	for _, t := range r.problem.typeOf {
		own[t]++
	}
	for t, n := range own {
		for u, is := range r.problem.Domain.above[t] {
			if is {
				r.problem.count[u] += n
			}
		}
	}
}

// twice is the error about an object that is declared again.
func (r *problemReader) twice(name string, declared []named) {
	met := false
	for _, o := range slices.Concat(r.problem.Domain.constants, declared) {
		if o.name == name && met {
			r.p.fail(o.line, "object %q is declared twice", name)
			return
		}
		met = met || o.name == name
	}
}

// together is a copy of texts that lies in memory in one piece.
func together(texts []string) []string {
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	var all strings.Builder
	all.Grow(size)
	for _, t := range texts {
		all.WriteString(t)
	}
	list, rest := make([]string, len(texts)), all.String()
	for i, t := range texts {
		list[i], rest = rest[:len(t)], rest[len(t):]
	}
	return list
}

func (r *problemReader) fact() {
	p := r.p
	p.open("a fact")
	line := p.tok.line
	name := p.word("a predicate")
	if name == "=" || name == "not" {
		p.rest(name) // values of functions, and what is false anyhow
		return
	}
	pred := r.problem.Domain.Predicate(name)
	if pred < 0 {
		p.fail(line, "unknown predicate %q, expected one that the domain declares", name)
		return
	}
	if r.problem.Domain.Predicates[pred].Derived {
		p.fail(line, "%s is derived, expected no first facts of it", name)
		return
	}
	r.row = r.row[:0]
	for p.more(name) {
		at := p.tok.line
		id := p.word("an object")
		o, ok := r.numbers[id]
		if !ok {
			p.fail(at, "unknown object %q, expected one that :objects declares", id)
			return
		}
		r.row = append(r.row, o)
	}
	arity := r.problem.Domain.Predicates[pred].Arity()
	if len(r.row) != arity {
		p.fail(line, "fact of %s has %d arguments, expected %d", name, len(r.row), arity)
		return
	}
	if r.cells += arity * arity; r.cells > MaxCells {
		p.fail(line, "the facts take more than %d cells, arity² each", MaxCells)
		return
	}
	if arity == 0 {
		if len(r.facts[pred]) > 0 {
			return
		}
		r.row = append(r.row, 0) // marks presence
	}
	r.facts[pred] = append(r.facts[pred], r.row...)
}

// known checks that the goal's constants are objects.
func (r *problemReader) known(f *formula) {
	for _, a := range f.args {
		if a.slot < 0 {
			if _, ok := r.numbers[a.name]; !ok {
				r.p.fail(a.line, "unknown object %q in the goal, expected one that :objects declares", a.name)
			}
		}
	}
	for _, s := range f.subs {
		r.known(s)
	}
}

func (r *problemReader) relations() {
	if r.numbers == nil {
		r.number(nil)
	}
	r.problem.init = make([]*relation, len(r.facts))
	for i, rows := range r.facts {
		r.problem.init[i] = newRelation(r.problem.Domain.Predicates[i].Arity(), rows, len(r.problem.objects))
	}
}

// Mentioned reports, for each object, whether a first fact names it.
func (p *Problem) Mentioned() []bool {
	is := make([]bool, len(p.objects))
	for _, r := range p.init {
		for k, rows := range r.order {
			for i := k; i < len(rows); i += r.arity {
				is[rows[i]] = true
			}
		}
	}
	return is
}

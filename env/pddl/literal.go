package pddl

// Literal is an atom, or its negation, as written.
type Literal struct {
	Neg  bool
	Pred int
	Args []Arg
}

// Arg is an argument of a literal: a variable by its slot (the first slots of an action are its parameters), or
// the id of an object.
type Arg struct {
	Var int // -1 for an object
	ID  string
}

// Goal lists all atoms of the goal, and reports whether the goal is nothing but their conjunction.
func (p *Problem) Goal() (atoms []Literal, conjunction bool) { return literals(p.written, nil) }

// Condition lists all atoms of the action's precondition, wherever in it they stand.
func (a *Action) Condition() []Literal {
	list, _ := literals(a.condition, nil)
	return list
}

// Effects lists the literals that the action can bring about.
func (a *Action) Effects() []Literal {
	var list []Literal
	for _, e := range a.effects {
		list = append(list, asWritten(e.neg, e.pred, e.args))
	}
	return list
}

func literals(f *formula, list []Literal) ([]Literal, bool) {
	conjunction := f.op != opFalse && f.op != opForall && (f.op != opOr || len(f.subs) == 1)
	if f.op == opAtom {
		list = append(list, asWritten(f.neg, f.pred, f.args))
	}
	for _, s := range f.subs {
		var is bool
		list, is = literals(s, list)
		conjunction = conjunction && is
	}
	return list, conjunction
}

func asWritten(neg bool, pred int, args []ref) Literal {
	l := Literal{Neg: neg, Pred: pred, Args: make([]Arg, len(args))}
	for i, a := range args {
		l.Args[i] = Arg{a.slot, a.name}
	}
	return l
}

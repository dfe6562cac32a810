package alfworld

import "slices"

// passedRows is how many facts can be passed over in the time of one unit.
const passedRows = 8

// passedVariables is how many variables can be passed over in the time of one unit.
const passedVariables = 64

// ask calls visit for every match of the query, with its variables bound, until it returns false.
func (t *teller) ask(q *query, visit func() bool) {
	if q.fault != "" {
		t.fail("%s", q.fault)
		return
	}
	t.each(q.atoms, visit)
}

// each calls visit for every match of the atoms until it returns false. It reports whether it came to the end.
func (t *teller) each(atoms []queryAtom, visit func() bool) bool {
	if len(atoms) == 0 {
		return visit()
	}
	if is, sure := t.holds(&atoms[0]); sure {
		return !is || t.ok() && t.each(atoms[1:], visit)
	}
	return t.eachRow(&atoms[0], atoms[1:], visit)
}

// holds reports whether an atom matches all of whose variables are bound. It is not sure where some are not, or where
// it matters how facts come.
func (t *teller) holds(a *queryAtom) (is, sure bool) {
	if a.pred < 0 {
		return false, true
	}
	if a.order != nil || t.told.Tells(a.pred) {
		return false, false
	}
	row := t.row[:len(a.vars)]
	for i, v := range a.vars {
		if row[i] = t.env[v]; row[i] < 0 {
			return false, false
		}
	}
	for i, v := range a.vars {
		if t.alien[v] || a.typeOf[i] >= 0 && !t.game.problem.Is(row[i], a.typeOf[i]) {
			return false, true
		}
	}
	if a.deleted {
		return t.state.Deleted(a.pred, row...), true
	}
	return t.state.Has(a.pred, row...), true
}

// eachRow goes through the facts that a matches, and for each through the matches of the rest.
func (t *teller) eachRow(a *queryAtom, rest []queryAtom, visit func() bool) bool {
	var buf [4]int32
	want := buf[:0]
	for i, v := range a.vars {
		o := t.env[v]
		if o >= 0 && (t.alien[v] || a.typeOf[i] >= 0 && !t.game.problem.Is(o, a.typeOf[i])) {
			return true
		}
		want = append(want, o)
	}
	on, before := true, len(t.bound)
	one := func(row []int32) bool {
		if !t.ok() {
			on = false
			return false
		}
		if t.bindRow(a, want, row) {
			on = t.each(rest, visit)
		}
		for _, v := range t.bound[before:] {
			t.env[v] = -1
		}
		t.bound = t.bound[:before]
		return on
	}
	if a.order == nil {
		return t.meter.Spend(t.match(a, want, one)/passedRows) && on
	}
	var rows []int32
	passed := t.match(a, want, func(row []int32) bool {
		rows = append(rows, row...)
		return t.meter.Keep(4 * len(row))
	})
	if t.meter.Err() != nil {
		return false
	}
	t.inOrder(a, rows, one)
	return t.meter.Spend(passed/passedRows) && on
}

// match is over the facts as texts see them.
func (t *teller) match(a *queryAtom, want []int32, visit func([]int32) bool) int {
	switch {
	case t.told.Tells(a.pred):
		return t.told.Match(a.pred, a.deleted, want, visit)
	case a.deleted:
		return t.state.MatchDeleted(a.pred, want, visit)
	}
	return t.state.Match(a.pred, want, visit)
}

// inOrder visits rows, one after the other in rows and sorted by ids, in the order of their types.
func (t *teller) inOrder(a *queryAtom, rows []int32, visit func([]int32) bool) {
	arity := len(a.vars)
	first, same := -1, true
	var byPlace map[int][][]int32
	for at := 0; at < len(rows); at += arity {
		row := rows[at : at+arity]
		places := a.order[t.typesOf(a, row)]
		if len(places) == 0 {
			continue
		}
		if first < 0 {
			first = places[0]
		}
		same = same && places[0] == first && len(places) == 1
		if byPlace == nil {
			byPlace = map[int][][]int32{}
		}
		for _, p := range places {
			byPlace[p] = append(byPlace[p], row)
		}
	}
	if same {
		for _, row := range byPlace[first] {
			if !visit(row) {
				return
			}
		}
		return
	}
	places := make([]int, 0, len(byPlace))
	for p := range byPlace {
		places = append(places, p)
	}
	slices.Sort(places)
	for _, p := range places {
		for _, row := range byPlace[p] {
			if !visit(row) {
				return
			}
		}
	}
}

func (t *teller) typesOf(a *queryAtom, row []int32) typeKey {
	var k typeKey
	for i, o := range row {
		k[i] = -1
		if a.typeOf[i] >= 0 {
			k[i] = int16(t.game.problem.TypeOf(o))
		}
	}
	return k
}

// bindRow binds the free variables of a to row, if types fit and no two variables come to the same object.
func (t *teller) bindRow(a *queryAtom, want, row []int32) bool {
	t.meter.Spend(len(a.vars) * len(t.bound) / passedVariables)
	for i, v := range a.vars {
		if want[i] >= 0 {
			continue
		}
		o := row[i]
		if t.env[v] >= 0 { // bound by an earlier argument of this row
			if t.env[v] != o {
				return false
			}
			continue
		}
		if a.typeOf[i] >= 0 && !t.game.problem.Is(o, a.typeOf[i]) {
			return false
		}
		for _, slot := range t.bound {
			if t.env[slot] == o && !t.alien[slot] {
				return false
			}
		}
		t.bind(v, o)
	}
	return true
}

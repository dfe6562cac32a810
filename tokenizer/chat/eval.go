package chat

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// eval is the value of an expression.
func (r *run) eval(e nodes.Node) (any, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer r.leave()
	switch n := e.(type) {
	case *nodes.None:
		return nil, nil
	case *nodes.String:
		return n.Val, nil
	case *nodes.Integer:
		return n.Val, nil
	case *nodes.Float:
		return n.Val, nil
	case *nodes.Bool:
		return n.Val, nil
	case *nodes.Name:
		return r.name(n.Name.Val), nil
	case *nodes.List:
		items, err := r.all(n.Val)
		if err != nil {
			return nil, err
		}
		return r.newList(items, false)
	case *nodes.Tuple:
		items, err := r.all(n.Val)
		if err != nil {
			return nil, err
		}
		return r.newList(items, true)
	case *nodes.Dict:
		return r.dict(n)
	case *nodes.Negation:
		v, err := r.eval(n.Term)
		return !truth(v), err
	case *nodes.UnaryExpression:
		return r.unary(n)
	case *nodes.BinaryExpression:
		return r.binary(n)
	case *nodes.GetAttribute:
		v, err := r.eval(n.Node)
		if err != nil {
			return nil, err
		}
		if n.Attribute == "" {
			return r.item(v, n.Index)
		}
		return r.attribute(v, n.Attribute)
	case *nodes.GetItem:
		return r.getItem(n)
	case *nodes.GetSlice:
		return r.slice(n)
	case *nodes.Call:
		return r.call(n)
	case *nodes.FilteredExpression:
		v, err := r.eval(n.Expression)
		for _, f := range n.Filters {
			if err != nil {
				return nil, err
			}
			v, err = r.filter(v, f)
		}
		return v, err
	case *nodes.TestExpression:
		return r.test(n)
	}
	return nil, fmt.Errorf("an expression is missing or not supported (%T)", e)
}

func (r *run) name(name string) any {
	if v, ok := r.scope.find(name); ok {
		return v
	}
	switch name {
	case "none", "None":
		return nil
	}
	if f, ok := globals[name]; ok {
		return f
	}
	return undefined(name)
}

func (r *run) all(nodes []nodes.Expression) ([]any, error) {
	values := make([]any, len(nodes))
	for i, n := range nodes {
		var err error
		if values[i], err = r.eval(n); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (r *run) dict(n *nodes.Dict) (any, error) {
	d := newDict()
	for _, pair := range n.Pairs {
		key, err := r.eval(pair.Key)
		if err != nil {
			return nil, err
		}
		value, err := r.eval(pair.Value)
		if err != nil {
			return nil, err
		}
		if !d.set(key, value) {
			return nil, fmt.Errorf("a %s is no key", kind(key))
		}
	}
	return d, r.made(64 * len(d.keys))
}

func (r *run) unary(n *nodes.UnaryExpression) (any, error) {
	v, err := r.eval(n.Term)
	if err != nil {
		return nil, err
	}
	f, i, whole, ok := number(v)
	switch {
	case !ok:
		return nil, fmt.Errorf("a sign before %s", kind(v))
	case whole && n.Negative:
		return -i, nil
	case whole:
		return i, nil
	case n.Negative:
		return -f, nil
	}
	return f, nil
}

func (r *run) binary(n *nodes.BinaryExpression) (any, error) {
	a, err := r.eval(n.Left)
	if err != nil {
		return nil, err
	}
	op := n.Operator.Token
	switch op.Type {
	case tokens.And:
		if !truth(a) {
			return a, nil
		}
		return r.eval(n.Right)
	case tokens.Or:
		if truth(a) {
			return a, nil
		}
		return r.eval(n.Right)
	}
	b, err := r.eval(n.Right)
	if err != nil {
		return nil, err
	}
	switch op.Type {
	case tokens.Equals:
		return r.equal(a, b)
	case tokens.Ne:
		same, err := r.equal(a, b)
		return !same, err
	case tokens.In:
		return r.contains(b, a)
	case tokens.LowerThan, tokens.LowerThanOrEqual, tokens.GreaterThan, tokens.GreaterThanOrEqual:
		return r.compare(op, a, b)
	case tokens.Tilde:
		return r.join(a, b)
	}
	return r.arithmetic(op, a, b)
}

func (r *run) join(a, b any) (any, error) {
	left, err := r.show(a)
	if err != nil {
		return nil, err
	}
	right, err := r.show(b)
	if err != nil {
		return nil, err
	}
	return left + right, r.made(len(left) + len(right))
}

func (r *run) compare(op *tokens.Token, a, b any) (any, error) {
	fa, ia, wa, okA := number(a)
	fb, ib, wb, okB := number(b)
	sa, textA := a.(string)
	sb, textB := b.(string)
	switch {
	case okA && okB && wa && wb:
		return ordered(op, ia, ib), nil
	case okA && okB:
		return ordered(op, fa, fb), nil
	case textA && textB:
		if err := r.read(min(len(sa), len(sb))); err != nil {
			return nil, err
		}
		return ordered(op, sa, sb), nil
	}
	return nil, fmt.Errorf("%s %s %s", kind(a), op.Val, kind(b))
}

// ordered is false whenever one of the two is NaN.
func ordered[T cmp.Ordered](op *tokens.Token, a, b T) bool {
	switch op.Type {
	case tokens.LowerThan:
		return a < b
	case tokens.LowerThanOrEqual:
		return a <= b
	case tokens.GreaterThan:
		return a > b
	}
	return a >= b
}

// contains is whether value is in v.
func (r *run) contains(v, value any) (any, error) {
	switch v := v.(type) {
	case string:
		part, ok := value.(string)
		if !ok {
			return nil, fmt.Errorf("%s in a str", kind(value))
		}
		if err := r.read(len(v)); err != nil {
			return nil, err
		}
		return strings.Contains(v, part), nil
	case *dict:
		_, ok := v.get(value)
		return ok, nil
	}
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if same, err := r.equal(item, value); same || err != nil {
			return same, err
		}
	}
	return false, nil
}

var errOverflow = errors.New("a whole number of more than 64 bits")

func (r *run) arithmetic(op *tokens.Token, a, b any) (any, error) {
	if sa, ok := a.(string); ok && op.Type == tokens.Addition {
		if sb, ok := b.(string); ok {
			return sa + sb, r.made(len(sa) + len(sb))
		}
	}
	if la, ok := a.(*list); ok && op.Type == tokens.Addition {
		if lb, ok := b.(*list); ok && la.tuple == lb.tuple {
			if err := r.made(16 * (len(la.items) + len(lb.items))); err != nil {
				return nil, err
			}
			return r.newList(append(append([]any{}, la.items...), lb.items...), la.tuple)
		}
	}
	if op.Type == tokens.Multiply {
		if v, ok, err := r.repeat(a, b); ok {
			return v, err
		}
	}
	fa, ia, wa, okA := number(a)
	fb, ib, wb, okB := number(b)
	if !okA || !okB {
		return nil, fmt.Errorf("%s %s %s", kind(a), op.Val, kind(b))
	}
	whole := wa && wb
	const safe = 1 << 31 // operands below give results that fit
	if whole && op.Type != tokens.Division && (ia >= safe || ia <= -safe || ib >= safe || ib <= -safe) {
		return nil, errOverflow
	}
	switch op.Type {
	case tokens.Addition:
		if whole {
			return ia + ib, nil
		}
		return fa + fb, nil
	case tokens.Subtraction:
		if whole {
			return ia - ib, nil
		}
		return fa - fb, nil
	case tokens.Multiply:
		if whole {
			return ia * ib, nil
		}
		return fa * fb, nil
	case tokens.Division, tokens.FloorDivision, tokens.Modulo:
		if fb == 0 {
			return nil, errors.New("division by zero")
		}
		return divide(op, fa, fb, ia, ib, whole), nil
	}
	return nil, fmt.Errorf("the operator %s is not supported", op.Val)
}

func divide(op *tokens.Token, fa, fb float64, ia, ib int, whole bool) any {
	switch {
	case op.Type == tokens.Division:
		return fa / fb
	case op.Type == tokens.FloorDivision && whole:
		q := ia / ib
		if ia%ib != 0 && (ia < 0) != (ib < 0) {
			q--
		}
		return q
	case op.Type == tokens.FloorDivision:
		return math.Floor(fa / fb)
	case whole:
		m := ia % ib
		if m != 0 && (m < 0) != (ib < 0) {
			m += ib
		}
		return m
	}
	m := math.Mod(fa, fb)
	if m != 0 && (m < 0) != (fb < 0) {
		m += fb
	}
	return m
}

// repeat is a text or a list times a whole number, in either order.
func (r *run) repeat(a, b any) (any, bool, error) {
	if _, ok := a.(int); ok {
		a, b = b, a
	}
	times, ok := b.(int)
	if !ok {
		return nil, false, nil
	}
	times = max(0, times)
	switch v := a.(type) {
	case string:
		if len(v) > 0 && times > maxValue/len(v) {
			return nil, true, errTooLarge
		}
		return strings.Repeat(v, times), true, r.made(len(v) * times)
	case *list:
		if len(v.items) > 0 && times > maxValue/16/len(v.items) {
			return nil, true, errTooLarge
		}
		var items []any
		for range times {
			items = append(items, v.items...)
		}
		l, err := r.newList(items, v.tuple)
		return l, true, err
	}
	return nil, false, nil
}

func (r *run) call(n *nodes.Call) (any, error) {
	f, err := r.eval(n.Func)
	if err != nil {
		return nil, err
	}
	args, named, err := r.arguments(n.Args, n.Kwargs)
	if err != nil {
		return nil, err
	}
	fn, ok := f.(function)
	if !ok {
		return nil, fmt.Errorf("%s cannot be called", kind(f))
	}
	return fn(r, args, named)
}

func (r *run) arguments(list []nodes.Expression, kwargs map[string]nodes.Expression) ([]any, map[string]any, error) {
	args, err := r.all(list)
	if err != nil {
		return nil, nil, err
	}
	named := make(map[string]any, len(kwargs))
	for name, n := range kwargs {
		if named[name], err = r.eval(n); err != nil {
			return nil, nil, err
		}
	}
	return args, named, nil
}

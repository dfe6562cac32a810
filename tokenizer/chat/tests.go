package chat

import (
	"errors"
	"fmt"

	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// test is "value is name", and "value in other", which the parser takes for one.
func (r *run) test(n *nodes.TestExpression) (any, error) {
	v, err := r.eval(n.Expression)
	if err != nil {
		return nil, err
	}
	args, err := r.all(n.Test.Args)
	if err != nil {
		return nil, err
	}
	return r.tested(n.Test.Name, v, args)
}

// is are the tests that take no argument.
var is = map[string]func(v any) bool{
	"defined":   func(v any) bool { _, missing := v.(undefined); return !missing },
	"undefined": func(v any) bool { _, missing := v.(undefined); return missing },
	"none":      func(v any) bool { return v == nil },
	"boolean":   func(v any) bool { _, ok := v.(bool); return ok },
	"true":      func(v any) bool { return v == true },
	"false":     func(v any) bool { return v == false },
	"string":    func(v any) bool { _, ok := v.(string); return ok },
	"number":    func(v any) bool { _, _, _, ok := number(v); _, big := v.(bigInt); return ok || big },
	"integer":   func(v any) bool { _, ok := v.(int); _, big := v.(bigInt); return ok || big },
	"float":     func(v any) bool { _, ok := v.(float64); return ok },
	"mapping":   func(v any) bool { _, ok := v.(*dict); return ok },
	"callable":  func(v any) bool { _, ok := v.(function); return ok },
	"sequence":  func(v any) bool { return sized(v) },
	"iterable":  func(v any) bool { _, missing := v.(undefined); return sized(v) || missing },
	"odd":       func(v any) bool { i, ok := v.(int); return ok && i%2 != 0 },
	"even":      func(v any) bool { i, ok := v.(int); return ok && i%2 == 0 },
}

func sized(v any) bool {
	switch v.(type) {
	case string, *list, *dict:
		return true
	}
	return false
}

var comparisons = map[string]tokens.Type{
	"lt": tokens.LowerThan, "lessthan": tokens.LowerThan, "<": tokens.LowerThan,
	"le": tokens.LowerThanOrEqual, "<=": tokens.LowerThanOrEqual,
	"gt": tokens.GreaterThan, "greaterthan": tokens.GreaterThan, ">": tokens.GreaterThan,
	"ge": tokens.GreaterThanOrEqual, ">=": tokens.GreaterThanOrEqual,
}

func (r *run) tested(name string, v any, args []any) (bool, error) {
	if f, ok := is[name]; ok {
		if len(args) > 0 {
			return false, fmt.Errorf("the test %s takes no argument", name)
		}
		return f(v), nil
	}
	if len(args) != 1 {
		return false, fmt.Errorf("the test %s with %d arguments is not supported", name, len(args))
	}
	if op, ok := comparisons[name]; ok {
		result, err := r.compare(&tokens.Token{Type: op, Val: name}, v, args[0])
		return truth(result), err
	}
	switch name {
	case "in":
		result, err := r.contains(args[0], v)
		return truth(result), err
	case "eq", "equalto", "==":
		return r.equal(v, args[0])
	case "ne", "!=":
		same, err := r.equal(v, args[0])
		return !same, err
	case "divisibleby":
		a, okA := v.(int)
		b, okB := args[0].(int)
		if !okA || !okB || b == 0 {
			return false, errors.New("divisibleby needs two whole numbers, the second not 0")
		}
		return a%b == 0, nil
	case "sameas":
		switch v.(type) {
		case nil, bool:
			return v == args[0], nil
		}
		return false, errors.New("sameas is supported for none, true and false")
	}
	return false, fmt.Errorf("the test %s is not supported", name)
}

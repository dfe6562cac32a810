package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/nikolalohinski/gonja/v2/nodes"
)

// Bounds of one rendering. A template comes with a checkpoint, and a hostile one must end in an error: what it computes,
// makes and calls is counted.
const (
	maxSteps  = 2_000_000 // expressions and statements
	maxOutput = 16 << 20  // bytes
	maxValue  = 16 << 20  // bytes of one text, and 1/16 of that in items of one list
	maxMade   = 256 << 20 // bytes of all values made on the way
	maxCalls  = 400       // expressions, statements and macros within each other
)

var (
	errBreak    = errors.New("break stands in no loop")
	errContinue = errors.New("continue stands in no loop")
	errTooLarge = fmt.Errorf("a value of more than %d bytes", maxValue)
)

// run is one rendering.
type run struct {
	ctx   context.Context //nolint:containedctx // a run is one call of Render and ends with it
	steps int
	bytes int
	deep  int
	out   *strings.Builder
	scope *scope
}

// scope holds names. Those of a loop's pass or of a macro end with it.
type scope struct {
	names map[string]any
	above *scope
}

func (s *scope) find(name string) (any, bool) {
	for ; s != nil; s = s.above {
		if v, ok := s.names[name]; ok {
			return v, true
		}
	}
	return nil, false
}

func (r *run) step() error { return r.read(0) }

// read counts a step that looks at a text of so many bytes.
func (r *run) read(bytes int) error {
	before := r.steps / 1024
	if r.steps += 1 + bytes/256; r.steps > maxSteps {
		return fmt.Errorf("more than %d steps", maxSteps)
	}
	if r.steps/1024 != before {
		return r.ctx.Err()
	}
	return nil
}

func (r *run) enter() error {
	if r.deep++; r.deep > maxCalls {
		return fmt.Errorf("more than %d calls and values within each other", maxCalls)
	}
	return r.step()
}

func (r *run) leave() { r.deep-- }

// made counts a value of so many bytes.
func (r *run) made(bytes int) error {
	if bytes > maxValue {
		return errTooLarge
	}
	if r.bytes += bytes; r.bytes > maxMade {
		return fmt.Errorf("values of more than %d bytes in all", maxMade)
	}
	return nil
}

// newList is a list that has been counted.
func (r *run) newList(items []any, tuple bool) (*list, error) {
	return &list{items, tuple}, r.made(16 * len(items))
}

// body runs statements in the scope that is open.
func (r *run) body(body []nodes.Node) error {
	for _, n := range body {
		if err := r.statement(n); err != nil {
			return err
		}
	}
	return nil
}

// capture runs statements and returns what they write.
func (r *run) capture(body []nodes.Node) (string, error) {
	outer := r.out
	r.out = &strings.Builder{}
	err := r.body(body)
	text := r.out.String()
	r.out = outer
	if err != nil {
		return "", err
	}
	return text, r.made(len(text))
}

// within runs f in a scope of its own below another.
func (r *run) within(above *scope, f func() error) error {
	outer := r.scope
	r.scope = &scope{map[string]any{}, above}
	defer func() { r.scope = outer }()
	return f()
}

func (r *run) write(text string) error {
	if r.out.Len()+len(text) > maxOutput {
		return fmt.Errorf("more than %d bytes written", maxOutput)
	}
	r.out.WriteString(text)
	return nil
}

func (r *run) statement(n nodes.Node) error {
	if err := r.enter(); err != nil {
		return err
	}
	defer r.leave()
	var err error
	switch n := n.(type) {
	case nil:
		return nil
	case *nodes.Data: // what Jinja has between tags is in our texts
		err = r.write(n.Data.Val)
	case *nodes.Output:
		var v any
		if v, err = r.choose(chosen{n.Expression, n.Condition, n.Alternative}); err == nil {
			var text string
			if text, err = r.show(v); err == nil {
				err = r.write(text)
			}
		}
	case *nodes.ControlStructureBlock:
		err = r.control(n.ControlStructure)
	default:
		err = fmt.Errorf("a %T is not supported", n)
	}
	if err == nil || errors.Is(err, errBreak) || errors.Is(err, errContinue) {
		return err
	}
	var located *located
	if errors.As(err, &located) {
		return err
	}
	return locate(n, err)
}

// located is an error with the line of the statement that met it first.
type located struct {
	line int
	err  error
}

func locate(n nodes.Node, err error) error {
	at := n.Position()
	if at == nil {
		return err
	}
	return &located{at.Line, err}
}

func (e *located) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }

func (e *located) Unwrap() error { return e.err }

// choose is value, or what stands in its place where the condition does not hold.
func (r *run) choose(c chosen) (any, error) {
	if c.condition == nil {
		return r.eval(c.value)
	}
	v, err := r.eval(c.condition)
	switch {
	case err != nil:
		return nil, err
	case truth(v):
		return r.eval(c.value)
	case c.otherwise == nil:
		return undefined("the inline if without else"), nil
	}
	return r.eval(c.otherwise)
}

func (r *run) control(n nodes.Node) error {
	switch n := n.(type) {
	case *textNode:
		return r.write(n.text)
	case *ifNode:
		for i, condition := range n.conditions {
			v, err := r.eval(condition)
			if err != nil {
				return err
			}
			if truth(v) {
				return r.body(n.bodies[i])
			}
		}
		if len(n.bodies) > len(n.conditions) {
			return r.body(n.bodies[len(n.conditions)])
		}
		return nil
	case *forNode:
		return r.loop(n)
	case *setNode:
		return r.set(n)
	case *macroNode:
		r.scope.names[n.name] = r.macro(n)
		return nil
	case *blockNode:
		return r.body(n.body)
	case *controlNode:
		return n.err
	}
	return fmt.Errorf("a %T is not supported", n)
}

func (r *run) set(n *setNode) error {
	var v any
	var err error
	if n.block {
		v, err = r.capture(n.body)
	} else {
		v, err = r.choose(n.value)
	}
	if err != nil {
		return err
	}
	if n.attr == "" {
		r.scope.names[n.name] = v
		return nil
	}
	target, _ := r.scope.find(n.name)
	ns, ok := target.(*namespace)
	if !ok {
		return fmt.Errorf("set %s.%s: %s is %s, expected a namespace", n.name, n.attr, n.name, kind(target))
	}
	ns.values[n.attr] = v
	return nil
}

// macro is the function that a macro's name stands for. It sees the names of where it was made.
func (r *run) macro(n *macroNode) function {
	home := r.scope
	return func(r *run, args []any, named map[string]any) (any, error) {
		if len(args) > len(n.params) {
			return nil, fmt.Errorf("macro %s takes %d arguments, not %d", n.name, len(n.params), len(args))
		}
		var text string
		err := r.within(home, func() (err error) {
			named = maps.Clone(named)
			for i, param := range n.params {
				v, given := named[param]
				delete(named, param)
				switch {
				case i < len(args):
					v = args[i]
				case given:
				case n.defaults[i] != nil:
					if v, err = r.eval(n.defaults[i]); err != nil {
						return err
					}
				default:
					v = undefined("parameter " + param)
				}
				r.scope.names[param] = v
			}
			for name := range named {
				return fmt.Errorf("macro %s has no parameter %s", n.name, name)
			}
			text, err = r.capture(n.body)
			return err
		})
		return text, err
	}
}

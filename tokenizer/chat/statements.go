package chat

import (
	"fmt"

	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// statement is the part of a node that all of ours share.
type statement struct{ at *tokens.Token }

// Position implements nodes.Node.
func (s statement) Position() *tokens.Token { return s.at }

// String implements nodes.Node.
func (s statement) String() string { return "statement" }

type (
	textNode struct {
		statement
		text string
	}
	ifNode struct {
		statement
		conditions []nodes.Expression // one less than bodies where there is an else
		bodies     [][]nodes.Node
	}
	forNode struct {
		statement
		names     []string
		over      nodes.Expression
		condition nodes.Expression // or nil
		body      []nodes.Node
		otherwise []nodes.Node
	}
	setNode struct {
		statement
		name  string
		attr  string // of a namespace, or ""
		value chosen
		body  []nodes.Node // instead of value
		block bool
	}
	macroNode struct {
		statement
		name     string
		params   []string
		defaults []nodes.Expression // nil where there is none
		body     []nodes.Node
	}
	blockNode struct { // {% generation %}
		statement
		body []nodes.Node
	}
	controlNode struct {
		statement
		err error // errBreak or errContinue
	}
)

// chosen is an expression, perhaps with a condition and another.
type chosen struct{ value, condition, otherwise nodes.Expression }

// grammar gives the parser our statements, and no others.
type grammar struct{ texts []string }

// Get implements parser.ControlStructureGetter.
func (g grammar) Get(name string) (parser.ControlStructureParser, bool) {
	parse := map[string]func(p, args *parser.Parser, at *tokens.Token) (nodes.ControlStructure, error){
		"text": g.parseText, "if": parseIf, "for": parseFor, "set": parseSet, "macro": parseMacro,
		"generation": parseGeneration, "break": parseControl(errBreak), "continue": parseControl(errContinue),
	}[name]
	if parse == nil {
		return nil, false
	}
	return func(p, args *parser.Parser) (nodes.ControlStructure, error) {
		node, err := parse(p, args, args.Current())
		if err == nil && !args.End() {
			err = fmt.Errorf("%s: what is behind %q is not understood", name, args.Current().Val)
		}
		return node, err
	}, true
}

func (g grammar) parseText(_, args *parser.Parser, at *tokens.Token) (nodes.ControlStructure, error) {
	number := args.Match(tokens.Integer)
	index := -1
	if number != nil {
		if _, err := fmt.Sscan(number.Val, &index); err != nil {
			return nil, err
		}
	}
	if index < 0 || index >= len(g.texts) {
		return nil, fmt.Errorf("the tag text is not one of a template's")
	}
	return &textNode{statement{at}, g.texts[index]}, nil
}

// until takes a body up to one of the end tags.
func until(p *parser.Parser, names ...string) (body []nodes.Node, end string, args *parser.Parser, err error) {
	wrapper, args, err := p.WrapUntil(names...)
	if err != nil {
		return nil, "", nil, err
	}
	return wrapper.Nodes, wrapper.EndTag, args, nil
}

// last is until for end tags that take no arguments.
func last(p *parser.Parser, names ...string) ([]nodes.Node, string, error) {
	body, end, args, err := until(p, names...)
	if err == nil && !args.End() {
		err = fmt.Errorf("%s takes no arguments", end)
	}
	return body, end, err
}

// expression is one that must be there.
func expression(args *parser.Parser) (nodes.Expression, error) {
	e, err := args.ParseExpression()
	if err == nil && e == nil {
		err = fmt.Errorf("an expression is missing")
	}
	return e, err
}

func parseIf(p, args *parser.Parser, at *tokens.Token) (nodes.ControlStructure, error) {
	n := &ifNode{statement: statement{at}}
	condition, err := expression(args)
	if err != nil {
		return nil, err
	}
	n.conditions = append(n.conditions, condition)
	for {
		body, end, endArgs, err := until(p, "elif", "else", "endif")
		if err != nil {
			return nil, err
		}
		n.bodies = append(n.bodies, body)
		if end == "elif" {
			if condition, err = expression(endArgs); err != nil {
				return nil, err
			}
			n.conditions = append(n.conditions, condition)
		}
		switch {
		case !endArgs.End():
			return nil, fmt.Errorf("%s: what is behind %q is not understood", end, endArgs.Current().Val)
		case end == "else":
			body, _, err := last(p, "endif")
			n.bodies = append(n.bodies, body)
			return n, err
		case end == "endif":
			return n, nil
		}
	}
}

func parseFor(p, args *parser.Parser, at *tokens.Token) (_ nodes.ControlStructure, err error) {
	n := &forNode{statement: statement{at}}
	for {
		name := args.Match(tokens.Name)
		if name == nil {
			return nil, fmt.Errorf("for: a name is missing")
		}
		n.names = append(n.names, name.Val)
		if args.Match(tokens.Comma) == nil {
			break
		}
	}
	if args.Match(tokens.In) == nil {
		return nil, fmt.Errorf("for: in is missing")
	}
	if n.over, err = expression(args); err != nil {
		return nil, err
	}
	if args.MatchName("if") != nil {
		if n.condition, err = expression(args); err != nil {
			return nil, err
		}
	}
	end := ""
	if n.body, end, err = last(p, "else", "endfor"); err == nil && end == "else" {
		n.otherwise, _, err = last(p, "endfor")
	}
	return n, err
}

func parseSet(p, args *parser.Parser, at *tokens.Token) (nodes.ControlStructure, error) {
	n := &setNode{statement: statement{at}}
	target, err := args.ParseVariableOrLiteral()
	if err != nil {
		return nil, err
	}
	switch target := target.(type) {
	case *nodes.Name:
		n.name = target.Name.Val
	case *nodes.GetAttribute:
		name, ok := target.Node.(*nodes.Name)
		if !ok || target.Attribute == "" {
			return nil, fmt.Errorf("set: expected a name or an attribute of a namespace")
		}
		n.name, n.attr = name.Name.Val, target.Attribute
	default:
		return nil, fmt.Errorf("set: expected a name or an attribute of a namespace")
	}
	if args.Match(tokens.Assign) == nil {
		if !args.End() {
			return nil, fmt.Errorf("set: expected = or a block")
		}
		n.block = true
		n.body, _, err = last(p, "endset")
		return n, err
	}
	if n.value.value, err = expression(args); err != nil {
		return nil, err
	}
	n.value.condition, n.value.otherwise, err = args.ParseCondition()
	return n, err
}

func parseMacro(p, args *parser.Parser, at *tokens.Token) (_ nodes.ControlStructure, err error) {
	n := &macroNode{statement: statement{at}}
	name := args.Match(tokens.Name)
	if name == nil || args.Match(tokens.LeftParenthesis) == nil {
		return nil, fmt.Errorf("macro: expected a name and parameters")
	}
	n.name = name.Val
	for args.Match(tokens.RightParenthesis) == nil {
		if len(n.params) > 0 && args.Match(tokens.Comma) == nil {
			return nil, fmt.Errorf("macro %s: expected , or )", n.name)
		}
		param := args.Match(tokens.Name)
		if param == nil {
			return nil, fmt.Errorf("macro %s: a parameter's name is missing", n.name)
		}
		var value nodes.Expression
		if args.Match(tokens.Assign) != nil {
			if value, err = expression(args); err != nil {
				return nil, err
			}
		}
		n.params, n.defaults = append(n.params, param.Val), append(n.defaults, value)
	}
	n.body, _, err = last(p, "endmacro")
	return n, err
}

func parseGeneration(p, _ *parser.Parser, at *tokens.Token) (nodes.ControlStructure, error) {
	body, _, err := last(p, "endgeneration")
	return &blockNode{statement{at}, body}, err
}

func parseControl(err error) func(p, args *parser.Parser, at *tokens.Token) (nodes.ControlStructure, error) {
	return func(_, _ *parser.Parser, at *tokens.Token) (nodes.ControlStructure, error) {
		return &controlNode{statement{at}, err}, nil
	}
}

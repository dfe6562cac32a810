package workflows

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu"
)

// walk notes the lines of node, which is decoded into t, and complains of what the decoder would refuse in words of its
// own or make another value of. Nothing at all is a value of what may be left out.
func (d *document) walk(node ast.Node, t reflect.Type, path string) {
	switch n := node.(type) {
	case *ast.AnchorNode:
		d.anchors[n.Name.GetToken().Value] = n.Value
		d.walk(n.Value, t, path)
		return
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		target := d.anchors[name]
		if target == nil {
			d.complain(node, "%s *%s: expected &%[2]s at a value that ends above", path, name)
			return
		}
		delete(d.anchors, name) // it may hold itself
		d.walk(target, t, path)
		d.anchors[name] = target
		return
	case *ast.TagNode:
		d.complain(node, "%s %s: expected a value without a tag", path, n.Start.Value)
		return
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, nothing := node.(*ast.NullNode)
	if value, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler); ok {
		d.text(node, value, path)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		if mapping, ok := node.(ast.MapNode); ok {
			d.fields(mapping, t, path)
		} else if !nothing && node != nil {
			d.complain(node, "%s: expected fields (%s)", valued(path, node), strings.Join(fieldsOf(t), ", "))
		}
	case reflect.Slice:
		if n, ok := node.(*ast.SequenceNode); ok {
			for i, value := range n.Values {
				at := fmt.Sprintf("%s[%d]", path, i)
				d.lines[at] = value.GetToken().Position.Line
				d.walk(value, t.Elem(), at)
			}
		} else if t == reflect.TypeFor[gpu.Targets]() {
			d.targets(node, path)
		} else if !nothing {
			d.complain(node, "%s: expected a list, such as [a, b]", valued(path, node))
		}
	case reflect.Bool:
		if _, ok := node.(*ast.BoolNode); !ok {
			d.complain(node, "%s: expected true or false", valued(path, node))
		}
	case reflect.String:
		if _, ok := node.(ast.ScalarNode); !ok {
			d.complain(node, "%s: expected a text", valued(path, node))
		}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		d.whole(node, t.Kind() == reflect.Uint64, path)
	case reflect.Float32, reflect.Float64:
		switch node.(type) {
		case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
			return
		}
		if node.GetToken().Type != token.StringType || !decimal.MatchString(node.GetToken().Value) {
			d.complain(node, "%s: expected a number", valued(path, node))
		}
	}
}

// targets complains of a text that is no list of layers and none of the texts that stand for one.
func (d *document) targets(node ast.Node, path string) {
	switch n := node.(type) {
	case *ast.NullNode:
	case *ast.StringNode:
		if n.Value != checkpoint.AllLinear && !strings.HasPrefix(n.Value, checkpoint.RegexpPrefix) {
			d.complain(node, "%s: expected a list of layers, such as [q_proj, v_proj], or %s or %s…", valued(path, node), checkpoint.AllLinear, checkpoint.RegexpPrefix)
		}
	default:
		d.complain(node, "%s: expected a list of layers, such as [q_proj, v_proj]", valued(path, node))
	}
}

// readTargets reads a list, or a text as a list of that alone.
func readTargets(to *gpu.Targets, text []byte) error {
	var one string
	if yaml.Unmarshal(text, &one) == nil && one != "" {
		*to = gpu.Targets{one}
		return nil
	}
	return yaml.Unmarshal(text, (*[]string)(to))
}

// decimal is a number such as 1e-9, which the parser takes for a text and the decoder for a number.
var decimal = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// legacyOctal is a number that YAML 1.1 reads to the base of eight.
var legacyOctal = regexp.MustCompile(`^[-+]?0[0-9_]`)

// whole complains of what is no whole number of 64 bits, positive with unsigned.
func (d *document) whole(node ast.Node, unsigned bool, path string) {
	n, ok := node.(*ast.IntegerNode)
	if !ok || legacyOctal.MatchString(n.Token.Value) {
		d.complain(node, "%s: expected a whole number", valued(path, node))
		return
	}
	switch v := n.Value.(type) {
	case int64:
		if unsigned && v < 0 {
			d.complain(node, "%s: expected a whole number from 0", valued(path, node))
		}
	case uint64:
		if !unsigned && v > math.MaxInt64 {
			d.complain(node, "%s: expected a whole number of at most %d", valued(path, node), int64(math.MaxInt64))
		}
	}
}

// text complains of what is no text, or none that value reads.
func (d *document) text(node ast.Node, value encoding.TextUnmarshaler, path string) {
	scalar, ok := node.(ast.ScalarNode)
	if !ok {
		d.complain(node, "%s: expected a text", valued(path, node))
		return
	}
	if err := value.UnmarshalText([]byte(fmt.Sprint(scalar.GetValue()))); err != nil {
		d.complain(node, "%s: %v", path, err)
	}
}

// valued is path with its value, in a line.
func valued(path string, node ast.Node) string {
	value := node.String()
	switch node.(type) {
	case ast.MapNode:
		value = "with fields"
	case *ast.SequenceNode:
		value = "with a list"
	case *ast.NullNode:
		value = "with nothing"
	}
	if first, _, more := strings.Cut(value, "\n"); more {
		value = first + " …"
	}
	return strings.TrimSpace(path + " " + value)
}

// fields walks the fields of a mapping.
func (d *document) fields(mapping ast.MapNode, t reflect.Type, path string) {
	first := true
	for entries := mapping.MapRange(); entries.Next(); first = false {
		if entries.Key().IsMergeKey() {
			if !first { // the decoder goes by the order
				d.complain(entries.Key(), "%s: expected << before the other fields, which take the place of those that it brings", path)
			}
			d.walk(entries.Value(), t, path)
			continue
		}
		name := entries.Key().GetToken().Value
		at := strings.TrimPrefix(path+"."+name, ".")
		field, ok := fieldOf(t, name)
		if !ok {
			d.complain(entries.Key(), "%s: unknown field, expected one of %s", at, strings.Join(fieldsOf(t), ", "))
			continue
		}
		d.lines[at] = entries.Key().GetToken().Position.Line
		d.walk(entries.Value(), field, at)
	}
}

// fieldOf is the type of t's field that name stands for.
func fieldOf(t reflect.Type, name string) (reflect.Type, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if tag == name {
			return f.Type, true
		}
		if options == "inline" {
			if inner, ok := fieldOf(f.Type, name); ok {
				return inner, true
			}
		}
	}
	return nil, false
}

// fieldsOf are the names of t's fields.
func fieldsOf(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		switch tag, options, _ := strings.Cut(f.Tag.Get("yaml"), ","); {
		case options == "inline":
			names = append(names, fieldsOf(f.Type)...)
		case tag != "" && tag != "-":
			names = append(names, tag)
		}
	}
	return names
}

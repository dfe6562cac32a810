package workflows

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// document is a spec's text: where each of its fields stands, and what in it the decoder would pass over.
type document struct {
	file    string
	lines   map[string]int // by path, such as evaluation.panels[0].name; 1 for the first
	anchors map[string]ast.Node
	wrong   []error
}

// read decodes the only document of text into spec, strictly.
func read(file string, text []byte, spec *Spec) (*document, error) {
	d := &document{file: file, lines: map[string]int{}, anchors: map[string]ast.Node{}}
	tree, err := parser.ParseBytes(text, 0)
	if err == nil {
		for i, doc := range tree.Docs[min(1, len(tree.Docs)):] {
			if doc.Body != nil || doc.Start != nil {
				return nil, fmt.Errorf("%s:%d: document %d begins: expected one spec in a file", file, doc.Start.Position.Line, i+2)
			}
		}
		err = yaml.UnmarshalWithOptions(text, spec, yaml.Strict(), yaml.DisallowUnknownField())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", file, strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	for _, doc := range tree.Docs {
		d.walk(doc.Body, reflect.TypeFor[Spec](), "")
	}
	return d, errors.Join(d.wrong...)
}

// fieldForm is the field at the beginning of a complaint.
var fieldForm = regexp.MustCompile(`^[a-z0-9_]+(\.[a-z0-9_]+|\[[0-9]+\])*`)

// located is complaints, each with the line of the field that it begins with, or of what that would stand in.
func (d *document) located(complaints []error) error {
	all := make([]error, len(complaints))
	for i, c := range complaints {
		path := fieldForm.FindString(c.Error())
		for path != "" && d.lines[path] == 0 {
			path = path[:max(0, strings.LastIndexAny(path, ".["))]
		}
		at := ""
		if path != "" {
			at = fmt.Sprintf(":%d", d.lines[path])
		}
		all[i] = fmt.Errorf("%s%s: %w", d.file, at, c)
	}
	return errors.Join(all...)
}

func (d *document) complain(node ast.Node, format string, args ...any) {
	line := node.GetToken().Position.Line
	d.wrong = append(d.wrong, fmt.Errorf("%s:%d: %s", d.file, line, fmt.Sprintf(format, args...)))
}

var unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// legacyOctal is a number that YAML 1.1 reads to the base of eight.
var legacyOctal = regexp.MustCompile(`^[-+]?0[0-9_]`)

// walk notes the lines of node, which is decoded into t, and what of it would become another value.
func (d *document) walk(node ast.Node, t reflect.Type, path string) {
	switch n := node.(type) {
	case *ast.AnchorNode:
		d.anchors[n.Name.String()] = n.Value
		d.walk(n.Value, t, path)
		return
	case *ast.AliasNode:
		name := n.Value.String()
		if target := d.anchors[name]; target != nil {
			delete(d.anchors, name) // it may hold itself
			d.walk(target, t, path)
			d.anchors[name] = target
		}
		return
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		d.fields(node, t, path)
	case reflect.Slice:
		if n, ok := node.(*ast.SequenceNode); ok {
			for i, value := range n.Values {
				at := fmt.Sprintf("%s[%d]", path, i)
				d.lines[at] = value.GetToken().Position.Line
				d.walk(value, t.Elem(), at)
			}
		}
	case reflect.Int, reflect.Uint64:
		if n, ok := node.(*ast.IntegerNode); !ok || legacyOctal.MatchString(n.Token.Value) {
			d.complain(node, "%s %s: expected a whole number", path, node)
		}
	case reflect.Float64:
		plain := node.GetToken().Type == token.StringType // 1e-9, which the parser takes for a text and the decoder for a number
		switch node.(type) {
		case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		default:
			if !plain {
				d.complain(node, "%s %s: expected a number", path, node)
			}
		}
	}
}

// fields walks the fields of a mapping.
func (d *document) fields(node ast.Node, t reflect.Type, path string) {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		return
	}
	for entries := mapping.MapRange(); entries.Next(); {
		if entries.Key().IsMergeKey() {
			d.walk(entries.Value(), t, path)
			continue
		}
		name := entries.Key().GetToken().Value
		field, ok := fieldOf(t, name)
		if !ok {
			continue // the decoder has refused it
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		d.lines[at] = entries.Key().GetToken().Position.Line
		d.walk(entries.Value(), field, at)
	}
}

// partial complains of a mapping at path that has some of the fields of like and not all: the others would be zero.
func (d *document) partial(path string, like any) []error {
	if d.lines[path] == 0 {
		return nil
	}
	var missing []string
	t := reflect.TypeOf(like)
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "-" && d.lines[path+"."+name] == 0 {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []error{fmt.Errorf("%s: expected all of its fields: %s left out", path, strings.Join(missing, ", "))}
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

// alternatives settles what of a stage takes the place of something else that has a default: what is replaced is zero,
// and to give both is refused.
func (d *document) alternatives(stage string, s *SFTSpec) []error {
	var wrong []error
	instead := func(given bool, by, field string, zero func()) {
		if !given {
			return
		}
		if d.lines[stage+"."+field] != 0 {
			wrong = append(wrong, fmt.Errorf("%s.%s: %s takes its place, expected one of the two", stage, field, by))
		}
		zero()
	}
	instead(d.lines[stage+".epochs"] != 0, "epochs", "steps", func() { s.Steps = 0 })
	instead(d.lines[stage+".warmup_ratio"] != 0, "warmup_ratio", "warmup", func() { s.Warmup = 0 })
	instead(s.Schedule != "", "schedule "+s.Schedule, "flat", func() { s.Flat = 0 })
	instead(s.Schedule != "", "schedule "+s.Schedule, "floor", func() { s.Floor = 0 })
	return wrong
}

// seeded refuses a seed of one's own beside seeds, which take its place.
func (d *document) seeded(seeds []uint64) []error {
	var wrong []error
	for _, field := range []string{"model.seed", "teacher.seed", "teacher.order", "student.seed", "student.order"} {
		if len(seeds) > 0 && d.lines[field] != 0 {
			wrong = append(wrong, fmt.Errorf("%s: seeds take its place, expected one of the two", field))
		}
	}
	return wrong
}

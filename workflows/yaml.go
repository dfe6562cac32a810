package workflows

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
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
	if err != nil {
		return nil, d.placed(err)
	}
	for i, doc := range tree.Docs[min(1, len(tree.Docs)):] {
		if doc.Body != nil || doc.Start != nil {
			return nil, fmt.Errorf("%s:%d: document %d begins: expected one spec in a file", file, doc.Start.Position.Line, i+2)
		}
	}
	for _, doc := range tree.Docs {
		d.walk(doc.Body, reflect.TypeFor[Spec](), "")
	}
	if len(d.wrong) > 0 {
		return nil, errors.Join(d.wrong...)
	}
	// What stands twice in a mapping is refused by the parser. The decoder counts what takes the place of a merged field, too.
	options := []yaml.DecodeOption{yaml.Strict(), yaml.DisallowUnknownField(), yaml.AllowDuplicateMapKey(), yaml.CustomUnmarshaler(readTargets)}
	if err := yaml.UnmarshalWithOptions(text, spec, options...); err != nil {
		return nil, d.placed(err)
	}
	return d, nil
}

// placed is an error of the YAML library, with the line that it knows of.
func (d *document) placed(err error) error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return fmt.Errorf("%s:%d: %s", d.file, at.GetToken().Position.Line, at.GetMessage())
	}
	return fmt.Errorf("%s: %w", d.file, err)
}

// fieldForm is the field at the beginning of a complaint.
var fieldForm = regexp.MustCompile(`^[a-z0-9_]+(\.[a-z0-9_]+|\[[0-9]+\])*`)

// located is complaints, each with the line of the field that it begins with, or of what that would stand in.
func (d *document) located(complaints []error) error {
	all := make([]error, len(complaints))
	for i, c := range complaints {
		all[i] = d.locate(c)
	}
	return errors.Join(all...)
}

func (d *document) locate(complaint error) error {
	path := fieldForm.FindString(complaint.Error())
	for path != "" && d.lines[path] == 0 {
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	if path == "" {
		return fmt.Errorf("%s: %w", d.file, complaint)
	}
	return fmt.Errorf("%s:%d: %w", d.file, d.lines[path], complaint)
}

func (d *document) complain(node ast.Node, format string, args ...any) {
	line := node.GetToken().Position.Line
	d.wrong = append(d.wrong, fmt.Errorf("%s:%d: %s", d.file, line, fmt.Sprintf(format, args...)))
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
	if d.lines[stage+".warmup"] == 0 && d.lines[stage+".warmup_ratio"] == 0 {
		switch { // the default is for more steps than a training may have
		case d.lines[stage+".epochs"] != 0:
			s.Warmup, s.WarmupRatio = 0, 0.1
		case s.Warmup > s.Steps:
			s.Warmup = max(0, s.Steps/10)
		}
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
	for _, field := range []string{
		"model.seed", "teacher.seed", "teacher.order", "student.seed", "student.order", "cold_start.seed", "cold_start.order",
		"distilled.seed", "distilled.optimiser.seed", "grpo.seed", "grpo.optimiser.seed",
	} {
		if len(seeds) > 0 && d.lines[field] != 0 {
			wrong = append(wrong, fmt.Errorf("%s: seeds take its place, expected one of the two", field))
		}
	}
	return wrong
}

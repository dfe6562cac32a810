package chat

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nikolalohinski/gonja/v2/nodes"
)

func (r *run) filter(v any, n *nodes.FilterCall) (any, error) {
	args, named, err := r.arguments(n.Args, n.Kwargs)
	if err != nil {
		return nil, err
	}
	return r.filtered(n.Name, v, call{n.Name, args, named})
}

func (r *run) filtered(name string, v any, c call) (any, error) {
	size := 0
	if s, ok := v.(string); ok {
		size = len(s)
	}
	if err := r.read(size); err != nil {
		return nil, err
	}
	f, ok := filters[name]
	if !ok {
		return nil, fmt.Errorf("the filter %s is not supported", name)
	}
	return f(r, v, c)
}

// filters are those of Jinja2 that chat templates use, and transformers' tojson.
var filters map[string]func(r *run, v any, c call) (any, error)

func init() { // map looks filters up
	filters = map[string]func(r *run, v any, c call) (any, error){
		"abs":        filterAbs,
		"capitalize": filterText(mapMethod(capitalize)),
		"count":      filterLength,
		"d":          filterDefault,
		"default":    filterDefault,
		"first":      filterEnd(0),
		"float":      filterFloat,
		"indent":     filterIndent,
		"int":        filterInt,
		"items":      filterItems,
		"join":       filterJoin,
		"last":       filterEnd(-1),
		"length":     filterLength,
		"list":       filterList,
		"lower":      filterText(mapMethod(strings.ToLower)),
		"map":        filterMap,
		"reject":     filterSelect(false, false),
		"rejectattr": filterSelect(false, true),
		"replace":    filterText(replaceMethod),
		"reverse":    filterReverse,
		"safe":       filterString,
		"select":     filterSelect(true, false),
		"selectattr": filterSelect(true, true),
		"string":     filterString,
		"title":      filterText(mapMethod(title)),
		"tojson":     filterJSON,
		"trim":       filterText(stripMethod(strings.TrimFunc)),
		"unique":     filterUnique,
		"upper":      filterText(mapMethod(strings.ToUpper)),
	}
}

// filterText is a method of str as a filter, for which everything is a text.
func filterText(method func(*run, string, call) (any, error)) func(*run, any, call) (any, error) {
	return func(r *run, v any, c call) (any, error) {
		s, err := r.show(v)
		if err != nil {
			return nil, err
		}
		return method(r, s, c)
	}
}

func filterString(r *run, v any, c call) (any, error) {
	if _, err := c.take(); err != nil {
		return nil, err
	}
	return r.show(v)
}

func filterAbs(_ *run, v any, c call) (any, error) {
	if _, err := c.take(); err != nil {
		return nil, err
	}
	f, i, whole, ok := number(v)
	switch {
	case !ok:
		return nil, fmt.Errorf("abs of %s", kind(v))
	case whole:
		return max(i, -i), nil
	}
	return math.Abs(f), nil
}

func filterLength(_ *run, v any, c call) (any, error) {
	if _, err := c.take(); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), nil
	case *list:
		return len(v.items), nil
	case *dict:
		return len(v.keys), nil
	case undefined:
		return 0, nil
	}
	return nil, fmt.Errorf("%s has no length", kind(v))
}

func filterDefault(_ *run, v any, c call) (any, error) {
	a, err := c.take(or("default_value", ""), or("boolean", false))
	if err != nil {
		return nil, err
	}
	if _, missing := v.(undefined); missing || truth(a[1]) && !truth(v) {
		return a[0], nil
	}
	return v, nil
}

func filterEnd(at int) func(*run, any, call) (any, error) {
	return func(r *run, v any, c call) (any, error) {
		if _, err := c.take(); err != nil {
			return nil, err
		}
		items, err := r.items(v)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			return undefined("an item of nothing"), nil
		}
		return items[(at+len(items))%len(items)], nil
	}
}

func filterList(r *run, v any, c call) (any, error) {
	if _, err := c.take(); err != nil {
		return nil, err
	}
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	return r.newList(slices.Clone(items), false)
}

func filterReverse(r *run, v any, c call) (any, error) {
	l, err := filterList(r, v, c)
	if err != nil {
		return nil, err
	}
	reversed, _ := l.(*list)
	slices.Reverse(reversed.items)
	if _, ok := v.(string); !ok {
		return reversed, nil
	}
	var b strings.Builder
	for _, item := range reversed.items {
		fmt.Fprint(&b, item)
	}
	return b.String(), nil
}

func filterItems(r *run, v any, c call) (any, error) {
	if _, err := c.take(); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case undefined:
		return r.newList(nil, false)
	case *dict:
		return r.pairs(v)
	}
	return nil, fmt.Errorf("items of %s, expected dict", kind(v))
}

func filterJoin(r *run, v any, c call) (any, error) {
	a, err := c.take(or("d", ""), or("attribute", nil))
	if err != nil {
		return nil, err
	}
	sep, err := r.show(a[0])
	if err != nil {
		return nil, err
	}
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	parts := make([]string, len(items))
	for i, item := range items {
		if a[1] != nil {
			if item, err = r.path(item, a[1]); err != nil {
				return nil, err
			}
		}
		if parts[i], err = r.show(item); err != nil {
			return nil, err
		}
	}
	return r.joined(parts, sep)
}

// path follows "a.b.0" from a value.
func (r *run) path(v, path any) (any, error) {
	if i, ok := path.(int); ok {
		return r.item(v, i)
	}
	names, ok := path.(string)
	if !ok {
		return nil, fmt.Errorf("an attribute is %s, expected str", kind(path))
	}
	for name := range strings.SplitSeq(names, ".") {
		i, err := strconv.Atoi(name)
		if err == nil {
			v, err = r.item(v, i)
		} else if d, ok := v.(*dict); ok {
			value, has := d.get(name)
			if err = nil; !has {
				value = undefined(name)
			}
			v = value
		} else {
			v, err = r.attribute(v, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}

func filterMap(r *run, v any, c call) (any, error) {
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(items))
	attribute, byAttribute := c.named["attribute"]
	for i, item := range items {
		switch {
		case byAttribute && len(c.args) == 0:
			if out[i], err = r.path(item, attribute); err == nil {
				if _, missing := out[i].(undefined); missing && c.named["default"] != nil {
					out[i] = c.named["default"]
				}
			}
		case len(c.args) > 0:
			name, textErr := c.text(c.args[0])
			if err = textErr; err == nil {
				out[i], err = r.filtered(name, item, call{name, c.args[1:], c.named})
			}
		default:
			err = fmt.Errorf("map needs a filter's name or an attribute")
		}
		if err != nil {
			return nil, err
		}
	}
	return r.newList(out, false)
}

// filterSelect keeps the items, or those with an attribute, that pass a test or fail it.
func filterSelect(pass, attribute bool) func(*run, any, call) (any, error) {
	return func(r *run, v any, c call) (any, error) {
		items, err := r.items(v)
		if err != nil {
			return nil, err
		}
		args := c.args
		var path any
		if attribute {
			if len(args) == 0 {
				return nil, fmt.Errorf("%s: the attribute is missing", c.name)
			}
			path, args = args[0], args[1:]
		}
		var kept []any
		for _, item := range items {
			subject := item
			if attribute {
				if subject, err = r.path(item, path); err != nil {
					return nil, err
				}
			}
			ok := truth(subject)
			if len(args) > 0 {
				name, err := c.text(args[0])
				if err != nil {
					return nil, err
				}
				if ok, err = r.tested(name, subject, args[1:]); err != nil {
					return nil, err
				}
			}
			if ok == pass {
				kept = append(kept, item)
			}
		}
		return r.newList(kept, false)
	}
}

func filterUnique(r *run, v any, c call) (any, error) {
	if _, err := c.take(); err != nil {
		return nil, err
	}
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	seen := map[any]bool{}
	var kept []any
	for _, item := range items {
		key := item
		switch item := item.(type) {
		case string:
			key = strings.ToLower(item)
		case nil, bool, int, float64:
		default:
			return nil, fmt.Errorf("unique of %s is not supported", kind(item))
		}
		if !seen[key] {
			seen[key] = true
			kept = append(kept, item)
		}
	}
	return r.newList(kept, false)
}

func filterIndent(r *run, v any, c call) (any, error) {
	a, err := c.take(or("width", 4), or("first", false), or("blank", false))
	if err != nil {
		return nil, err
	}
	s, err := r.show(v)
	if err != nil {
		return nil, err
	}
	margin, ok := a[0].(string)
	if !ok {
		width, err := c.whole(a[0])
		if err != nil {
			return nil, err
		}
		if width < 0 || width > 1000 {
			return nil, fmt.Errorf("indent by %d, expected 0 to 1000", width)
		}
		margin = strings.Repeat(" ", width)
	}
	lines := strings.Split(s, "\n")
	if err := r.made(len(s) + len(margin)*len(lines)); err != nil {
		return nil, err
	}
	for i := range lines {
		if i == 0 && !truth(a[1]) || i > 0 && lines[i] == "" && !truth(a[2]) {
			continue
		}
		lines[i] = margin + lines[i]
	}
	return strings.Join(lines, "\n"), nil
}

func filterInt(_ *run, v any, c call) (any, error) {
	a, err := c.take(or("default", 0))
	if err != nil {
		return nil, err
	}
	if s, ok := v.(string); ok {
		s = strings.TrimFunc(s, space)
		if i, err := strconv.Atoi(s); err == nil {
			return i, nil
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return a[0], nil //nolint:nilerr // what is no number is the default
		}
		v = f
	}
	f, i, whole, ok := number(v)
	switch {
	case !ok || math.Abs(f) > 1<<62 || f != f:
		return a[0], nil
	case whole:
		return i, nil
	}
	return int(f), nil
}

func filterFloat(_ *run, v any, c call) (any, error) {
	a, err := c.take(or("default", 0.0))
	if err != nil {
		return nil, err
	}
	if s, ok := v.(string); ok {
		f, err := strconv.ParseFloat(strings.TrimFunc(s, space), 64)
		if err != nil {
			return a[0], nil //nolint:nilerr // what is no number is the default
		}
		return f, nil
	}
	if f, _, _, ok := number(v); ok {
		return f, nil
	}
	return a[0], nil
}

// filterJSON is transformers' tojson: json.dumps, not Jinja's, which escapes for HTML.
func filterJSON(r *run, v any, c call) (any, error) {
	a, err := c.take(or("ensure_ascii", false), or("indent", nil), or("separators", nil), or("sort_keys", false))
	if err != nil {
		return nil, err
	}
	style := &jsonStyle{item: ", ", pair: ": ", ascii: truth(a[0]), sorted: truth(a[3])}
	switch indent := a[1].(type) {
	case nil:
	case int:
		if indent > 100 {
			return nil, fmt.Errorf("tojson: an indent of %d, expected at most 100", indent)
		}
		style.lines, style.indent, style.item = true, strings.Repeat(" ", max(0, indent)), ","
	case string:
		style.lines, style.indent, style.item = true, indent, ","
	default:
		return nil, fmt.Errorf("tojson: an indent of %s", kind(indent))
	}
	if l, ok := a[2].(*list); ok && len(l.items) == 2 {
		if style.item, err = c.text(l.items[0]); err != nil {
			return nil, err
		}
		if style.pair, err = c.text(l.items[1]); err != nil {
			return nil, err
		}
	} else if a[2] != nil {
		return nil, fmt.Errorf("tojson: separators of %s, expected two", kind(a[2]))
	}
	var b strings.Builder
	if err := r.toJSON(&b, v, style, 0); err != nil {
		return nil, err
	}
	return b.String(), r.made(b.Len())
}

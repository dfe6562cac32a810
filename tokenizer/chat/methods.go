package chat

import (
	"fmt"
	"strings"
	"unicode"
)

// textMethods are those of Python's str that templates use.
var textMethods = map[string]func(r *run, s string, c call) (any, error){
	"strip":        stripMethod(strings.TrimFunc),
	"lstrip":       stripMethod(strings.TrimLeftFunc),
	"rstrip":       stripMethod(strings.TrimRightFunc),
	"startswith":   affixMethod(strings.HasPrefix),
	"endswith":     affixMethod(strings.HasSuffix),
	"removeprefix": cutMethod(strings.TrimPrefix),
	"removesuffix": cutMethod(strings.TrimSuffix),
	"upper":        mapMethod(strings.ToUpper),
	"lower":        mapMethod(strings.ToLower),
	"capitalize":   mapMethod(capitalize),
	"title":        mapMethod(title),
	"isspace":      isMethod(space),
	"isdigit":      isMethod(unicode.IsDigit),
	"isalpha":      isMethod(unicode.IsLetter),
	"split":        splitMethod,
	"rsplit":       rsplitMethod,
	"splitlines":   splitLines,
	"replace":      replaceMethod,
	"find":         findMethod(strings.Index),
	"rfind":        findMethod(strings.LastIndex),
	"count":        countMethod,
	"join":         (*run).joinItems,
}

// dictMethods are those of Python's dict that change nothing.
var dictMethods = map[string]func(r *run, d *dict, c call) (any, error){
	"items": func(r *run, d *dict, c call) (any, error) {
		if _, err := c.take(); err != nil {
			return nil, err
		}
		return r.pairs(d)
	},
	"keys": func(r *run, d *dict, c call) (any, error) {
		if _, err := c.take(); err != nil {
			return nil, err
		}
		return r.newList(append([]any{}, d.keys...), false)
	},
	"values": func(r *run, d *dict, c call) (any, error) {
		if _, err := c.take(); err != nil {
			return nil, err
		}
		var values []any
		for _, key := range d.keys {
			values = append(values, d.at(key))
		}
		return r.newList(values, false)
	},
	"get": func(_ *run, d *dict, c call) (any, error) {
		a, err := c.take(need("key"), or("default", nil))
		if err != nil {
			return nil, err
		}
		if v, ok := d.get(a[0]); ok {
			return v, nil
		}
		return a[1], nil
	},
}

func (r *run) pairs(d *dict) (any, error) {
	var items []any
	for _, key := range d.keys {
		items = append(items, &list{[]any{key, d.at(key)}, true})
	}
	if err := r.made(32 * len(items)); err != nil {
		return nil, err
	}
	return r.newList(items, false)
}

func stripMethod(trim func(string, func(rune) bool) string) func(*run, string, call) (any, error) {
	return func(r *run, s string, c call) (any, error) {
		a, err := c.take(or("chars", nil))
		if err != nil {
			return nil, err
		}
		cut := space
		if a[0] != nil {
			chars, err := c.text(a[0])
			if err != nil {
				return nil, err
			}
			cut = func(r rune) bool { return strings.ContainsRune(chars, r) }
		}
		s = trim(s, cut)
		return s, r.made(len(s))
	}
}

func affixMethod(has func(s, affix string) bool) func(*run, string, call) (any, error) {
	return func(_ *run, s string, c call) (any, error) {
		a, err := c.take(need("prefix"))
		if err != nil {
			return nil, err
		}
		affixes := []any{a[0]}
		if l, ok := a[0].(*list); ok && l.tuple {
			affixes = l.items
		}
		for _, v := range affixes {
			affix, err := c.text(v)
			if err != nil {
				return nil, err
			}
			if has(s, affix) {
				return true, nil
			}
		}
		return false, nil
	}
}

func cutMethod(cut func(s, affix string) string) func(*run, string, call) (any, error) {
	return func(r *run, s string, c call) (any, error) {
		a, err := c.take(need("prefix"))
		if err != nil {
			return nil, err
		}
		affix, err := c.text(a[0])
		if err != nil {
			return nil, err
		}
		return cut(s, affix), r.made(len(s))
	}
}

func mapMethod(f func(string) string) func(*run, string, call) (any, error) {
	return func(r *run, s string, c call) (any, error) {
		if _, err := c.take(); err != nil {
			return nil, err
		}
		s = f(s)
		return s, r.made(len(s))
	}
}

func isMethod(is func(rune) bool) func(*run, string, call) (any, error) {
	return func(_ *run, s string, c call) (any, error) {
		_, err := c.take()
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !is(r) }) < 0, err
	}
}

func capitalize(s string) string {
	for i := range s {
		if i > 0 {
			return strings.ToUpper(s[:i]) + strings.ToLower(s[i:])
		}
	}
	return strings.ToUpper(s)
}

func title(s string) string {
	within := false
	return strings.Map(func(r rune) rune {
		before := within
		within = unicode.IsLetter(r)
		if before {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

func (r *run) texts(parts []string) (any, error) {
	size := 0
	items := make([]any, len(parts))
	for i, part := range parts {
		items[i] = part
		size += len(part)
	}
	if err := r.made(size); err != nil {
		return nil, err
	}
	return r.newList(items, false)
}

// separator is split's arguments: the separator, "" for white space, and how many cuts at most, -1 for all.
func (c call) separator() (sep string, most int, err error) {
	a, err := c.take(or("sep", nil), or("maxsplit", -1))
	if err != nil {
		return "", 0, err
	}
	if a[0] != nil {
		if sep, err = c.text(a[0]); err == nil && sep == "" {
			err = fmt.Errorf("%s: the separator is empty", c.name)
		}
		if err != nil {
			return "", 0, err
		}
	}
	most, err = c.whole(a[1])
	return sep, most, err
}

func splitMethod(r *run, s string, c call) (any, error) {
	sep, most, err := c.separator()
	if err != nil {
		return nil, err
	}
	if sep != "" {
		if err := r.made(16 * strings.Count(s, sep)); err != nil {
			return nil, err
		}
		if most < 0 {
			return r.texts(strings.Split(s, sep))
		}
		return r.texts(strings.SplitN(s, sep, most+1))
	}
	var parts []string
	for s = strings.TrimLeftFunc(s, space); s != ""; s = strings.TrimLeftFunc(s, space) {
		end := strings.IndexFunc(s, space)
		if end < 0 {
			end = len(s)
		}
		if most >= 0 && len(parts) == most {
			end = len(s) // with the white space at its end
		}
		parts = append(parts, s[:end])
		s = s[end:]
	}
	return r.texts(parts)
}

func rsplitMethod(r *run, s string, c call) (any, error) {
	sep, most, err := c.separator()
	switch {
	case err != nil:
		return nil, err
	case most < 0:
		return splitMethod(r, s, c)
	case sep == "":
		return nil, fmt.Errorf("rsplit at white space with a limit is not supported")
	}
	if err := r.made(16 * strings.Count(s, sep)); err != nil {
		return nil, err
	}
	parts := strings.Split(s, sep)
	if extra := len(parts) - 1 - most; extra > 0 {
		parts = append([]string{strings.Join(parts[:extra+1], sep)}, parts[extra+1:]...)
	}
	return r.texts(parts)
}

func splitLines(r *run, s string, c call) (any, error) {
	a, err := c.take(or("keepends", false))
	if err != nil {
		return nil, err
	}
	var parts []string
	for s != "" {
		end := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if end < 0 {
			parts = append(parts, s)
			break
		}
		next := end
		switch rest := s[end:]; {
		case strings.HasPrefix(rest, "\r\n") || strings.HasPrefix(rest, "\u0085"):
			next += 2
		case strings.HasPrefix(rest, "\u2028") || strings.HasPrefix(rest, "\u2029"):
			next += 3
		default:
			next++
		}
		if truth(a[0]) {
			end = next
		}
		parts = append(parts, s[:end])
		s = s[next:]
	}
	return r.texts(parts)
}

func replaceMethod(r *run, s string, c call) (any, error) {
	a, err := c.take(need("old"), need("new"), or("count", -1))
	if err != nil {
		return nil, err
	}
	from, err := c.text(a[0])
	if err != nil {
		return nil, err
	}
	to, err := c.text(a[1])
	if err != nil {
		return nil, err
	}
	count := -1
	if a[2] != nil {
		if count, err = c.whole(a[2]); err != nil {
			return nil, err
		}
	}
	times := strings.Count(s, from)
	if count >= 0 {
		times = min(times, count)
	}
	size := len(s) + times*(len(to)-len(from)) // at most 2^48: both were counted
	if err := r.made(size); err != nil {
		return nil, err
	}
	return strings.Replace(s, from, to, count), nil
}

func findMethod(index func(s, part string) int) func(*run, string, call) (any, error) {
	return func(_ *run, s string, c call) (any, error) {
		a, err := c.take(need("sub"))
		if err != nil {
			return nil, err
		}
		part, err := c.text(a[0])
		if err != nil {
			return nil, err
		}
		i := index(s, part)
		if i > 0 {
			i = len([]rune(s[:i]))
		}
		return i, nil
	}
}

func countMethod(_ *run, s string, c call) (any, error) {
	a, err := c.take(need("sub"))
	if err != nil {
		return nil, err
	}
	part, err := c.text(a[0])
	return strings.Count(s, part), err
}

func (r *run) joinItems(sep string, c call) (any, error) {
	a, err := c.take(need("iterable"))
	if err != nil {
		return nil, err
	}
	items, err := r.items(a[0])
	if err != nil {
		return nil, err
	}
	parts := make([]string, len(items))
	for i, item := range items {
		if parts[i], err = c.text(item); err != nil {
			return nil, err
		}
	}
	return r.joined(parts, sep)
}

func (r *run) joined(parts []string, sep string) (any, error) {
	size := len(sep) * max(0, len(parts)-1)
	for _, part := range parts {
		size += len(part)
	}
	if err := r.made(size); err != nil {
		return nil, err
	}
	return strings.Join(parts, sep), nil
}

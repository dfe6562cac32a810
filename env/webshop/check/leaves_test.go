package check_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
)

// leaf is a value of JSON that has no parts, or the name of a member where any name may stand.
type leaf struct {
	path     string // names, and [] or a place for what is in lists
	from, to int    // in the text
}

// anyName are objects whose members are named by what was recorded.
var anyName = []string{"goal_options", "purchased_options", "range_prices"}

// leaves are all values of a text.
func leaves(t *testing.T, text string) (list []leaf) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	next := func() (token json.Token, from, to int) {
		from = int(d.InputOffset())
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%.100q: %v", text, err)
		}
		from += len(text[from:]) - len(strings.TrimLeft(text[from:], " \t\r\n:,"))
		return token, from, int(d.InputOffset())
	}
	var value func(path string)
	value = func(path string) {
		token, from, to := next()
		switch token {
		case json.Delim('{'):
			free := false
			for _, name := range anyName {
				free = free || strings.HasSuffix(path, name) || strings.HasSuffix(path, "goals[]3")
			}
			for d.More() {
				name, from, to := next()
				if free {
					list = append(list, leaf{path + ".*'s name", from, to})
					name = "*"
				}
				value(strings.TrimPrefix(path+"."+name.(string), "."))
			}
			next()
		case json.Delim('['):
			for at := 0; d.More(); at++ {
				if strings.HasSuffix(path, "[]") && at < 5 && !strings.HasPrefix(path, "val") { // a tuple
					value(path + strconv.Itoa(at))
				} else {
					value(path + "[]")
				}
			}
			next()
		default:
			list = append(list, leaf{path, from, to})
		}
	}
	value("")
	return list
}

// changed is a value that is another, as little as can be: a number by so much, or for 0 the next whole number or the
// next that a float can be.
func changed(t *testing.T, raw string, by float64) string {
	t.Helper()
	switch {
	case raw[0] == '"':
		return `"x` + raw[1:]
	case raw == "true":
		return "false"
	case raw == "false":
		return "true"
	case raw == "null":
		return `"x"`
	case !strings.ContainsAny(raw, ".eE"):
		n, err := strconv.ParseUint(strings.TrimPrefix(raw, "-"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(raw, strings.TrimPrefix(raw, "-")) + strconv.FormatUint(n+1, 10)
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		t.Fatal(err)
	}
	if f += by; by == 0 {
		f = math.Nextafter(f, math.Inf(1))
	}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLeaves(t *testing.T) {
	const text = `{"a": [1.5, {"goal_options": {"n": "v"}}], "b":[[true,null]]}`
	var got bytes.Buffer
	for _, l := range leaves(t, text) {
		got.WriteString(l.path + " " + text[l.from:l.to] + " " + changed(t, text[l.from:l.to], 0) + "\n")
	}
	const want = `a[] 1.5 1.5000000000000002
a[].goal_options.*'s name "n" "xn"
a[].goal_options.* "v" "xv"
b[]0 true false
b[]1 null "x"
`
	if got.String() != want {
		t.Errorf("got\n%s, want\n%s", got.String(), want)
	}
}

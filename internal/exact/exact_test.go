package exact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/internal/exact"
)

type inner struct {
	ID     int    `json:"id"`
	Anchor string // its key is its name
}

type outer struct {
	inner
	Rank    int             `json:"rank,omitempty"`
	Alpha   *float64        `json:"alpha"`
	Names   []string        `json:"names"`
	Sizes   map[string]int  `json:"sizes"`
	Parts   []*inner        `json:"parts"`
	Any     any             `json:"any"`
	Raw     json.RawMessage `json:"raw"`
	Left    int             `json:"-"`
	private int             //nolint:unused // that it is never filled is what is tested
}

// Keys count to the letter, at any depth and however they are escaped; keys of a map are its own.
func TestUnmarshal(t *testing.T) {
	alpha := 2.0
	for text, want := range map[string]outer{
		`{"other":1,"other":1,"RANK":1,"RANK":1}`:                       {}, // nobody asks for them
		`{"rank":1,"RANK":2,"Rank":3}`:                                  {Rank: 1},
		`{"ran\u212A":2}`:                                               {}, // the Kelvin sign, which folds to k
		`{"\u0072ank":2}`:                                               {Rank: 2},
		` { "ALPHA" : 1 , "alpha" : 2 } `:                               {Alpha: &alpha},
		`{"parts":[{"ID":1},null,{"id":2}]}`:                            {Parts: []*inner{{}, nil, {ID: 2}}},
		`{"sizes":{"a":1,"A":2}}`:                                       {Sizes: map[string]int{"a": 1, "A": 2}},
		`{"id":1,"anchor":"no","Anchor":"yes"}`:                         {inner: inner{1, "yes"}},
		`{"rank":null,"alpha":null,"names":null}`:                       {},
		`{"raw":{"a":1,"a":2},"more":{"a":1,"a":2}}`:                    {Raw: json.RawMessage(`{"a":1,"a":2}`)},
		`{"any":{"Rank":[1,null]},"LEFT":1,"Left":1,"private":1,"-":1}`: {Any: map[string]any{"Rank": []any{1.0, nil}}},
	} {
		var got outer
		given := []byte(text)
		if err := exact.Unmarshal(given, &got); err != nil || !reflect.DeepEqual(got, want) || string(given) != text {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// What encoding/json would settle in silence is an error that says where.
func TestUnmarshalRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"rank":1,"rank":1}`:              `"rank" stands twice`,
		`{"rank":1,"ran\u006b":1}`:         `"rank" stands twice`,
		`{"sizes":{"a":1,"a":1}}`:          `sizes: "a" stands twice`,
		`{"parts":[{},{"id":1,"id":2}]}`:   `parts[1]: "id" stands twice`,
		`{"any":[{"x":{"a":1,"a":2}}]}`:    `any[0].x: "a" stands twice`,
		`{"names":["a",null]}`:             "names[1]: null: expected a value",
		`{"sizes":{"a":null}}`:             "sizes.a: null: expected a value",
		`{"rank":"1"}`:                     "line 1: rank is a string, expected a whole number",
		`{"RANK":1,"names":1}`:             "line 1: names is a number, expected a list",
		`{"rank":1`:                        "line 1: unexpected end of JSON input",
		"{\n\"rank\":1.5}":                 "line 2: rank is the number 1.5, expected a whole number",
		"{\"parts\":[\n{},\n{\"id\":[]}]}": "line 3: parts.id is a list, expected a whole number",
		"{\"rank\":1\n\n\"names\":[]}":     "line 3: invalid character '\"' after object key:value pair",
		`[]`:                               "line 1: a list, expected an object",
	} {
		if err := exact.Unmarshal([]byte(text), &outer{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"Rank":1}`:           `"Rank" is not known`,
		`{"parts":[{"Id":1}]}`: `parts[0]: "Id" is not known`,
	} {
		if err := exact.UnmarshalKnown([]byte(text), &outer{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if err := exact.UnmarshalKnown([]byte(`{"rank":1,"sizes":{"x":1},"any":{"y":1}}`), &outer{}); err != nil {
		t.Error(err)
	}
}

// own reads itself, and says where in it something is wrong.
type own struct{}

func (*own) UnmarshalJSON(text []byte) error {
	var n int
	if err := json.Unmarshal(text, &n); err != nil {
		return fmt.Errorf("the third of them: %w", err)
	}
	return nil
}

// What a type that reads itself says is left as it is.
func TestUnmarshalOwn(t *testing.T) {
	var got struct {
		Own own `json:"own"`
	}
	if err := exact.Unmarshal([]byte(`{"own":"a"}`), &got); err == nil || !strings.HasPrefix(err.Error(), "the third of them: json: ") {
		t.Errorf("error %v", err)
	}
}

// What is read is what a reader finds that takes the members of each object by their very names.
func FuzzUnmarshal(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"Anchor":"a"}`, `{"ID":1,"id":2,"aNCHOR":"a"}`, `{"id":1,"id":2}`, `{"\u0069d":7,"Anchor":null}`, `[1]`, `{"x":{"id":1}}`, `{"id":1.5}`, `null`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got inner
		if exact.Unmarshal(text, &got) != nil {
			return
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatalf("taken, though %v", err)
		}
		maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return name != "id" && name != "Anchor" })
		only, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		var want inner
		if err := json.Unmarshal(only, &want); err != nil || got != want {
			t.Errorf("got %+v, want %+v, %v", got, want, err)
		}
	})
}

// The members of an object are those that encoding/json finds, wherever their names differ.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { "a" : 1 , "b":[ 1,{"c":"]}"}],"d":{}} `, `{"a":"\\\"","\u0061b":null,"":true,"c":-1.5e3}`, `{"a":1,"a":2}`, `[{"a":1}]`, `1`, `{"\ud83d\ude00":0}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if exact.Check(text) != nil {
			return
		}
		got := map[string]string{}
		err := exact.Members(text, func(name string, value []byte) error {
			got[name] = string(value)
			return nil
		})
		var want map[string]json.RawMessage
		if other := json.Unmarshal(text, &want); (other == nil) != (err == nil) && string(bytes.TrimSpace(text)) != "null" {
			if err != nil && strings.HasSuffix(err.Error(), "stands twice") {
				return
			}
			t.Fatalf("%v, encoding/json says %v", err, other)
		}
		if err != nil {
			return
		}
		for name, value := range want {
			if got[name] != string(value) {
				t.Errorf("%q is %q, want %q", name, got[name], value)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d members, want %d", len(got), len(want))
		}
	})
}

// The elements of a list are those that encoding/json finds.
func FuzzElements(f *testing.F) {
	for _, text := range []string{`[]`, ` [ 1 ,"a,]", [2,[3]] , {"b":[4]},null ] `, `[""]`, `{"a":1}`, `1`, `[[],[]]`, `["\\\""]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if exact.Check(text) != nil {
			return
		}
		var got []string
		err := exact.Elements(text, func(element []byte) error {
			got = append(got, string(element))
			return nil
		})
		var want []json.RawMessage
		if other := json.Unmarshal(text, &want); (other == nil) != (err == nil) && string(bytes.TrimSpace(text)) != "null" {
			t.Fatalf("%v, encoding/json says %v", err, other)
		}
		if err == nil && len(got) != len(want) {
			t.Fatalf("%d elements, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i] != string(want[i]) {
				t.Errorf("element %d is %q, want %q", i+1, got[i], want[i])
			}
		}
	})
}

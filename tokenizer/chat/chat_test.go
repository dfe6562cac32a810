package chat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/internal/outside"
	"github.com/hone-rl/hone/tokenizer/chat"
)

var update = flag.Bool("update", false, "rewrite testdata/python.json from Python (needs .venv and ../shared)")

// published are the folders of templates that are not ours, in ../shared.
var published = []string{"qwen2_5", "qwen3"}

type conversation struct {
	Name                string
	Messages            []chat.Message
	Tools               []json.RawMessage
	AddGenerationPrompt bool `json:"add_generation_prompt"`
	Variables           map[string]any
}

func read(t testing.TB, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// result is what Python gave: a text, or an object that tells the kind of error.
type result struct{ text, failed string }

func (r *result) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &r.text) == nil {
		return nil
	}
	var e struct{ Error string }
	err := json.Unmarshal(data, &e)
	r.failed = e.Error
	return err
}

func (r result) check(t *testing.T, what, got string, err error) {
	t.Helper()
	var raised *chat.RaisedError
	switch {
	case r.failed == "" && err != nil:
		t.Errorf("%s: %v, want %q", what, err, r.text)
	case r.failed == "" && got != r.text:
		t.Errorf("%s:\n got %q\nwant %q", what, got, r.text)
	case r.failed != "" && err == nil:
		t.Errorf("%s: got %q, want an error (%s)", what, got, r.failed)
	case errors.As(err, &raised) != (r.failed == "TemplateError"):
		t.Errorf("%s: %v, want %s", what, err, r.failed)
	}
}

func constructs(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/constructs.jinja")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t testing.TB, text string) *chat.Template {
	t.Helper()
	template, err := chat.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// TestConversations: every conversation by every template, as transformers renders it.
func TestConversations(t *testing.T) {
	var conversations []conversation
	var want map[string][]result
	read(t, "conversations.json", &conversations)
	read(t, "python.json", &want)
	for name, load := range map[string]func(*testing.T) *chat.Template{
		"constructs": func(t *testing.T) *chat.Template { return parse(t, constructs(t)) },
		"qwen2_5":    func(t *testing.T) *chat.Template { return loaded(t, "qwen2_5") },
		"qwen3":      func(t *testing.T) *chat.Template { return loaded(t, "qwen3") },
	} {
		t.Run(name, func(t *testing.T) {
			template := load(t)
			if len(want[name]) != len(conversations) {
				t.Fatalf("%d results for %d conversations", len(want[name]), len(conversations))
			}
			for i, c := range conversations {
				got, err := template.Render(t.Context(), chat.Conversation{
					Messages: c.Messages, Tools: c.Tools, AddGenerationPrompt: c.AddGenerationPrompt, Variables: c.Variables,
				})
				want[name][i].check(t, c.Name, got, err)
			}
		})
	}
}

func loaded(t *testing.T, name string) *chat.Template {
	t.Helper()
	template, err := chat.Load(outside.Shared(t, "model-fixtures/tokenizer", name))
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// TestSnippets: Python's values and Jinja2's white space, piece by piece.
func TestSnippets(t *testing.T) {
	var snippets []string
	var want map[string][]result
	read(t, "snippets.json", &snippets)
	read(t, "python.json", &want)
	if len(want["snippets"]) != len(snippets) {
		t.Fatalf("%d results for %d snippets", len(want["snippets"]), len(snippets))
	}
	for i, text := range snippets {
		template, err := chat.Parse(text)
		got := ""
		if err == nil {
			got, err = template.Render(t.Context(), one())
		}
		want["snippets"][i].check(t, text, got, err)
	}
}

func one() chat.Conversation {
	return chat.Conversation{
		Messages: []chat.Message{chat.Text("user", "hi")}, Variables: map[string]any{"bos_token": "<s>", "eos_token": "</s>"},
	}
}

// TestPython holds testdata/python.json against what transformers gives now.
func TestPython(t *testing.T) {
	python := outside.NewPython(t)
	args := []string{"testdata/conversations.json", "testdata/snippets.json", "constructs=testdata/constructs.jinja"}
	dir := t.TempDir()
	for _, name := range published {
		data, err := os.ReadFile(filepath.Join(outside.Shared(t, "model-fixtures/tokenizer", name), "tokenizer_config.json"))
		if err != nil {
			t.Fatal(err)
		}
		var settings struct {
			Template string `json:"chat_template"`
		}
		if err := json.Unmarshal(data, &settings); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(settings.Template), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name+"="+path)
	}
	got := python.Output(t, "chat.py", args...)
	const path = "testdata/python.json"
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, kept) {
		t.Errorf("%s is not what Python gives (go test ./tokenizer/chat -run Python -update)", path)
	}
}

// TestLoad: where a template and the names of special tokens are looked for.
func TestLoad(t *testing.T) {
	for name, test := range map[string]struct {
		config, alone string
		want, wrong   string
	}{
		"settings":        {config: `{"chat_template": "a{{ eos_token }}", "eos_token": {"content": "E"}}`, want: "aE"},
		"alone":           {alone: "b{{ eos_token is defined }}", want: "bFalse"},
		"both":            {config: `{"chat_template": "a", "pad_token": "P", "eos_token": null}`, alone: "b{{ pad_token }}{{ eos_token }}", want: "bP"},
		"list":            {config: `{"chat_template": [{"name": "tool_use", "template": "t"}, {"name": "default", "template": "d"}]}`, want: "d"},
		"list, no":        {config: `{"chat_template": [{"name": "x", "template": "t"}]}`, wrong: `none of the list is named "default"`},
		"none":            {config: `{}`, wrong: "no chat_template"},
		"nothing":         {wrong: "no chat_template"},
		"number":          {config: `{"chat_template": 3}`, wrong: "chat_template: expected a text or a list"},
		"token":           {config: `{"chat_template": "a", "eos_token": 3}`, wrong: "eos_token"},
		"letters":         {config: `{"Chat_Template": "a"}`, wrong: "no chat_template"},
		"list, letters":   {config: `{"chat_template": [{"NAME": "default", "template": "t"}]}`, wrong: `none of the list is named "default"`},
		"twice":           {config: `{"chat_template": "a", "chat_template": "b"}`, wrong: `"chat_template" stands twice`},
		"not JSON":        {config: `{`, wrong: "tokenizer_config.json"},
		"wrong, settings": {config: `{"chat_template": "{% if %}"}`, wrong: "tokenizer_config.json: chat template: "},
		"wrong, alone":    {alone: "\n\n{% nothing %}", wrong: "chat_template.jinja: chat template: "},
	} {
		dir := t.TempDir()
		for file, content := range map[string]string{"tokenizer_config.json": test.config, "chat_template.jinja": test.alone} {
			if content == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		template, err := chat.Load(dir)
		if err == nil {
			got, err = template.Render(t.Context(), chat.Conversation{})
		}
		if test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%s: got error %v, want one with %q", name, err, test.wrong)
		}
		if test.wrong == "" && (err != nil || got != test.want) {
			t.Errorf("%s: got %q, error %v, want %q", name, got, err, test.want)
		}
	}
}

// TestLoadFiles: only files of reasonable size are read.
func TestLoadFiles(t *testing.T) {
	for _, name := range []string{"tokenizer_config.json", "chat_template.jinja"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.Symlink("/dev/zero", path); err != nil {
			t.Fatal(err)
		}
		if _, err := chat.Load(dir); err == nil || !strings.Contains(err.Error(), path+": a device, expected a regular file") {
			t.Errorf("%s, a device: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<24+1)); err != nil {
			t.Fatal(err)
		}
		if _, err := chat.Load(dir); err == nil || !strings.Contains(err.Error(), path+": 16777217 bytes, expected at most 16777216") {
			t.Errorf("%s, too long: %v", name, err)
		}
	}
}

// TestNaN: every comparison with it but != is false, as in Python. The numbers come from outside, since Jinja2 cannot
// name infinity, to which it folds a product of constants.
func TestNaN(t *testing.T) {
	text := "{% set i = big * 10 %}{% set n = i - i %}{{ n }} {{ n < n }} {{ n <= n }} {{ n > n }} {{ n >= n }} {{ n == n }} {{ n != n }} " +
		"{{ n < 1 }} {{ 1 >= n }} {{ n is ge(n) }} {{ n < i }} {{ -i < i }} {{ 1 < 2.5 }} {{ 'a' <= 'a' }} {{ 3 > 2 }}"
	template, err := chat.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := template.Render(t.Context(), chat.Conversation{Variables: map[string]any{"big": 1e308}})
	const want = "nan False False False False False True False False False False True True True True"
	if err != nil || got != want {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
}

// TestRefusals: what is not supported is named, by the line it stands in.
func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"a\n\n{{ x | nothing }}":                "line 3: the filter nothing is not supported",
		"\n{% if x is nothing(1) %}{% endif %}": "line 2: the test nothing",
		"{% include 'x' %}":                     "'include' not found",
		"{% import 'x' as y %}":                 "'import' not found",
		"{% call x() %}{% endcall %}":           "'call' not found",
		"{% if true %}":                         "endif",
		"{% for x %}{% endfor %}":               "for: in is missing",
		"{{ strftime_now('%Y') }}":              "strftime_now is not supported",
		"{{ 'a":                                 "line 1: a string does not end",
		"\n{{ a":                                "line 2: a tag does not end, expected }}",
		"{# a":                                  "a comment does not end",
		"{% raw %}":                             "raw does not end",
		"{% break %}":                           "break stands in no loop",
		"{{ 2 ** 3 }}":                          "the operator ** is not supported",
		"a\n{{ 1 < 2 < 3 }}":                    `line 2: "<": a comparison behind another is not supported without brackets`,
		"{{ 1 in [1] == true }}":                `"==": a comparison behind another`,
		"{{ 1 + 1 is odd }}":                    `"is": a test of what an operator stands before`,
		"{{ 1 == 1 is odd }}":                   `"is": a test of what an operator stands before`,
		"{{ x is defined | string }}":           `"|": a filter behind a test`,
		"{% set a.b = 1 %}":                     "expected a namespace",
		"{% set a, b = 1, 2 %}":                 "set",
		"{% text 99 %}":                         "not one of a template's",
		"{{ 3000000000 * 3000000000 }}":         "more than 64 bits",
		"\xff":                                  "not UTF-8",
		strings.Repeat("a", 2<<20):              "expected at most 1048576",
		"{{ " + strings.Repeat("(", 100):        "more than 64 brackets",
	} {
		template, err := chat.Parse(text)
		if err == nil {
			_, err = template.Render(t.Context(), one())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got error %v, want one with %q", text, err, want)
		}
	}
	ok := parse(t, "x")
	for name, c := range map[string]chat.Conversation{
		"message 0": {Messages: []chat.Message{chat.Message(`3`)}},
		"message 1": {Messages: []chat.Message{chat.Text("a", "b"), chat.Message(`{`)}},
		"tool 0":    {Tools: []json.RawMessage{json.RawMessage(`{} {}`)}},
		"variable":  {Variables: map[string]any{"f": func() {}}},
	} {
		if _, err := ok.Render(t.Context(), c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

// hostile templates ask for more time, memory or stack than there is.
var hostile = []string{
	"{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}",
	"{% for a in range(99999) %}{% for b in range(99999) %}xxxxxxxxxx{% endfor %}{% endfor %}",
	"{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
	"{% set ns = namespace(s='aaaaaaaa') %}{% for i in range(99) %}{% set ns.s = ns.s.replace('a', ns.s) %}{% endfor %}",
	"{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
	"{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
	"{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s | tojson }}",
	"{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s == ns.s[:] }}",
	"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
	"{% macro f() %}{{ f() ~ f() }}{% endmacro %}{{ f() }}",
	"{{ 'a' * 1000000000 }}", "{{ 1000000000 * 'a' }}", "{{ [0] * 100000000 }}", "{{ 'a' | indent(100000000) }}", "{{ range(10000000000) }}",
	"{{ ('a' * 10000000) | join('a' * 10000000) }}", "{{ " + strings.Repeat("[", 60) + strings.Repeat("]", 60) + strings.Repeat("|tojson", 9000) + " }}",
	strings.Repeat("{% if true %}", 20000) + strings.Repeat("{% endif %}", 20000),
	"{{ 1" + strings.Repeat(" + 1", 50000) + " }}", "{{ a" + strings.Repeat(".a", 50000) + " }}", "{{ " + strings.Repeat("not ", 50000) + "a }}",
	"{{ {}" + strings.Repeat("['a']", 50000) + " }}",
	"{% set ns = namespace(s='a' * 1000000) %}{% for i in range(99999) %}{% set x = ns.s.split('') or ns.s.upper() %}{% endfor %}",
	"{% set s = 'a' * 1000000 %}{% for i in range(99999) %}{% if s[999999] %}{% endif %}{% endfor %}",
}

func TestHostile(t *testing.T) {
	for _, text := range hostile {
		start := time.Now()
		template, err := chat.Parse(text)
		if err == nil {
			_, err = template.Render(t.Context(), one())
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%.60q took %s", text, took)
		}
		if err == nil && !strings.HasPrefix(text, "{{ {}") {
			t.Errorf("%.60q: no error", text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := parse(t, hostile[0]).Render(ctx, one()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzTemplate(f *testing.F) {
	var snippets []string
	read(f, "snippets.json", &snippets)
	for _, s := range snippets {
		f.Add(s)
	}
	for _, s := range hostile {
		if len(s) < 1000 {
			f.Add(s)
		}
	}
	f.Add(constructs(f))
	f.Fuzz(func(t *testing.T, text string) {
		template, err := chat.Parse(text)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := one()
		c.Messages = append(c.Messages, chat.Message(`{"role": "assistant", "content": null, "tool_calls": [{"a": 1.5}]}`))
		first, err := template.Render(ctx, c)
		if err != nil {
			return
		}
		if again, err := template.Render(t.Context(), c); err != nil || again != first {
			t.Errorf("%q: %q, and again %q, %v", text, first, again, err)
		}
	})
}

// Package chat renders conversations by a checkpoint's own chat template, as transformers' apply_chat_template does. The
// templates are Jinja2. The gonja library reads their tags; the values and what is computed with them are ours and follow
// Python: objects keep their order, what is missing is not none, and a hostile template ends in an error.
package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"

	"github.com/hone-rl/hone/internal/exact"
	"github.com/hone-rl/hone/internal/regular"
)

// Template is a chat template. Its methods may be called from many goroutines.
type Template struct {
	nodes   []nodes.Node
	special map[string]any // names of special tokens: eos_token and others
}

// Conversation is what a template renders.
type Conversation struct {
	Messages            []Message
	Tools               []json.RawMessage // each a JSON schema of a function; nil is none, as in Python
	AddGenerationPrompt bool              // end with the beginning of the assistant's answer
	Variables           map[string]any    // what else the template knows, such as enable_thinking: what JSON can hold
}

// Message is a JSON object with role, content and whatever the template looks at. Its keys keep their order.
type Message json.RawMessage

// Text is a message of a role and a text.
func Text(role, content string) Message {
	data, err := json.Marshal(struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{role, content})
	if err != nil {
		panic(err) // two strings are always JSON
	}
	return data
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Message) UnmarshalJSON(data []byte) error { return (*json.RawMessage)(m).UnmarshalJSON(data) }

// MarshalJSON implements json.Marshaler.
func (m Message) MarshalJSON() ([]byte, error) { return json.RawMessage(m).MarshalJSON() }

// maxFile bounds a file, in bytes: published ones have some kilobytes, with all added tokens a megabyte.
const maxFile = 1 << 24

// Load reads the template of a checkpoint's folder: chat_template.jinja or, where there is none, chat_template in
// tokenizer_config.json, which may be a list of which "default" is taken. The names of special tokens come from
// tokenizer_config.json.
func Load(dir string) (*Template, error) {
	var settings struct {
		Template json.RawMessage `json:"chat_template"`
	}
	path := filepath.Join(dir, "tokenizer_config.json")
	special := map[string]any{}
	data, err := regular.Read(path, maxFile)
	switch {
	case err == nil:
		if err := exact.Unmarshal(data, &settings); err != nil {
			return nil, fmt.Errorf("loading chat template: %s: %w", path, err)
		}
		if special, err = specialNames(data); err != nil {
			return nil, fmt.Errorf("loading chat template: %s: %w", path, err)
		}
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("loading chat template: %w", err)
	}
	var text string
	alone := filepath.Join(dir, "chat_template.jinja")
	data, err = regular.Read(alone, maxFile)
	switch {
	case err == nil:
		path, text = alone, string(data)
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("loading chat template: %w", err)
	default:
		if text, err = defaultTemplate(settings.Template); err != nil {
			return nil, fmt.Errorf("loading chat template: %s: %w", path, err)
		}
	}
	t, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("loading chat template %s: %w", path, err)
	}
	t.special = special
	return t, nil
}

// defaultTemplate reads a text, or a list of named texts.
func defaultTemplate(data json.RawMessage) (string, error) {
	var text string
	if len(data) == 0 || string(data) == "null" {
		return "", errors.New("no chat_template")
	}
	if err := exact.Unmarshal(data, &text); err == nil {
		return text, nil
	}
	var named []struct {
		Name     string `json:"name"`
		Template string `json:"template"`
	}
	if err := exact.Unmarshal(data, &named); err != nil {
		return "", fmt.Errorf("chat_template: expected a text or a list of name and template: %w", err)
	}
	for _, n := range named {
		if n.Name == "default" {
			return n.Template, nil
		}
	}
	return "", errors.New(`chat_template: none of the list is named "default"`)
}

// specialNames are the special tokens that tokenizer_config.json names: texts, or objects with content.
func specialNames(data []byte) (map[string]any, error) {
	var fields map[string]json.RawMessage
	if err := exact.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	names := map[string]any{}
	for _, key := range []string{"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"} {
		raw := fields[key]
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		var text string
		if err := exact.Unmarshal(raw, &text); err == nil {
			names[key] = text
			continue
		}
		var token struct {
			Content string `json:"content"`
		}
		if err := exact.Unmarshal(raw, &token); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		names[key] = token.Content
	}
	return names, nil
}

// Parse reads a template's text. What is not supported is an error that names it, here or in Render.
func Parse(text string) (t *Template, err error) {
	tags, texts, err := prepare(text)
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	defer func() { // the library's parser has been seen to panic on nonsense
		if p := recover(); p != nil {
			t, err = nil, fmt.Errorf("chat template: %v", p)
		}
	}()
	settings := config.New()
	settings.KeepTrailingNewline = true
	stream, err := bind(tokens.LexAll(tags, settings))
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	p := parser.NewParser("chat template", stream, settings, nil, grammar{texts})
	root, err := p.Parse()
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	return &Template{nodes: root.Nodes}, nil
}

// Render is the conversation as the text that the model is given. A template that looks at what is not there, or uses
// what is not supported, ends in an error with its line; one that refuses the conversation in a [RaisedError]. What a
// template may compute and write is bounded.
func (t *Template) Render(ctx context.Context, c Conversation) (string, error) {
	names := maps.Clone(t.special)
	if names == nil {
		names = map[string]any{}
	}
	for name, value := range c.Variables {
		data, err := json.Marshal(value)
		if err != nil {
			return "", fmt.Errorf("rendering chat: variable %s: %w", name, err)
		}
		if names[name], err = decode(data); err != nil {
			return "", fmt.Errorf("rendering chat: variable %s: %w", name, err)
		}
	}
	messages := &list{}
	for i, m := range c.Messages {
		v, err := decode(m)
		if err != nil {
			return "", fmt.Errorf("rendering chat: message %d: %w", i, err)
		}
		if _, ok := v.(*dict); !ok {
			return "", fmt.Errorf("rendering chat: message %d: %s, expected an object", i, kind(v))
		}
		messages.items = append(messages.items, v)
	}
	names["messages"], names["tools"], names["documents"] = messages, nil, nil
	names["add_generation_prompt"] = c.AddGenerationPrompt
	if c.Tools != nil {
		tools := &list{}
		for i, tool := range c.Tools {
			v, err := decode(tool)
			if err != nil {
				return "", fmt.Errorf("rendering chat: tool %d: %w", i, err)
			}
			tools.items = append(tools.items, v)
		}
		names["tools"] = tools
	}
	r := &run{ctx: ctx, out: &strings.Builder{}, scope: &scope{names: names}}
	if err := r.body(t.nodes); err != nil {
		return "", fmt.Errorf("rendering chat: %w", err)
	}
	return r.out.String(), nil
}

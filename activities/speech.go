package activities

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/tokenizer"
)

// Speech is how prompts become a model's tokens, and its tokens text: all of a model that an episode depends on but what
// it answers.
type Speech struct {
	Tokens    *tokenizer.Tokenizer
	Form      rollout.Form
	Stop      int32 // ends an answer
	Positions int   // tokens that the model can read
}

// Config is how episodes of these parameters are played by a model that speaks so: all but policy, skills and clock.
func (p RolloutParameters) Config(s Speech) rollout.Config {
	return rollout.Config{
		Form: s.Form, Decoder: s.Tokens, Prompts: p.Prompts, World: p.World,
		Projection: p.Projection, Query: p.Query, Rank: p.Rank, Distil: p.Distil, Show: p.Show, History: p.History, MaxSteps: p.MaxSteps,
		Positions: s.Positions, Answer: p.Answer, Stop: []int32{s.Stop}, Draw: p.Draw, Limits: p.Limits,
	}
}

// ReadSpeech reads how a stored model, adapter, update or outcome of a training speaks. Of its weights nothing is read.
func ReadSpeech(ctx context.Context, store artifacts.Store, d artifacts.Digest, how *ChatParameters) (s Speech, err error) {
	if s.Positions, err = (&Activities{Store: store}).positions(ctx, d); err != nil {
		return s, plain{err}
	}
	m, err := speaker(ctx, store, d)
	if err != nil {
		return s, err
	}
	dir, err := os.MkdirTemp("", "hone-speech-")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, out := range m.Outputs {
		if !speaks(out.Name) {
			continue
		}
		raw, err := artifacts.ReadAll(ctx, store, out.Digest, out.Size)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, out.Name), raw, 0o600)
		}
		if err != nil {
			return s, fmt.Errorf("read %s of model %s: %w", out.Name, d.Short(), err)
		}
	}
	if s.Tokens, err = tokenizer.Load(filepath.Join(dir, tokenizerFile)); err == nil {
		s.Form, s.Stop, err = formOf(ctx, dir, s.Tokens, how)
	}
	if err != nil { // of the folder nobody knows
		return s, fmt.Errorf("model %s: %s", d.Short(), strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	return s, nil
}

const tokenizerFile = "tokenizer.json"

// speaks says whether a model's file has to do with how it speaks: what copyTokenizer copies.
func speaks(name string) bool {
	return !strings.Contains(name, "/") && (strings.Contains(name, "token") && strings.HasSuffix(name, ".json") || strings.HasPrefix(name, "chat_template."))
}

// speaker is the model whose tokenizer the artifact d has.
func speaker(ctx context.Context, store artifacts.Store, d artifacts.Digest) (*artifacts.Manifest, error) {
	for {
		m, err := artifacts.GetManifest(ctx, store, d)
		if err != nil {
			return nil, fmt.Errorf("read model %s: %w", d.Short(), err)
		}
		from := map[artifacts.Kind]string{artifacts.KindAdapter: "model", artifacts.KindUpdate: "start", artifacts.KindPolicy: "best"}[m.Kind]
		if m.Kind == artifacts.KindModel {
			return m, nil
		}
		next := artifacts.Digest("")
		for _, in := range m.Inputs {
			if in.Role == from {
				next = in.Digest
			}
		}
		if next == "" {
			return nil, fmt.Errorf("artifact %s is a %s, expected what speaks", d.Short(), m.Kind)
		}
		d = next
	}
}

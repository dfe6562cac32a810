package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/hints"
	"github.com/hone-rl/hone/tokenizer"
)

// InitParameters are what a new model depends on beside the dataset its tokenizer learns from.
type InitParameters struct {
	Qwen2         gpu.ModelConfig `json:"qwen2"`
	Seed          uint64          `json:"seed"`
	Vocabulary    int             `json:"vocabulary"`
	Split         string          `json:"split"`
	Games         int             `json:"games"` // whose records the tokenizer reads, drawn by TokenizerSeed; 0: all
	TokenizerSeed uint64          `json:"tokenizerSeed"`
	Prompt        agent.Format    `json:"prompt,omitempty"` // whose texts the tokenizer learns from; "" is "lite/1"
	// ColdStart has the tokenizer learn from the texts of a cold start, in place of Prompt's.
	ColdStart *ColdStartParameters `json:"coldStart,omitempty"`
}

// InitInput asks for a new model.
type InitInput struct {
	Key     artifacts.Digest `json:"key"`
	Dataset artifacts.Digest `json:"dataset"`
	InitParameters
}

// EndOfText is the one special token of a new tokenizer.
const EndOfText = "<|endoftext|>"

// InitModel trains a tokenizer on the dataset's training records and writes a model with seeded random weights.
func (a *Activities) InitModel(ctx context.Context, in InitInput) (*ModelResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	runner, err := a.device()
	if err != nil {
		return nil, err
	}
	set, err := a.dataset(ctx, in.Dataset)
	if err != nil {
		return nil, classify(err)
	}
	var texts iter.Seq[string] = func(yield func(string) bool) {
		for _, r := range ofGames(set.train, in.Games, in.TokenizerSeed) {
			if !yield(hints.Teacher(cmp.Or(in.Prompt, agent.Lite), r.X, r.H) + agent.Answer(r.Y)) {
				return
			}
		}
	}
	if in.ColdStart != nil {
		taught, err := a.coldTexts(ctx, in, set, func(n int) { beat.at(n, "games") })
		if err != nil {
			return nil, classify(err)
		}
		texts = slices.Values(taught)
	}
	tokens, err := tokenizer.Train(tokenizer.TrainConfig{Vocabulary: in.Vocabulary, Split: in.Split, Special: []string{EndOfText}}, texts)
	if err != nil {
		return nil, final(ErrTypeBadInput, err)
	}
	beat.report(Beat{Done: 1, Of: 2, Unit: "parts", Note: "tokenizer trained"})
	dir, err := a.scratchDir("init")
	if err != nil {
		return nil, err
	}
	defer a.dropScratch(dir)
	config := in.Qwen2
	config.BOS, config.EOS = 0, 0
	if err := runner.Init(ctx, config, in.Seed, dir); err != nil {
		return nil, unusable(ctx, fmt.Errorf("new model: %w", err))
	}
	if err := tokens.Save(dir); err != nil {
		return nil, err
	}
	card := fmt.Sprintf("# untrained\n\nA Qwen2 model with random weights (seed %d) and a byte-level BPE of %d tokens, trained on the records of `%s`.\n",
		in.Seed, tokens.VocabSize(), in.Dataset)
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(card), 0o644); err != nil {
		return nil, err
	}
	m := artifacts.Manifest{Kind: artifacts.KindModel, Inputs: []artifacts.Input{{Role: "dataset", Digest: in.Dataset}}}
	if m.Outputs, err = artifacts.PutFolder(ctx, a.Store, dir); err != nil {
		return nil, classify(err)
	}
	if m.Parameters, err = json.Marshal(in.InitParameters); err != nil {
		return nil, err
	}
	if m.Summary, err = json.Marshal(map[string]any{"tokens": tokens.VocabSize()}); err != nil {
		return nil, err
	}
	d, err := a.publish(ctx, in.Key, m)
	if err != nil {
		return nil, err
	}
	return &ModelResult{Digest: d, Note: fmt.Sprintf("%d tokens", tokens.VocabSize()), Work: beat.work()}, nil
}

// modelFolders lays a model out as a folder; for an adapter also the model it belongs to. Of what a training by steps came
// to it is the best.
func (a *Activities) modelFolders(ctx context.Context, d artifacts.Digest) (base, adapter string, err error) {
	m, err := artifacts.GetManifest(ctx, a.Store, d)
	if err != nil {
		return "", "", fmt.Errorf("read model %s: %w", d.Short(), err)
	}
	switch m.Kind {
	case artifacts.KindModel:
		base, err = artifacts.Fetch(ctx, a.Store, m, a.Cache)
		return base, "", err
	case artifacts.KindAdapter:
		for _, in := range m.Inputs {
			if in.Role == "model" {
				if base, _, err = a.modelFolders(ctx, in.Digest); err != nil {
					return "", "", err
				}
			}
		}
		adapter, err = artifacts.Fetch(ctx, a.Store, m, a.Cache)
		return base, adapter, err
	case artifacts.KindPolicy:
		for _, in := range m.Inputs {
			if in.Role == "best" {
				return a.modelFolders(ctx, in.Digest)
			}
		}
		return "", "", final(ErrTypeCorrupt, fmt.Errorf("policy %s: it names no best model", d.Short()))
	default:
		return "", "", final(ErrTypeBadInput, fmt.Errorf("artifact %s is a %s, expected a model or an adapter", d.Short(), m.Kind))
	}
}

func (a *Activities) scratchDir(kind string) (string, error) {
	if err := os.MkdirAll(a.Scratch, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(a.Scratch, kind+"-")
}

// dropScratch removes a scratch folder; what stays behind is swept at the worker's next start.
func (a *Activities) dropScratch(dir string) {
	if dir != "" {
		_ = os.RemoveAll(dir)
	}
}

// Package folder is a model's folder as Hugging Face lays it out: which of its files belong to the model, and whether
// they fit together. docs/models.md describes the layout.
package folder

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// TokenizerName is the tokenizer's file.
const TokenizerName = "tokenizer.json"

// What a model has beside its weights. All else at the top of a folder or repository is left out: pickle files are
// programs, and a model card or a picture that changes would make the same model another.
var companions = append([]string{
	checkpoint.ConfigName, "generation_config.json",
	"preprocessor_config.json", "processor_config.json", "video_preprocessor_config.json", // of models that also see
}, tokenizerFiles...)

var tokenizerFiles = []string{
	TokenizerName, "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "vocab.txt", "merges.txt",
	"chat_template.jinja", "chat_template.json",
}

// Licences and what must go with a copy, with no extension or one of text.
var legal = []string{"license", "licence", "copying", "notice", "use_policy"}

func companion(name string) bool {
	if slices.Contains(companions, name) {
		return true
	}
	ext := strings.ToLower(filepath.Ext(name))
	stem, _, _ := strings.Cut(strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name))), "-") // LICENSE-MODEL
	return slices.Contains([]string{"", ".txt", ".md"}, ext) && slices.Contains(legal, stem)
}

// IsTokenizer says whether a file of that name is part of a tokenizer.
func IsTokenizer(name string) bool { return slices.Contains(tokenizerFiles, name) }

// MaxBeside is the most bytes that a file beside the weights may have. Tokenizers have some 30 MB.
const MaxBeside = 256 << 20

// Weights says whether a file of that name is one of weights.
func Weights(name string) bool { return strings.HasSuffix(name, ".safetensors") }

// Select says which of the files at the top of a folder or repository are the model, sorted. Where both kinds of weights
// are there, model.safetensors counts and not the index, as everywhere. read is asked for the index alone. What a model
// must have and is not among names is all in one error.
func Select(names []string, read func(name string) ([]byte, error)) ([]string, error) {
	has := func(name string) bool { return slices.Contains(names, name) }
	var files []string
	for _, name := range names {
		if companion(name) {
			files = append(files, name)
		}
	}
	var wrong []error
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if has("adapter_config.json") {
		bad("adapter_config.json makes it a PEFT adapter, expected a whole model")
	}
	for _, name := range []string{checkpoint.ConfigName, TokenizerName} {
		if !has(name) {
			bad("no %s, expected a Hugging Face model folder", name)
		}
	}
	switch {
	case has(safetensors.SingleName):
		files = append(files, safetensors.SingleName)
	case has(safetensors.IndexName):
		text, err := read(safetensors.IndexName)
		if err != nil {
			return nil, err
		}
		shards, err := safetensors.Shards(text)
		if err != nil {
			bad("%s: %w", safetensors.IndexName, err)
		}
		for _, shard := range shards {
			switch {
			case !Weights(shard):
				bad("%s: weight_map names %q, expected files that end in .safetensors", safetensors.IndexName, shard)
			case !has(shard):
				bad("%s: weight_map names %s, which is not there", safetensors.IndexName, shard)
			}
		}
		files = append(append(files, safetensors.IndexName), shards...)
	case slices.ContainsFunc(names, pickled):
		bad("its weights are there as pickle files alone (%s), which are never read: expected %s or %s",
			names[slices.IndexFunc(names, pickled)], safetensors.SingleName, safetensors.IndexName)
	case slices.ContainsFunc(names, Weights):
		bad("no %s, which says where the tensors of shards such as %s are, and no %s", safetensors.IndexName,
			names[slices.IndexFunc(names, Weights)], safetensors.SingleName)
	default:
		bad("no %s, expected a Hugging Face model folder", safetensors.SingleName)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	slices.Sort(files)
	return files, nil
}

// pickled says whether a file is PyTorch's own format, a program that loading it runs.
func pickled(name string) bool {
	return slices.Contains([]string{".bin", ".pt", ".pth", ".pkl", ".ckpt"}, filepath.Ext(name)) && name != "training_args.bin"
}

package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/tokenizer"
)

// Folder is a folder that holds a whole model.
type Folder struct {
	Dir     string
	Files   []string // the model's, sorted
	Left    []string // what else is at the top, folders with a slash behind them
	Figures Figures
}

// Open checks a folder: every file that belongs to it can be read and is regular, links followed, as in Hugging Face's
// cache; config.json is of an architecture that there is; the weights' headers are sound and name every tensor of the
// index and of the architecture in its shape, and no tensor that it has no place for; the tokenizer can be read and
// gives no token that the model lacks. Of the weights only headers are read. An error names file and field, and all that is wrong with a part of it.
func Open(dir string) (*Folder, error) {
	f := &Folder{Dir: dir}
	if err := f.list(); err != nil {
		return nil, err
	}
	m, err := checkpoint.Read(dir)
	if err != nil {
		return nil, err
	}
	weights, err := safetensors.OpenModel(dir)
	if err != nil {
		return nil, err
	}
	f.Figures.model(m)
	var tensors []safetensors.Tensor
	for _, name := range weights.Names() {
		tensors = append(tensors, *weights.Tensor(name))
	}
	err = f.Figures.weights(m, tensors)
	if err := errors.Join(err, unknown(m, tensors), weights.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", weights.Path, err)
	}
	path := filepath.Join(dir, TokenizerName)
	tokens, err := tokenizer.Load(path)
	if err != nil {
		return nil, err
	}
	if n := tokens.VocabSize(); n > f.Figures.Vocabulary {
		return nil, fmt.Errorf("%s: %d tokens, vocab_size in %s is %d", path, n, checkpoint.ConfigName, f.Figures.Vocabulary)
	}
	return f, nil
}

// list finds the model's files.
func (f *Folder) list() error {
	info, err := os.Stat(f.Dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: expected a folder with %s, %s and %s", f.Dir, checkpoint.ConfigName, TokenizerName, safetensors.SingleName)
	}
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	f.Files, err = Select(names, func(name string) ([]byte, error) {
		if _, err := f.regular(name); err != nil {
			return nil, err
		}
		return safetensors.ReadIndex(filepath.Join(f.Dir, name))
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Dir, err)
	}
	for _, name := range f.Files {
		size, err := f.regular(name)
		if err != nil {
			return err
		}
		if !Weights(name) && size > MaxBeside {
			return fmt.Errorf("%s: %d bytes, expected at most %d", filepath.Join(f.Dir, name), size, MaxBeside)
		}
		f.Figures.Bytes += size
	}
	for _, e := range entries {
		if name := e.Name(); e.IsDir() {
			f.Left = append(f.Left, name+"/")
		} else if !slices.Contains(f.Files, name) {
			f.Left = append(f.Left, name)
		}
	}
	return nil
}

// regular is the size of a file of the folder. A link counts as what it leads to.
func (f *Folder) regular(name string) (int64, error) {
	path := filepath.Join(f.Dir, name)
	info, err := os.Stat(path)
	if err != nil {
		if to, lerr := os.Readlink(path); lerr == nil && errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("%s: a link to %s, which is not there", path, to)
		}
		return 0, err
	}
	if !info.Mode().IsRegular() {
		if to, err := os.Readlink(path); err == nil {
			return 0, fmt.Errorf("%s: a link to %s (%v), expected one to a regular file", path, to, info.Mode())
		}
		return 0, fmt.Errorf("%s: %v, expected a regular file", path, info.Mode())
	}
	return info.Size(), nil
}

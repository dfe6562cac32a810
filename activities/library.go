package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/skills"
	"github.com/hone-rl/hone/tokenizer"
)

const mediaVectors = "application/vnd.numpy.npy"

// libraryFile is a file of a library's artifact.
type libraryFile struct {
	name, media string
	data        []byte
}

// storeLibrary stores a snapshot with what it came of and returns its manifest's digest. Params are what it depends on
// beside the inputs; more are files beside its own.
func (a *Activities) storeLibrary(ctx context.Context, l *skills.Library, params any, inputs []artifacts.Input, more ...libraryFile) (artifacts.Digest, error) {
	files, err := l.Encode()
	if err != nil {
		return "", err
	}
	m := artifacts.Manifest{
		Kind: artifacts.KindSkills, Inputs: inputs,
	}
	more = append(more, libraryFile{skills.SkillsName, mediaJSONL, files.Skills}, libraryFile{skills.VectorsName, mediaVectors, files.Vectors})
	slices.SortFunc(more, func(a, b libraryFile) int { return strings.Compare(a.name, b.name) })
	for _, f := range more {
		d, err := artifacts.PutBytes(ctx, a.Store, f.media, f.data)
		if err != nil {
			return "", fmt.Errorf("store skill library: %w", err)
		}
		m.Outputs = append(m.Outputs, artifacts.Output{Name: f.name, Descriptor: d})
	}
	if m.Parameters, err = json.Marshal(params); err != nil {
		return "", err
	}
	summary := map[string]any{"step": l.Step(), "skills": l.Len(), "utility": l.MeanUtility()}
	if m.Summary, err = json.Marshal(summary); err != nil {
		return "", err
	}
	d, err := a.put(ctx, m)
	if err != nil {
		return "", fmt.Errorf("store skill library: %w", err)
	}
	return d, nil
}

// ReadLibrary reads a stored skill library.
func ReadLibrary(ctx context.Context, store artifacts.Store, d artifacts.Digest) (*skills.Library, error) {
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return nil, fmt.Errorf("read skill library %s: %w", d.Short(), err)
	}
	if m.Kind != artifacts.KindSkills {
		return nil, wrong{fmt.Errorf("artifact %s is a %s, expected a skill library", d.Short(), m.Kind), ErrTypeBadInput}
	}
	var files skills.Snapshot
	for _, f := range []struct {
		name string
		to   *[]byte
	}{{skills.SkillsName, &files.Skills}, {skills.VectorsName, &files.Vectors}} {
		if *f.to, err = readOf(ctx, store, d, m, f.name); err != nil {
			return nil, fmt.Errorf("read skill library %s: %w", d.Short(), err)
		}
	}
	l, err := skills.Decode(files)
	if err != nil {
		return nil, wrong{fmt.Errorf("skill library %s: %w", d.Short(), err), ErrTypeCorrupt}
	}
	return l, nil
}

// sentences is the frozen sentence encoder, loaded when it is first asked for.
type sentences struct {
	mu      sync.Mutex
	encoder gpu.Embedder
	words   *tokenizer.WordPiece
}

// maxSentence is how many tokens of a text all-MiniLM-L6-v2 reads.
const maxSentence = 256

// embed is the vector of a text. One text is one pass: on a CPU it is the same bit for bit in any company.
func (a *Activities) embed(ctx context.Context, text string) ([]float32, error) {
	if err := a.sentences.load(ctx, a); err != nil {
		return nil, err
	}
	vectors, err := a.sentences.encoder.Embed(ctx, [][]int32{a.sentences.words.EncodeCut(text, maxSentence)})
	if err != nil {
		return nil, fmt.Errorf("vector of %.80q: %w", text, err)
	}
	return vectors[0], nil
}

func (s *sentences) load(ctx context.Context, a *Activities) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.encoder != nil {
		return nil
	}
	runner, err := a.device()
	if err != nil {
		return err
	}
	if s.words, err = tokenizer.LoadWordPiece(a.MiniLM); err != nil {
		return fmt.Errorf("sentence encoder (make setup brings it): %w", err)
	}
	if s.encoder, err = runner.Embedder(ctx, a.MiniLM); err != nil {
		return fmt.Errorf("sentence encoder: %w", err)
	}
	return nil
}

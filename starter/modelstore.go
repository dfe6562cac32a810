package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/checkpoint/folder"
	"github.com/hone-rl/hone/version"
)

// storedModel is a model in the store.
type storedModel struct {
	Digest artifacts.Digest `json:"digest"`
	Files  int              `json:"files"`
	Bytes  int64            `json:"bytes"`
}

// storeModel stores a checked folder as a model that was made from nothing known here: its manifest has the files and
// no more, so that they alone make its digest. The name comes last.
func storeModel(ctx context.Context, store artifacts.Store, f *folder.Folder) (*storedModel, error) {
	line := newProgressLine()
	defer line.end()
	if err := folder.Finite(ctx, f.Dir, func(name string, i, n int) { line.show("%s: checking tensor %d of %d", name, i+1, n) }); err != nil {
		return nil, usage(err)
	}
	m := artifacts.Manifest{Kind: artifacts.KindModel, Producer: artifacts.Producer{Name: "hone", Version: version.Import}}
	for i, name := range f.Files {
		line.show("%s: storing file %d of %d", name, i+1, len(f.Files))
		desc, err := artifacts.PutFile(ctx, store, artifacts.MediaTypeOf(name), filepath.Join(f.Dir, name))
		if err != nil {
			return nil, err
		}
		m.Outputs = append(m.Outputs, artifacts.Output{Name: name, Descriptor: desc})
	}
	d, err := artifacts.PutManifest(ctx, store, m)
	if err != nil {
		return nil, err
	}
	// What is stored already is not written again: whether it is still whole is for who asks for it once more to be told.
	if _, err := store.Resolve(ctx, activities.ModelName(d.Digest)); err == nil {
		if err := wholeModel(ctx, store, m, line); err != nil {
			return nil, fmt.Errorf("model %s was stored before and is damaged: %w; remove that object by hand and store the model again (docs/artifacts.md)", d.Digest, err)
		}
	}
	return &storedModel{d.Digest, len(m.Outputs), f.Figures.Bytes}, store.Name(ctx, activities.ModelName(d.Digest), d.Digest)
}

// wholeModel reads all of a stored model and is an error of the first file that is not what its digest says.
func wholeModel(ctx context.Context, store artifacts.Store, m artifacts.Manifest, line *progressLine) error {
	for i, out := range m.Outputs {
		line.show("%s: reading stored file %d of %d", out.Name, i+1, len(m.Outputs))
		r, err := store.Open(ctx, out.Digest)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
			err = errors.Join(err, r.Close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", out.Name, err)
		}
	}
	return nil
}

// leftOut says which files of a folder were not stored, "" if none.
func leftOut(f *folder.Folder) string {
	if len(f.Left) == 0 {
		return ""
	}
	return fmt.Sprintf("%s left out: %s\n", counted(len(f.Left), "other file"), strings.Join(f.Left, ", "))
}

func (m *storedModel) String() string {
	return fmt.Sprintf("%s, %s, stored: %s", counted(m.Files, "file"), size(m.Bytes), m.Digest)
}

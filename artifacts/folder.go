package artifacts

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// MediaTypeOctets is the media type of files of no known kind.
const MediaTypeOctets = "application/octet-stream"

// A table of our own: the mime package's depends on the machine's, and media types are part of a digest.
var mediaTypes = map[string]string{
	".csv":         "text/csv",
	".html":        "text/html",
	".json":        "application/json",
	".jsonl":       "application/jsonl",
	".md":          "text/markdown",
	".pddl":        "text/plain",
	".safetensors": "application/vnd.safetensors",
	".svg":         "image/svg+xml",
	".tw-pddl":     "application/json",
	".txt":         "text/plain",
	".yaml":        "application/yaml",
	".yml":         "application/yaml",
}

// MediaTypeOf is the media type of a file by its name.
func MediaTypeOf(name string) string {
	return cmp.Or(mediaTypes[strings.ToLower(filepath.Ext(name))], MediaTypeOctets)
}

// PutFolder keeps every file below dir and returns them as outputs, sorted by name. Only regular files may be there.
func PutFolder(ctx context.Context, s Store, dir string) ([]Output, error) {
	var outputs []Output
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if !e.Type().IsRegular() {
			return fmt.Errorf("%s: %s, expected a regular file", path, e.Type())
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		desc, err := PutFile(ctx, s, MediaTypeOf(name), path)
		if err != nil {
			return err
		}
		outputs = append(outputs, Output{Name: name, Descriptor: desc})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("store folder %s: %w", dir, err)
	}
	slices.SortFunc(outputs, func(a, b Output) int { return cmp.Compare(a.Name, b.Name) })
	return outputs, nil
}

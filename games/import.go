package games

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop"
	"github.com/hone-rl/hone/env/webshop/nouns"
)

// Folder is a folder with the files of a catalogue, by path.
type Folder struct {
	webshop.Files
	Nouns string // of titles, by asin
}

// FindCatalogue looks for the files of a catalogue in a folder, as WebShop publishes them: items_shuffle.json and
// items_ins_v2.json, or those with _1000 behind their names, items_human_ins.json where it is there, and title_nouns.json.
// It is false for a folder without products.
func FindCatalogue(dir string) (f Folder, found bool, err error) {
	for _, part := range []struct {
		name string
		to   *string
	}{{productsFile, &f.Products}, {attributesFile, &f.Attributes}, {instructionsFile, &f.Instructions}, {nounsFile, &f.Nouns}} {
		stem := strings.TrimSuffix(part.name, ".json")
		names, err := filepath.Glob(filepath.Join(escaped(dir), stem+"*.json"))
		switch {
		case err != nil:
			return f, false, err
		case len(names) > 1:
			return f, true, fmt.Errorf("%s: %s and %s: expected one catalogue in a folder", dir, filepath.Base(names[0]), filepath.Base(names[1]))
		case len(names) == 1:
			*part.to = names[0]
		case part.to == &f.Products:
			return f, false, nil
		case part.to != &f.Instructions:
			return f, true, fmt.Errorf("%s: expected %s beside %s", dir, part.name, filepath.Base(f.Products))
		}
	}
	return f, true, nil
}

// escaped is a path that stands for itself in a pattern.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Imported is a catalogue that was checked and stored.
type Imported struct {
	Digest   artifacts.Digest `json:"digest"`
	Products int              `json:"products"`
	Asked    int              `json:"asked"`    // products with a synthetic instruction
	ByPeople int              `json:"byPeople"` // products with instructions by people
	Guessed  int              `json:"guessed"`  // products whose title's nouns are not in the table
	Passed   webshop.Passed   `json:"passed"`   // left out, as the original leaves them out
	Human    bool             `json:"human"`    // there are instructions by people
}

// ImportCatalogue reads a catalogue as a shop does, and stores its files as they are. The same files give the same digest
// on every machine. Errors are of the files, which wrap env.ErrBadGame, or of the store.
func ImportCatalogue(ctx context.Context, store artifacts.Store, f Folder) (*Imported, error) {
	read, titles, err := scan(f.Files)
	if err != nil {
		return nil, err
	}
	table, err := nouns.Load(f.Nouns)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", env.ErrBadGame, err)
	}
	if _, err := judgeBy(table, maps.All(titles)); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", env.ErrBadGame, filepath.Base(f.Nouns), err)
	}
	res := &Imported{Products: read.Products, Asked: read.Asked, ByPeople: read.ByPeople, Passed: read.Passed, Human: read.ByPeople > 0}
	for asin, title := range titles {
		if _, err := table.Nouns(asin, title); err != nil {
			res.Guessed++
		}
	}
	res.Digest, err = storeFolder(ctx, store, read.Products, f)
	return res, err
}

// scan reads the files of a catalogue, of which only the titles are kept: one of millions of products takes gigabytes.
func scan(files webshop.Files) (read webshop.Scanned, titles map[string]string, err error) {
	s, closed, err := files.Open()
	if err != nil {
		return read, nil, err
	}
	defer closed()
	titles = map[string]string{}
	read, err = webshop.Scan(s, func(p *webshop.Product) error {
		titles[p.ASIN] = p.Title
		return nil
	})
	if err == nil && read.Asked+read.ByPeople == 0 {
		err = fmt.Errorf("%w: %s has no instruction for a product of %s, expected one at least", env.ErrBadGame,
			filepath.Base(files.Attributes), filepath.Base(files.Products))
	}
	return read, titles, err
}

func storeFolder(ctx context.Context, store artifacts.Store, products int, f Folder) (artifacts.Digest, error) {
	var files []source
	for _, part := range []struct{ name, path string }{
		{productsFile, f.Products}, {attributesFile, f.Attributes}, {instructionsFile, f.Instructions}, {nounsFile, f.Nouns},
	} {
		if part.path == "" {
			continue
		}
		file, err := os.Open(part.path)
		if err != nil {
			return "", err
		}
		defer file.Close() // only read
		files = append(files, source{part.name, file})
	}
	return storeCatalogue(ctx, store, products, files)
}

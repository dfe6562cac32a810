package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop/bazaar"
	"github.com/hone-rl/hone/games"
)

// TestImportCatalogue: what import tells of a catalogue, and of one that cannot be read.
func TestImportCatalogue(t *testing.T) {
	made, err := bazaar.Make(bazaar.Config{Products: 60})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string][]byte{
		"items_shuffle.json": made.Products, "items_ins_v2.json": made.Attributes, "items_human_ins.json": made.Instructions, "title_nouns.json": made.Nouns,
	}
	for name, data := range files {
		writeFile(t, filepath.Join(dir, name), data)
	}
	folder, found, err := games.FindCatalogue(dir)
	if err != nil || !found {
		t.Fatalf("%v, %v", found, err)
	}
	store := mem.New()
	res, err := games.ImportCatalogue(t.Context(), store, folder)
	if err != nil {
		t.Fatal(err)
	}
	want := "60 products stored, instructions by people beside synthetic ones: " + string(res.Digest) + "\n"
	if got := output(t, func() { printCatalogue(res) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	res.Human, res.Passed.Repeated = false, 2
	want = "     2  left out: products whose asin has come before\n60 products stored, no instructions by people: " + string(res.Digest) + "\n"
	if got := output(t, func() { printCatalogue(res) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	res.Guessed = 3
	if got := output(t, func() { printCatalogue(res) }); !strings.Contains(got, "     3  titles whose nouns title_nouns.json lacks, and are guessed") {
		t.Errorf("got %q, want the titles that are guessed", got)
	}
	cut := made.Products[:len(made.Products)-5]
	if err := os.WriteFile(filepath.Join(dir, "items_shuffle.json"), cut, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := games.ImportCatalogue(t.Context(), store, folder); err == nil || !strings.Contains(err.Error(), "items_shuffle.json:") {
		t.Errorf("cut off: got %v, want the file and the line", err)
	}
	writeFile(t, filepath.Join(dir, "items_shuffle.json"), made.Products)
	for says, broken := range map[string]struct{ name, text string }{
		"title_nouns.json: ":                  {"title_nouns.json", "{"},
		"title_nouns.json: learn nouns: none": {"title_nouns.json", `{"B01": ["lamp"]}`},
		"items_ins_v2.json has no instruction for a product of items_shuffle.json": {"items_ins_v2.json", "{}"},
		"items_human_ins.json:1: entry 1: ":                                        {"items_human_ins.json", `{"B01": null}`},
	} {
		writeFile(t, filepath.Join(dir, broken.name), []byte(broken.text))
		if broken.name == "items_ins_v2.json" {
			writeFile(t, filepath.Join(dir, "items_human_ins.json"), []byte("{}"))
		}
		if _, err := games.ImportCatalogue(t.Context(), store, folder); !errors.Is(err, env.ErrBadGame) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", broken.name, err, says)
		}
		for name, data := range files {
			writeFile(t, filepath.Join(dir, name), data)
		}
	}
	cmd := &cobra.Command{}
	cmd.Flags().String("task-types", "", "")
	if err := cmd.Flags().Set("task-types", "1"); err != nil {
		t.Fatal(err)
	}
	if err := (&app{}).importCatalogue(cmd, folder); err == nil || !strings.Contains(err.Error(), "a catalogue has none") {
		t.Errorf("task types of a catalogue: got %v", err)
	}
}

package bench

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Golden is a recorded game; see alfworld-golden/README.md.
type Golden struct {
	Dir, Vintage string
	TaskType     string `json:"task_type"`
}

// GoldenGames are the games that the index of the folder dir names, with their folders in it.
func GoldenGames(b *testing.B, dir string) []Golden {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		b.Fatal(err)
	}
	var index struct{ Games []Golden }
	if err := json.Unmarshal(data, &index); err != nil {
		b.Fatal(err)
	}
	for i, g := range index.Games {
		index.Games[i].Dir = filepath.Join(dir, filepath.FromSlash(g.Dir))
	}
	return index.Games
}

// Row is one of a transcript's.
type Row struct {
	Walk, Feedback string
	Command        *string  // nil where a walk begins
	Admissible     []string `json:"admissible_commands"`
}

// Walk are the rows of one walk of a game.
func (g Golden) Walk(b *testing.B, name string) (rows []Row) {
	b.Helper()
	f, err := os.Open(filepath.Join(g.Dir, "transcripts.jsonl.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		b.Fatal(err)
	}
	for all := json.NewDecoder(z); ; {
		var r Row
		switch err := all.Decode(&r); {
		case errors.Is(err, io.EOF):
			return rows
		case err != nil:
			b.Fatal(err)
		case r.Walk == name:
			rows = append(rows, r)
		}
	}
}

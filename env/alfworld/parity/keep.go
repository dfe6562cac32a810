package parity

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Walk is a list of commands and what an engine said to them.
type Walk struct {
	Name     string
	Commands []string
	Rows     []Row // one more than Commands, fewer where the engine failed
}

// line is one line of a golden transcript.
type line struct {
	Walk    string  `json:"walk"`
	Step    int     `json:"step"`
	Command *string `json:"command"`
	Row
}

// Keep writes a folder in the layout of golden games: game.tw-pddl, and transcripts.jsonl.gz with the walks. The same
// walks give the same bytes.
func Keep(folder string, game []byte, walks []Walk) error {
	var rows bytes.Buffer
	z := gzip.NewWriter(&rows)
	out := json.NewEncoder(z)
	out.SetEscapeHTML(false)
	for _, w := range walks {
		for i, r := range w.Rows {
			l := line{Walk: w.Name, Step: i, Row: r}
			if i > 0 {
				l.Command = &w.Commands[i-1]
			}
			if err := out.Encode(l); err != nil {
				return fmt.Errorf("writing walk %s: %w", w.Name, err)
			}
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("writing transcripts: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("keeping a game: %w", err)
	}
	for name, data := range map[string][]byte{"game.tw-pddl": game, "transcripts.jsonl.gz": rows.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return fmt.Errorf("keeping a game: %w", err)
		}
	}
	return nil
}

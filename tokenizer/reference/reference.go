// Package reference compares tokenizers with ids that Python's tokenizers gave, recorded line by line. Tests use it,
// and hone-worker check.
package reference

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ulikunitz/xz"

	"github.com/hone-rl/hone/internal/exact"
	"github.com/hone-rl/hone/internal/regular"
	"github.com/hone-rl/hone/tokenizer"
)

// LinesName is the file of recorded lines in a folder of tokenizers.
const LinesName = "lines.jsonl"

// MiniLM is the name under which all-MiniLM-L6-v2's ids are recorded, [CLS] and [SEP] with them, not cut.
const MiniLM = "minilm"

// Line is a text and its ids by the names of tokenizers.
type Line struct {
	Text string
	IDs  map[string][]int32
}

// Result is what a comparison found.
type Result struct {
	Name      string // of the tokenizer
	Compared  int    // lines
	Different int    // lines with other ids
	First     string // the first of these, for people; "" if none
}

// Encoder is a tokenizer as the comparison needs it.
type Encoder interface {
	Encode(text string) []int32
}

// maxFile bounds a file, and what a packed one unpacks to, in bytes.
const maxFile = 1 << 28

// ReadLines reads JSON objects, one a line: a text, and under each other name a list of ids.
func ReadLines(path string) ([]Line, error) {
	data, err := regular.Read(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("reading reference ids: %w", err)
	}
	lines, err := ParseLines(data)
	if err != nil {
		return nil, fmt.Errorf("reading reference ids %s: %w", path, err)
	}
	return lines, nil
}

// ParseLines is ReadLines for a file's content.
func ParseLines(data []byte) ([]Line, error) {
	var lines []Line
	for text := range bytes.Lines(data) {
		n := len(lines) + 1
		var fields map[string]json.RawMessage
		if err := exact.Unmarshal(text, &fields); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		line := Line{IDs: map[string][]int32{}}
		if fields["text"] == nil {
			return nil, fmt.Errorf("line %d: no text", n)
		}
		for name, raw := range fields {
			var err error
			if name == "text" {
				err = exact.Unmarshal(raw, &line.Text)
			} else {
				var ids []int32
				err = exact.Unmarshal(raw, &ids)
				line.IDs[name] = ids
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", n, name, err)
			}
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, errors.New("no lines")
	}
	return lines, nil
}

// Compare encodes every line that has ids under the name.
func Compare(lines []Line, name string, tok Encoder) Result {
	r := Result{Name: name}
	for i, line := range lines {
		want, ok := line.IDs[name]
		if !ok {
			continue
		}
		r.Compared++
		if got := tok.Encode(line.Text); !slices.Equal(got, want) {
			if r.Different++; r.Different == 1 {
				r.First = fmt.Sprintf("line %d, %q: got %v, want %v", i+1, line.Text, got, want)
			}
		}
	}
	return r
}

// Folder compares each tokenizer that dir's lines.jsonl names, in the order of names: one with a folder of that name
// with tokenizer.json or tokenizer.json.xz, and all-MiniLM-L6-v2's from the folder minilm. A name without its files is
// an error.
func Folder(dir, minilm string) ([]Result, error) {
	lines, err := ReadLines(filepath.Join(dir, LinesName))
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, name := range Names(lines) {
		var tok Encoder
		if name == MiniLM {
			tok, err = tokenizer.LoadWordPiece(minilm)
		} else {
			tok, err = Load(filepath.Join(dir, name))
		}
		if err != nil {
			return nil, err
		}
		results = append(results, Compare(lines, name, tok))
	}
	return results, nil
}

// Names are the tokenizers that lines have ids of, sorted.
func Names(lines []Line) []string {
	names := map[string]bool{}
	for _, line := range lines {
		for name := range line.IDs {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Load reads dir's tokenizer.json, which may be packed as tokenizer.json.xz.
func Load(dir string) (*tokenizer.Tokenizer, error) {
	path := filepath.Join(dir, "tokenizer.json")
	if _, err := os.Stat(path); err == nil {
		return tokenizer.Load(path)
	}
	data, err := Unpack(path + ".xz")
	if err != nil {
		return nil, fmt.Errorf("loading tokenizer: %w", err)
	}
	tok, err := tokenizer.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("loading tokenizer %s.xz: %w", path, err)
	}
	return tok, nil
}

// Unpack reads a file packed by xz.
func Unpack(path string) (_ []byte, err error) {
	f, _, err := regular.Open(path, maxFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r, err := xz.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("more than %d bytes when unpacked", maxFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

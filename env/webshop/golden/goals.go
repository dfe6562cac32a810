package golden

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"

	"github.com/hone-rl/hone/internal/exact"
)

// Goals is a shop's list of goals, with the prices it drew and its first random sessions.
type Goals struct {
	Seed     int64              `json:"seed"`
	Human    bool               `json:"human_goals"`
	Count    int                `json:"count"`
	Prices   map[string]float64 `json:"range_prices"` // by asin, of products with a range of prices
	Goals    []Goal             `json:"goals"`
	Sessions []Session          `json:"unnumbered_sessions"`
}

// Goal is one of them: a list of its fields.
type Goal struct {
	ASIN, Text string
	PriceUpper float64
	Options    Options
	Weight     float64
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *Goal) UnmarshalJSON(text []byte) error {
	to := []any{&g.ASIN, &g.Text, &g.PriceUpper, &g.Options, &g.Weight}
	n := 0
	if err := exact.Elements(text, func(value []byte) error {
		if n++; n > len(to) {
			return errors.New("too long")
		}
		return exact.Unmarshal(value, to[n-1])
	}); err != nil || n != len(to) {
		return errors.New("expected goals that are lists of asin, text, price bound, options and weight")
	}
	return nil
}

// Session is one without a number.
type Session struct {
	Session     string `json:"session"`
	Instruction string `json:"instruction"`
}

// Goals reads all lists of goals, in the order of their files.
func (f Folder) Goals() ([]At[Goals], error) {
	pattern := filepath.Join(string(f), "goals", "*.json.gz")
	files, err := filepath.Glob(pattern)
	if err == nil && len(files) == 0 {
		err = errors.New("no file, expected a list of goals at least")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	slices.Sort(files)
	list := make([]At[Goals], len(files))
	for i, file := range files {
		name := path.Join("goals", filepath.Base(file))
		text, err := f.unpack(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list[i].Place = Place{name, 1}
		if err := list[i].decode(text); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// unpack reads a file that is packed by gzip.
func (f Folder) unpack(name string) ([]byte, error) {
	data, err := f.read(name)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("more than %d bytes unpacked", maxFile)
	}
	return text, err
}

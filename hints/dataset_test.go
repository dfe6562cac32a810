package hints_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

// chunk is the records of games g/00, g/01, … whose mugs are in the drawers at; first is the number of the first.
func chunk(t *testing.T, first int, at ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	for i, d := range at {
		records, err := hints.Generate(t.Context(), room{id: fmt.Sprintf("g/%02d", first+i), at: d}, hints.GenerateConfig{Plans: []env.PlanKind{env.Search}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if err := hints.WriteRecord(&b, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.Bytes()
}

func readers(chunks ...[]byte) []io.Reader {
	all := make([]io.Reader, len(chunks))
	for i, c := range chunks {
		all[i] = bytes.NewReader(c)
	}
	return all
}

// Twelve games: a mug in drawer d takes 2d+3 commands, so 4 of 5, 4 of 7 and 4 of 9, 84 in all.
func twelve(t *testing.T) []byte { return chunk(t, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3) }

func TestWriteDataset(t *testing.T) {
	cfg := hints.DatasetConfig{
		Name: "demo", Generate: hints.GenerateConfig{Plans: []env.PlanKind{env.Search}}, Split: hints.SplitConfig{Seed: 3},
		Tokens: func(text string) int { return len(text) }, MaxTokens: 350,
	}
	var whole bytes.Buffer
	m, err := hints.WriteDataset(cfg, &whole, readers(twelve(t)), []hints.Excluded{{Game: "g/99", Kind: "clock"}, {Game: "g/98", Kind: "budget"}})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole.Bytes(), twelve(t)) {
		t.Error("one chunk is not written as it is")
	}
	if err := m.Audit.Err(); err != nil {
		t.Error(err)
	}
	if m.Schema != "hone.records/1" || m.Records != 84 || m.Games != 12 || m.Experts[env.Search] != 12 || m.Excluded["clock"] != 1 || m.Excluded["budget"] != 1 {
		t.Errorf("%+v", m)
	}
	if p := m.Plans; p.Min != 5 || p.Max != 9 || p.Mean != 7 || p.Games[5] != 4 || p.Games[7] != 4 || p.Games[9] != 4 {
		t.Errorf("plans %+v", p)
	}
	s := m.Split
	if s.PerMille != 55 || len(s.ValidationGames) != 1 || s.Validation.Games != 1 || s.Train.Games != 11 || s.Train.Records+s.Validation.Records != 84 {
		t.Errorf("split %+v", s)
	}
	if f := m.Families["pick_and_place_simple"]; len(m.Families) != 1 || f.Train != s.Train || f.Validation != s.Validation {
		t.Errorf("families %+v", m.Families)
	}
	checkLengths(t, cfg, m, whole.Bytes())
	for _, c := range []struct {
		name   string
		chunks [][]byte
	}{
		{"three chunks", [][]byte{chunk(t, 0, 1, 2, 3, 1), chunk(t, 4, 2, 3, 1, 2), chunk(t, 8, 3, 1, 2, 3)}},
		{"out of order", [][]byte{chunk(t, 8, 3, 1, 2, 3), {}, chunk(t, 0, 1, 2, 3, 1, 2, 3, 1, 2)}},
		{"one game of a retry", [][]byte{append(chunk(t, 0, 1, 2, 3, 1), chunk(t, 5, 3, 1, 2, 3, 1, 2, 3)...), chunk(t, 4, 2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			again, err := hints.WriteDataset(cfg, &b, readers(c.chunks...), []hints.Excluded{{Game: "g/98", Kind: "budget"}, {Game: "g/99", Kind: "clock"}})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), whole.Bytes()) || !bytes.Equal(asJSON(t, again), asJSON(t, m)) {
				t.Error("records or manifest differ from those of one chunk")
			}
		})
	}
}

func asJSON(t *testing.T, m hints.Manifest) []byte {
	t.Helper()
	b, err := m.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back hints.Manifest
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if back.Records != m.Records || !slices.Equal(back.Split.ValidationGames, m.Split.ValidationGames) {
		t.Errorf("read back %+v", back)
	}
	return b
}

// checkLengths counts the lengths again from the file.
func checkLengths(t *testing.T, cfg hints.DatasetConfig, m hints.Manifest, file []byte) {
	t.Helper()
	over, longest, bare := 0, 0, 0
	for r, err := range hints.Records(bytes.NewReader(file)) {
		if err != nil {
			t.Fatal(err)
		}
		n := len(hints.Teacher(agent.Lite, r.X, r.H)) + len(r.Y) + 1
		longest, bare = max(longest, n), max(bare, len(agent.Prompt(r.X))+len(r.Y)+1)
		if n > cfg.MaxTokens {
			over++
		}
	}
	l := m.Lengths
	if over == 0 || over == m.Records || l.WithHint.Over != over || l.WithHint.Max != longest || l.WithoutHint.Max != bare || l.WithoutHint.Over != 0 {
		t.Errorf("lengths %+v, want %d over, %d and %d longest", l, over, longest, bare)
	}
}

func TestWriteDatasetRefuses(t *testing.T) {
	one := chunk(t, 0, 1)
	first, rest, _ := bytes.Cut(one, []byte("\n"))
	for _, c := range []struct {
		name     string
		chunks   [][]byte
		excluded []hints.Excluded
		want     string
	}{
		{"game in two chunks", [][]byte{one, one}, nil, "chunk 2 line 1: game g/00 is in another chunk, too"},
		{"not sorted", [][]byte{append(chunk(t, 1, 1), one...)}, nil, "chunk 1 line 6: game g/00 after g/01"},
		{"step missing", [][]byte{rest}, nil, "chunk 1 line 1: step 2 of g/00"},
		{"step twice", [][]byte{[]byte(string(first) + "\n" + string(first) + "\n")}, nil, "chunk 1 line 2: step 1 of g/00 after step 1"},
		{"cut off", [][]byte{one[:len(one)-9]}, nil, "chunk 1 line 5: expected a line break"},
		{"excluded and there", [][]byte{one, chunk(t, 1, 1)}, []hints.Excluded{{Game: "g/01", Kind: "clock"}}, "game g/01 is excluded and has records"},
		{"family changes", [][]byte{bytes.Replace(one, []byte(`simple","expert":"search","step":2`), []byte(`hard","expert":"search","step":2`), 1)}, nil, `game g/00 step 2: family "pick_and_place_hard"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := hints.WriteDataset(hints.DatasetConfig{Name: "demo"}, io.Discard, readers(c.chunks...), c.excluded)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "dataset demo") {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
	full := errors.New("disk full")
	if _, err := hints.WriteDataset(hints.DatasetConfig{Name: "demo"}, failing{full}, readers(twelve(t)), nil); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

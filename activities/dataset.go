package activities

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/hints"
)

// DatasetName is the name that a dataset's files begin with.
const DatasetName = "hints"

// AssembleInput asks for a dataset of chunks.
type AssembleInput struct {
	Key    artifacts.Digest `json:"key"`
	Input  HintChunkInput   `json:"input"` // what all chunks share
	Chunks []Chunk          `json:"chunks"`
}

// DatasetResult is a dataset with its figures.
type DatasetResult struct {
	Digest   artifacts.Digest `json:"digest"`
	Records  int              `json:"records"`
	Games    int              `json:"games"`
	Excluded int              `json:"excluded"`
	Note     string           `json:"note"`
	Work     Work             `json:"work"`
}

// AssembleDataset joins chunks into one dataset, those of an older version among them, audits the whole and
// publishes it. A leak is an error that no retry mends.
func (a *Activities) AssembleDataset(ctx context.Context, in AssembleInput) (*DatasetResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	readers, excluded, err := a.parts(ctx, in)
	if err != nil {
		return nil, classify(err)
	}
	var records bytes.Buffer
	cfg := hints.DatasetConfig{
		Name: DatasetName, Generate: in.Input.generate(),
		Split: hints.SplitConfig{Seed: in.Input.Seed, PerMille: in.Input.Validation},
	}
	manifest, err := hints.WriteDataset(cfg, &records, readers, excluded)
	if err != nil {
		return nil, final(ErrTypeAudit, err)
	}
	if err := manifest.Audit.Err(); err != nil {
		return nil, final(ErrTypeAudit, err)
	}
	beat.at(1, "audit")
	d, err := a.publishDataset(ctx, in, manifest, records.Bytes(), excluded)
	if err != nil {
		return nil, classify(err)
	}
	res := &DatasetResult{Digest: d, Records: manifest.Records, Games: manifest.Games, Excluded: excludedGames(manifest)}
	res.Note, res.Work = note(manifest), beat.work()
	return res, nil
}

// note sums a dataset up.
func note(m hints.Manifest) string {
	text := fmt.Sprintf("%d records of %d games (%.2f a game)", m.Records-recovered(m), m.Games, m.Plans.Mean)
	if r := m.Recovery; r != nil {
		text += fmt.Sprintf(", %d more of the ways back from %d detours (%d failed%s)", r.Records, r.Detours, sum(r.Failed), kinds(r.Failed))
	}
	text += fmt.Sprintf(", %d excluded%s", excludedGames(m), kinds(m.Excluded))
	if len(m.ExpertRecords) > 1 {
		text += ", records by expert" + kinds(m.ExpertRecords)
	}
	return text + ", audit clean"
}

// recovered is the records of detours.
func recovered(m hints.Manifest) int {
	if m.Recovery == nil {
		return 0
	}
	return m.Recovery.Records
}

func excludedGames(m hints.Manifest) int { return sum(m.Excluded) }

func sum(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// kinds says how many there are of each kind: " (budget 1, error 2)".
func kinds[K ~string](counts map[K]int) string {
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%s %d", kind, counts[kind]))
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// parts are the records and excluded games of all chunks; of a game in the older version's list that has now been
// played, the newer word counts.
func (a *Activities) parts(ctx context.Context, in AssembleInput) ([]io.Reader, []hints.Excluded, error) {
	var readers []io.Reader
	var excluded []hints.Excluded
	if d := in.Input.Previous; d != "" {
		raw, err := a.readOutput(ctx, d, artifacts.KindDataset, DatasetName+hints.RecordsSuffix)
		if err != nil {
			return nil, nil, err
		}
		readers = append(readers, bytes.NewReader(raw))
		if excluded, err = a.stillExcluded(ctx, in.Input); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range in.Chunks {
		raw, err := artifacts.ReadAll(ctx, a.Store, c.Records.Digest, c.Records.Size)
		if err != nil {
			return nil, nil, fmt.Errorf("read records: %w", err)
		}
		readers = append(readers, bytes.NewReader(raw))
		if raw, err = artifacts.ReadAll(ctx, a.Store, c.Excluded.Digest, c.Excluded.Size); err != nil {
			return nil, nil, fmt.Errorf("read excluded games: %w", err)
		}
		out, err := hints.ReadExcluded(bytes.NewReader(raw))
		if err != nil {
			return nil, nil, err
		}
		excluded = append(excluded, out...)
	}
	return readers, excluded, nil
}

// stillExcluded are the older version's excluded games that the list at hand does not have: nobody played them anew.
func (a *Activities) stillExcluded(ctx context.Context, in HintChunkInput) ([]hints.Excluded, error) {
	before, err := a.readExcluded(ctx, in.Previous)
	if err != nil {
		return nil, err
	}
	played, err := a.hintGames(ctx, in)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(before, func(e hints.Excluded) bool {
		return slices.ContainsFunc(played, func(g ListedGame) bool { return g.ID == e.Game })
	}), nil
}

func (a *Activities) publishDataset(ctx context.Context, in AssembleInput, manifest hints.Manifest, records []byte, excluded []hints.Excluded) (artifacts.Digest, error) {
	description, err := manifest.JSON()
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := hints.WriteExcluded(&out, excluded); err != nil {
		return "", err
	}
	m := artifacts.Manifest{Kind: artifacts.KindDataset, Inputs: []artifacts.Input{{Role: "games", Digest: in.Input.Games}}}
	if in.Input.Previous != "" {
		m.Inputs = append(m.Inputs, artifacts.Input{Role: "previous", Digest: in.Input.Previous})
	}
	for suffix, content := range map[string][]byte{
		hints.RecordsSuffix: records, hints.ManifestSuffix: description, hints.ExcludedSuffix: out.Bytes(),
	} {
		name := DatasetName + suffix
		d, err := artifacts.PutBytes(ctx, a.Store, artifacts.MediaTypeOf(name), content)
		if err != nil {
			return "", fmt.Errorf("store %s: %w", name, err)
		}
		m.Outputs = append(m.Outputs, artifacts.Output{Name: name, Descriptor: d})
	}
	if m.Parameters, err = json.Marshal(in.Input.HintParameters); err != nil {
		return "", err
	}
	summary := map[string]any{
		"records": manifest.Records, "games": manifest.Games, "excluded": excludedGames(manifest),
		"train": manifest.Split.Train, "validation": manifest.Split.Validation, "plan_mean": manifest.Plans.Mean,
		"expert_records": manifest.ExpertRecords,
	}
	if manifest.Recovery != nil {
		summary["recovery"] = manifest.Recovery
	}
	if m.Summary, err = json.Marshal(summary); err != nil {
		return "", err
	}
	return a.publish(ctx, in.Key, m)
}

// readOutput reads one output of the artifact d.
func (a *Activities) readOutput(ctx context.Context, d artifacts.Digest, kind artifacts.Kind, name string) ([]byte, error) {
	m, err := a.manifest(ctx, d, kind)
	if err != nil {
		return nil, err
	}
	raw, err := readOf(ctx, a.Store, d, m, name)
	if w := (wrong{}); errors.As(err, &w) {
		return nil, final(w.kind, err)
	}
	return raw, err
}

// readOf reads one output of an artifact.
func readOf(ctx context.Context, store artifacts.Store, d artifacts.Digest, m *artifacts.Manifest, name string) ([]byte, error) {
	for _, out := range m.Outputs {
		if out.Name == name {
			return artifacts.ReadAll(ctx, store, out.Digest, out.Size)
		}
	}
	return nil, wrong{fmt.Errorf("%s %s has no %s", m.Kind, d.Short(), name), ErrTypeBadInput}
}

func (a *Activities) readExcluded(ctx context.Context, d artifacts.Digest) ([]hints.Excluded, error) {
	raw, err := a.readOutput(ctx, d, artifacts.KindDataset, DatasetName+hints.ExcludedSuffix)
	if err != nil {
		return nil, err
	}
	return hints.ReadExcluded(bytes.NewReader(raw))
}

// dataset is a stored dataset, split.
type dataset struct {
	train, validation []hints.Record
	limits            env.Limits // that its games were played within
}

func (a *Activities) dataset(ctx context.Context, d artifacts.Digest) (*dataset, error) {
	raw, err := a.readOutput(ctx, d, artifacts.KindDataset, DatasetName+hints.ManifestSuffix)
	if err != nil {
		return nil, err
	}
	var m hints.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, final(ErrTypeBadInput, fmt.Errorf("dataset %s: %w", d.Short(), err))
	}
	if raw, err = a.readOutput(ctx, d, artifacts.KindDataset, DatasetName+hints.RecordsSuffix); err != nil {
		return nil, err
	}
	set := dataset{limits: m.Generate.Limits}
	for r, err := range hints.Records(bytes.NewReader(raw)) {
		if err != nil {
			return nil, final(ErrTypeBadInput, fmt.Errorf("dataset %s: %w", d.Short(), err))
		}
		if _, held := slices.BinarySearch(m.Split.ValidationGames, r.Game); held {
			set.validation = append(set.validation, r)
		} else {
			set.train = append(set.train, r)
		}
	}
	return &set, nil
}

// ReadDataset reads a stored dataset's records, split.
func ReadDataset(ctx context.Context, store artifacts.Store, d artifacts.Digest) (train, validation []hints.Record, err error) {
	set, err := (&Activities{Store: store}).dataset(ctx, d)
	if err != nil {
		return nil, nil, plain{err}
	}
	return set.train, set.validation, nil
}

// ReadOutput reads one output of a stored artifact of that kind.
func ReadOutput(ctx context.Context, store artifacts.Store, d artifacts.Digest, kind artifacts.Kind, name string) ([]byte, error) {
	raw, err := (&Activities{Store: store}).readOutput(ctx, d, kind, name)
	if err != nil {
		return nil, plain{err}
	}
	return raw, nil
}

// ofGames are the records of n games drawn by seed, in their order; 0: of all.
func ofGames(records []hints.Record, n int, seed uint64) []hints.Record {
	if n == 0 {
		return records
	}
	var ids []string
	for _, r := range records {
		if r.Step == 1 {
			ids = append(ids, r.Game)
		}
	}
	ids = draw(ids, n, seed, func(id string) string { return id })
	slices.Sort(ids)
	var chosen []hints.Record
	for _, r := range records {
		if _, ok := slices.BinarySearch(ids, r.Game); ok {
			chosen = append(chosen, r)
		}
	}
	return chosen
}

// drawRecords are n of the records, drawn by their game, step and detour, in their order.
func drawRecords(records []hints.Record, n int) []hints.Record {
	numbers := make([]int, len(records))
	for i := range numbers {
		numbers[i] = i
	}
	numbers = draw(numbers, n, 0, func(i int) string {
		r := &records[i]
		if r.Detour > 0 {
			return fmt.Sprintf("%s %d %d", r.Game, r.Step, r.Detour)
		}
		return fmt.Sprintf("%s %d", r.Game, r.Step)
	})
	slices.Sort(numbers)
	chosen := make([]hints.Record, len(numbers))
	for i, at := range numbers {
		chosen[i] = records[at]
	}
	return chosen
}

// draw takes the n things whose digest with the seed is lowest: a draw that does not depend on their order.
func draw[T any](things []T, n int, seed uint64, name func(T) string) []T {
	type lot struct {
		thing T
		key   artifacts.Digest
	}
	lots := make([]lot, len(things))
	for i, t := range things {
		lots[i] = lot{t, artifacts.Of(fmt.Appendf(nil, "hone draw/1 %d %s", seed, name(t)))}
	}
	slices.SortFunc(lots, func(a, b lot) int { return cmp.Compare(a.key, b.key) })
	drawn := make([]T, min(n, len(lots)))
	for i := range drawn {
		drawn[i] = lots[i].thing
	}
	return drawn
}

// each yields the records of a slice as the hints room reads them.
func each(records []hints.Record) iter.Seq2[hints.Record, error] {
	return func(yield func(hints.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

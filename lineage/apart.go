package lineage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/internal/differ"
)

// Parted is a part of an artifact that differs from that of another one.
type Parted struct {
	Part string `json:"part"` // a file, "parameters", "inputs" or "summary"
	How  string `json:"how"`  // for people: "3 of 40 tensors, by 2.1e-06 at most (layers.0.w)"
	// Share is how far numbers are from each other: of weights the length of the difference by their length, of others the
	// largest difference by the larger one. Nil where more than numbers differs.
	Share *float64 `json:"share,omitempty"`
}

const partInputs = "inputs"

// Apart is how far two artifacts are from each other, part by part. None is of two with one digest.
func Apart(ctx context.Context, store artifacts.Store, a, b artifacts.Digest) ([]Parted, error) {
	if a == b {
		return nil, nil
	}
	one, err := artifacts.GetManifest(ctx, store, a)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", a, err)
	}
	other, err := artifacts.GetManifest(ctx, store, b)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", b, err)
	}
	if one.Kind != other.Kind {
		return []Parted{{Part: "kind", How: fmt.Sprintf("%s and %s", one.Kind, other.Kind)}}, nil
	}
	var all []Parted
	for _, p := range []struct {
		name string
		a, b any
	}{
		{"producer", one.Producer, other.Producer},
		{"parameters", one.Parameters, other.Parameters},
		{partInputs, byRole(one), byRole(other)},
		{"summary", one.Summary, other.Summary},
	} {
		parted, err := values(p.name, p.a, p.b)
		if err != nil {
			return nil, err
		}
		all = append(all, parted...)
	}
	for _, out := range one.Outputs {
		i := slices.IndexFunc(other.Outputs, func(o artifacts.Output) bool { return o.Name == out.Name })
		if i < 0 {
			all = append(all, Parted{Part: out.Name, How: "only the first has it"})
			continue
		}
		if out.Digest == other.Outputs[i].Digest {
			continue
		}
		parted, err := files(ctx, store, out, other.Outputs[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", out.Name, err)
		}
		all = append(all, parted...)
	}
	for _, out := range other.Outputs {
		if !slices.ContainsFunc(one.Outputs, func(o artifacts.Output) bool { return o.Name == out.Name }) {
			all = append(all, Parted{Part: out.Name, How: "only the second has it"})
		}
	}
	return all, nil
}

func byRole(m *artifacts.Manifest) map[string]artifacts.Digest {
	all := map[string]artifacts.Digest{}
	for _, in := range m.Inputs {
		all[in.Role] = in.Digest
	}
	return all
}

func files(ctx context.Context, store artifacts.Store, a, b artifacts.Output) ([]Parted, error) {
	if path.Ext(a.Name) == ".safetensors" {
		return weights(ctx, store, a, b)
	}
	if a.Size > maxCompared || b.Size > maxCompared {
		return []Parted{{Part: a.Name, How: "other bytes, too many to be compared"}}, nil
	}
	one, err := artifacts.ReadAll(ctx, store, a.Digest, a.Size)
	if err != nil {
		return nil, err
	}
	other, err := artifacts.ReadAll(ctx, store, b.Digest, b.Size)
	if err != nil {
		return nil, err
	}
	switch path.Ext(a.Name) {
	case ".json":
		return values(a.Name, json.RawMessage(one), json.RawMessage(other))
	case ".jsonl":
		return linesApart(a.Name, one, other)
	}
	return []Parted{{Part: a.Name, How: "other bytes"}}, nil
}

// maxCompared bounds a file that is read to be compared, in bytes.
const maxCompared = 1 << 30

func weights(ctx context.Context, store artifacts.Store, a, b artifacts.Output) ([]Parted, error) {
	one, err := store.Open(ctx, a.Digest)
	if err != nil {
		return nil, err
	}
	defer func() { _ = one.Close() }() // only read from
	other, err := store.Open(ctx, b.Digest)
	if err != nil {
		return nil, err
	}
	defer func() { _ = other.Close() }()
	apart, err := safetensors.Compare(one, other, a.Size, b.Size)
	if errors.Is(err, safetensors.ErrOtherTensors) {
		return []Parted{{Part: a.Name, How: "other tensors"}}, nil
	}
	if err != nil {
		return []Parted{{Part: a.Name, How: fmt.Sprintf("other bytes (%v)", err)}}, nil
	}
	how := fmt.Sprintf("%d of %d tensors, by %.2g at most (%s)", apart.Differ, apart.Tensors, apart.Largest, apart.Where)
	return []Parted{{Part: a.Name, How: how, Share: &apart.Share}}, nil
}

// values compares two values as JSON.
func values(part string, a, b any) ([]Parted, error) {
	rawA, errA := json.Marshal(a)
	rawB, errB := json.Marshal(b)
	if errA != nil || errB != nil {
		return nil, errors.Join(errA, errB)
	}
	if bytes.Equal(rawA, rawB) {
		return nil, nil
	}
	d, err := differ.How{}.First(a, b)
	if err != nil || d == nil {
		return nil, err
	}
	p := Parted{Part: part, How: fmt.Sprintf("%s: %s and %s", d.Field, d.A, d.B)}
	if share, numbers := differ.Share(rawA, rawB); numbers {
		p.Share = &share
	}
	return []Parted{p}, nil
}

// linesApart compares two files line by line.
func linesApart(name string, a, b []byte) ([]Parted, error) {
	one, other := slices.Collect(bytes.Lines(a)), slices.Collect(bytes.Lines(b))
	parts, first, most := 0, Parted{}, 0.0
	numbers := true
	for i := range min(len(one), len(other)) {
		if bytes.Equal(one[i], other[i]) {
			continue
		}
		parted, err := values(fmt.Sprintf("line %d", i+1), json.RawMessage(one[i]), json.RawMessage(other[i]))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		for _, p := range parted {
			if parts++; parts == 1 {
				first = p
			}
			if p.Share == nil {
				numbers = false
			} else {
				most = math.Max(most, *p.Share)
			}
		}
	}
	how := fmt.Sprintf("%d of %d lines", parts, len(one))
	if parts > 0 {
		how += fmt.Sprintf(", the first: %s, %s", first.Part, first.How)
	}
	p := Parted{Part: name, How: how, Share: &most}
	if len(one) != len(other) {
		p.How += fmt.Sprintf("; %d and %d lines", len(one), len(other))
	}
	if !numbers || len(one) != len(other) {
		p.Share = nil
	}
	return []Parted{p}, nil
}

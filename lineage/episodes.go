package lineage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/differ"
	"github.com/hone-rl/hone/internal/exact"
)

// episode is a line of episodes.jsonl.
type episode struct {
	rollout.Episode
	line   int              // from 1
	digest artifacts.Digest // of the line, as the episode was stored when it ended
}

// where names the episode in a finding.
func (e episode) where() string {
	return fmt.Sprintf("%s line %d, rollout %d of %s", activities.EpisodesFile, e.line, e.Rollout, e.Game)
}

// episodes reads the episodes of m one by one, with one in memory at a time.
func (a *Auditor) episodes(ctx context.Context, m *artifacts.Manifest, take func(episode) error) error {
	n := 0
	return a.lines(ctx, m, activities.EpisodesFile, func(line []byte) error {
		n++
		e := episode{line: n, digest: artifacts.Of(line)}
		err := json.Unmarshal(line, &e.Episode)
		if err == nil {
			err = e.Check()
		}
		if err == nil {
			var again []byte
			if again, err = json.Marshal(e.Episode); err == nil && !bytes.Equal(line, again) {
				at := exact.Difference(line, again)
				err = fmt.Errorf("byte %d: it has %q, an episode is written with %q there", at, exact.Near(line, at), exact.Near(again, at))
			}
		}
		if err != nil {
			return fmt.Errorf("%s line %d: %w", activities.EpisodesFile, n, err)
		}
		if err := take(e); err != nil {
			var told *rollout.DifferenceError // says whose it is
			if errors.As(err, &told) {
				return fmt.Errorf("%s line %d: %w", activities.EpisodesFile, n, err)
			}
			return fmt.Errorf("%s: %w", e.where(), err)
		}
		return ctx.Err()
	})
}

// lines reads a file of m line by line, without the line breaks.
func (a *Auditor) lines(ctx context.Context, m *artifacts.Manifest, name string, take func([]byte) error) error {
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == name })
	if i < 0 {
		return fmt.Errorf("it has no %s", name)
	}
	return eachLine(ctx, a.Store, m.Outputs[i].Digest, name, take)
}

// whole splits at line breaks, and asks for one at the end.
func whole(data []byte, end bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if end && len(data) > 0 {
		return 0, nil, fmt.Errorf("its last line has no end: %w", io.ErrUnexpectedEOF)
	}
	return 0, nil, nil
}

// near is how far figures may part that were computed elsewhere: a compiler may fuse a product with a sum.
const near = 1e-9

// differs is the first difference between what an artifact says and what it comes to, nil for none.
func differs(what string, says, comes any) error {
	return partBy(differ.How{Near: near}, what, says, comes)
}

// exactly is differs of what was copied.
func exactly(what string, says, comes any) error { return partBy(differ.How{}, what, says, comes) }

func partBy(how differ.How, what string, says, comes any) error {
	d, err := how.First(says, comes)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if d == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: it says %s, expected %s", what, d.Field, d.A, d.B)
}

// knownJSON reads one JSON value with known fields only.
func knownJSON(raw []byte, v any) error {
	in := json.NewDecoder(bytes.NewReader(raw))
	in.DisallowUnknownFields()
	if err := in.Decode(v); err != nil {
		return err
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

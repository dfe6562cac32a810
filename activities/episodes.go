package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
)

// EpisodesFile is the output that holds the episodes which an artifact follows from.
const EpisodesFile = "episodes.jsonl"

// readShards reads shards as they are, one behind the other.
func (a *Activities) readShards(ctx context.Context, shards ...artifacts.Descriptor) (lines []byte, err error) {
	for _, shard := range shards {
		raw, err := artifacts.ReadAll(ctx, a.Store, shard.Digest, shard.Size)
		if err != nil {
			return nil, fmt.Errorf("read episodes: %w", err)
		}
		lines = append(lines, raw...)
	}
	return lines, nil
}

// readEpisodes reads shards of episodes, and their lines as they are.
func (a *Activities) readEpisodes(ctx context.Context, shards ...artifacts.Descriptor) (all []rollout.Episode, lines []byte, err error) {
	if lines, err = a.readShards(ctx, shards...); err != nil {
		return nil, nil, err
	}
	for line := range bytes.Lines(lines) {
		var e rollout.Episode
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, nil, final(ErrTypeCorrupt, fmt.Errorf("episodes, line %d: %w", len(all)+1, err))
		}
		all = append(all, e)
	}
	return all, lines, nil
}

// Groups are episodes by their tasks, which stand one after the other, each in the order of its rollouts: a new one begins
// with another game, or where the rollouts do not go up.
func Groups(episodes []rollout.Episode, size int) []learn.Group {
	var all []learn.Group
	last := -1
	for _, e := range episodes {
		if n := len(all) - 1; n < 0 || all[n].Task != e.Game || e.Rollout <= last {
			all = append(all, learn.Group{Task: e.Game, Size: size})
		}
		g := &all[len(all)-1]
		g.Episodes = append(g.Episodes, e)
		last = e.Rollout
	}
	return all
}

package lineage

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
)

// Episodes are those of a file of JSON lines, one in memory at a time. After an error, which names the line, nothing more comes.
func Episodes(ctx context.Context, store artifacts.Store, file artifacts.Digest) iter.Seq2[rollout.Episode, error] {
	return func(yield func(rollout.Episode, error) bool) {
		n, stopped := 0, errors.New("enough")
		name := "episodes " + file.Short()
		err := eachLine(ctx, store, file, name, func(line []byte) error {
			n++
			var e rollout.Episode
			err := json.Unmarshal(line, &e)
			if err == nil {
				err = e.Check()
			}
			if err != nil {
				return fmt.Errorf("%s line %d: %w", name, n, err)
			}
			if !yield(e, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(rollout.Episode{}, err)
		}
	}
}

// eachLine hands over the lines of a stored file without the line breaks; name is for errors of its own.
func eachLine(ctx context.Context, store artifacts.Store, d artifacts.Digest, name string, take func([]byte) error) error {
	file, err := store.Open(ctx, d)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() { _ = file.Close() }() // only read from
	in := bufio.NewScanner(file)
	in.Buffer(nil, maxEpisode)
	in.Split(whole)
	for in.Scan() {
		if err := take(in.Bytes()); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

package lineage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage/retention"
)

// Check says whether what a person names has the form of it, before any store is asked.
func Check(ref string) error {
	if digest(ref) {
		_, err := artifacts.ParseDigest(ref)
		return err
	}
	if hex, is := strings.CutPrefix(ref, shaPrefix); is {
		ref = hex
		if len(hex) < leastDigits {
			return unknownForm(shaPrefix + hex)
		}
	}
	if artifacts.ValidateName(activities.RunName(ref, "run")) != nil {
		return unknownForm(ref)
	}
	return nil
}

// digest says whether ref is one, and not its beginning.
func digest(ref string) bool {
	hex, is := strings.CutPrefix(ref, shaPrefix)
	return is && (len(hex) >= sha256.Size*2 || strings.Trim(hex, hexDigits) != "")
}

const (
	shaPrefix = "sha256:"
	hexDigits = "0123456789abcdef"
)

func unknownForm(ref string) error {
	return fmt.Errorf("%q: expected a run, RUN/STAGE, or a digest (at least its first 6 digits); hone list shows the runs", ref)
}

// Find turns what a person names into a digest: a digest, the start of one that some run knows, a run's id, or a
// run's id and stage ("demo-1a2b/teacher").
func Find(ctx context.Context, store artifacts.Store, ref string) (artifacts.Digest, error) {
	if err := Check(ref); err != nil {
		return "", err
	}
	if digest(ref) {
		return artifacts.ParseDigest(ref)
	}
	if hex, is := strings.CutPrefix(ref, shaPrefix); is {
		return fromStart(ctx, store, hex)
	}
	for _, name := range []string{"runs/" + ref, activities.RunName(ref, "run")} {
		d, err := store.Resolve(ctx, name)
		if err == nil || !errors.Is(err, artifacts.ErrNotFound) {
			return d, err
		}
	}
	names, err := store.Names(ctx, activities.RunName(ref, ""))
	if err != nil {
		return "", err
	}
	if run, stage, of := strings.Cut(ref, "/"); of && len(names) > 0 { // RUN/teacher has seeds below it, RUN/panels panels
		return "", fmt.Errorf("run %s has several of %s: name one of %s", run, stage, strings.Join(stagesOf(ref, names), ", "))
	}
	if len(names) > 0 {
		return "", fmt.Errorf("run %s is not finished; its stages so far: %s (%s/STAGE names one)", ref, strings.Join(stagesOf(ref, names), ", "), ref)
	}
	run, _, _ := strings.Cut(ref, "/")
	if err := retention.Gone(ctx, store, run); err != nil {
		return "", err
	}
	return fromStart(ctx, store, ref)
}

// leastDigits is of a digest's beginning.
const leastDigits = 6

func stagesOf(run string, names []string) []string {
	var stages []string
	for _, name := range names {
		stages = append(stages, run+"/"+strings.TrimPrefix(name, activities.RunName(run, "")))
	}
	return stages
}

// fromStart finds the one digest among all runs' artifacts that begins with ref.
func fromStart(ctx context.Context, store artifacts.Store, ref string) (artifacts.Digest, error) {
	if len(ref) < leastDigits || strings.Trim(ref, hexDigits) != "" {
		return "", unknownForm(ref)
	}
	found := map[artifacts.Digest]bool{}
	err := store.Blobs(ctx, func(d artifacts.Digest, _ int64) error {
		if strings.HasPrefix(d.Hex(), ref) {
			found[d] = true
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	for d := range found {
		if len(found) == 1 {
			return d, nil
		}
	}
	if len(found) > 1 {
		return "", fmt.Errorf("%q begins %d digests: give more digits", ref, len(found))
	}
	return "", fmt.Errorf("%q: no such run or artifact; hone list shows the runs", ref)
}

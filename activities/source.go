package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hone-rl/hone/artifacts"
)

// Source is the record of where a stored model came from. A model's digest follows from its files alone, so that the
// same files are the same model whatever their source; this stands beside it, and has no clock, so that a source is
// recorded once.
type Source struct {
	Model artifacts.Digest `json:"model"`
	Kind  string           `json:"kind"` // SourcePull or SourceNew

	Endpoint   string `json:"endpoint,omitempty"` // of the hub, for a pull
	Repository string `json:"repository,omitempty"`
	Commit     string `json:"commit,omitempty"`
	Licence    string `json:"licence,omitempty"` // as its model card has it

	Seed *uint64 `json:"seed,omitempty"` // of a new model's weights
}

// The kinds of sources.
const (
	SourcePull = "pull"
	SourceNew  = "new"
)

// ImportedSource says in a line where a model without inputs and sources came from: no folder's place is recorded, as it
// means something on one machine alone.
const ImportedSource = "imported from a folder"

// SourcesPrefix begins the names of all models' sources. No run has that name: a run's ends with a part of a digest.
const SourcesPrefix = "records/models/"

// SourcePrefix begins the names of a model's sources.
func SourcePrefix(d artifacts.Digest) string { return SourcesPrefix + d.Hex() + "/" }

// Name is the record's name.
func (s Source) Name() string {
	if s.Kind == SourcePull {
		return SourcePrefix(s.Model) + PullName(s.Endpoint, s.Repository, s.Commit)
	}
	return SourcePrefix(s.Model) + s.Kind
}

// String says in a line where a model came from.
func (s Source) String() string {
	switch {
	case s.Kind == SourcePull:
		licence := "no licence named"
		if s.Licence != "" {
			licence = "licence " + s.Licence
		}
		return fmt.Sprintf("%s/%s at %s, %s", s.Endpoint, s.Repository, s.Commit, licence)
	case s.Seed != nil:
		return fmt.Sprintf("new, with random weights of seed %d", *s.Seed)
	}
	return s.Kind
}

var unnamed = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// PullName is the name of the model that a hub has at a commit: pulls/HOST/ORG/NAME/COMMIT.
func PullName(endpoint, repository, commit string) string {
	_, host, _ := strings.Cut(endpoint, "://")
	parts := append([]string{host}, strings.Split(repository, "/")...)
	for i, p := range parts {
		p = unnamed.ReplaceAllString(p, "_")
		if strings.HasPrefix(p, ".") || strings.HasPrefix(p, "-") || p == "" {
			p = "_" + p
		}
		if strings.HasSuffix(p, ".json") { // which no name may end with
			p += "_"
		}
		parts[i] = p
	}
	return "pulls/" + strings.Join(parts, "/") + "/" + commit
}

// RecordSource stores the record and names it; for a pull also the model by what the hub calls it. The model itself is
// stored and named before. Recording the same again writes nothing.
func RecordSource(ctx context.Context, store artifacts.Store, s Source) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	desc, err := artifacts.PutBytes(ctx, store, "application/json", raw)
	if err != nil {
		return err
	}
	if err := store.Name(ctx, s.Name(), desc.Digest); err != nil || s.Kind != SourcePull {
		return err
	}
	return store.Name(ctx, PullName(s.Endpoint, s.Repository, s.Commit), s.Model)
}

// maxSource bounds a source's record in bytes.
const maxSource = 1 << 20

// ReadSource reads the record of a name and checks that it is that name's.
func ReadSource(ctx context.Context, store artifacts.Store, name string) (Source, error) {
	var s Source
	d, err := store.Resolve(ctx, name)
	if err != nil {
		return s, err
	}
	raw, err := artifacts.ReadAll(ctx, store, d, maxSource)
	if err != nil {
		return s, fmt.Errorf("read record %s: %w", name, err)
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("read record %s: %w", name, err)
	}
	if got := s.Name(); got != name {
		return s, fmt.Errorf("record %s: it is the record of %s: %w", name, got, artifacts.ErrUnexpected)
	}
	return s, nil
}

// Sources are the recorded sources of a model, in the order of their names.
func Sources(ctx context.Context, store artifacts.Store, d artifacts.Digest) ([]Source, error) {
	names, err := store.Names(ctx, SourcePrefix(d))
	if err != nil {
		return nil, err
	}
	var all []Source
	for _, name := range names {
		s, err := ReadSource(ctx, store, name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Pulled is the model that was pulled from a hub's repository at a commit, "" if none was.
func Pulled(ctx context.Context, store artifacts.Store, endpoint, repository, commit string) (artifacts.Digest, error) {
	d, err := store.Resolve(ctx, PullName(endpoint, repository, commit))
	if errors.Is(err, artifacts.ErrNotFound) {
		return "", nil
	}
	return d, err
}

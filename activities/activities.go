// Package activities does the work of the workflows: each activity reads references, does one resumable thing
// and writes references. Running one twice gives the same artifacts.
package activities

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
)

// Activities is what a worker lends its activities. Workflows name them through a nil pointer.
type Activities struct {
	Store    artifacts.Store
	Cache    string // folder where artifacts are laid out as files
	Scratch  string // folder for what is being made; emptied at the worker's start
	Producer artifacts.Producer
	Host     string // goes into run records only
	Now      func() time.Time

	// OpenGame reads a game file. What the store or ctx has to do with an error is ErrUnread; other errors are the game's.
	OpenGame func(ctx context.Context, id string, data []byte) (env.Game, error)
	// Household generates the embedded games.
	Household func(HouseholdGames) iter.Seq2[GameFile, error]
	// Shop makes the games of a shop, and returns the catalogue that they are of, which is stored.
	Shop func(context.Context, ShopGames) (artifacts.Digest, iter.Seq2[GameFile, error], error)

	// Runner opens models; nil on a worker without a device.
	Runner gpu.Runner
	// MiniLM is the folder of all-MiniLM-L6-v2, which finds skills.
	MiniLM    string
	policy    policyCache
	learners  learners
	sentences sentences
}

// HouseholdGames counts the embedded games of each split.
type HouseholdGames struct {
	Seed        uint64 `json:"seed" yaml:"seed"`
	Train       int    `json:"train" yaml:"train"`
	ValidSeen   int    `json:"valid_seen" yaml:"valid_seen"`
	ValidUnseen int    `json:"valid_unseen" yaml:"valid_unseen"`
}

// GameFile is a game with its file's bytes.
type GameFile struct {
	ID, Split, Family string
	File              string // its name; "" is GameFileName
	Data              []byte
}

// ErrUnread marks an error of what games need beside their files, such as a shop's catalogue: a retry may mend it.
var ErrUnread = errors.New("not read")

// The names of application errors that are final: retrying cannot help.
const (
	ErrTypeBadInput = "BadInput" // a spec, artifact or game that cannot be right
	ErrTypeAudit    = "Audit"    // a leakage or replay audit found something
	ErrTypeCorrupt  = "Corrupt"  // a stored object is not what its digest says
	ErrTypeConflict = "Conflict" // the same stage gave another digest than before
	ErrTypeNumbers  = "Numbers"  // a loss or gradient that is not finite
)

// final marks err as one that a retry cannot mend; nil stays nil.
func final(kind string, err error) error {
	if err == nil {
		return nil
	}
	return temporal.NewNonRetryableApplicationError(plainly(err), kind, err)
}

// plainly is the text of err without what Temporal's errors add to theirs: their type, and their cause once more.
func plainly(err error) string {
	var before *temporal.ApplicationError
	if !errors.As(err, &before) {
		return err.Error()
	}
	return strings.Replace(err.Error(), before.Error(), before.Message(), 1)
}

// plain is an error for who is no activity.
type plain struct{ error }

func (p plain) Error() string { return plainly(p.error) }
func (p plain) Unwrap() error { return p.error }

// wrong is a final error of what is called outside of activities too, where Temporal's own would only clutter the text.
type wrong struct {
	error
	kind string
}

func (w wrong) Unwrap() error { return w.error }

// classify turns errors into final ones where a retry cannot help.
func classify(err error) error {
	var w wrong
	switch {
	case err == nil:
		return nil
	case errors.As(err, &w):
		return final(w.kind, err)
	case errors.Is(err, artifacts.ErrCorrupt):
		return final(ErrTypeCorrupt, err)
	case errors.Is(err, artifacts.ErrConflict):
		return final(ErrTypeConflict, err)
	case errors.Is(err, artifacts.ErrNotFound), errors.Is(err, artifacts.ErrUnexpected):
		// A reference is written after what it refers to, so waiting brings nothing.
		return final(ErrTypeBadInput, err)
	default:
		return err
	}
}

// device returns the runner, or an error that says which worker lacks one.
func (a *Activities) device() (gpu.Runner, error) {
	if a.Runner == nil {
		return nil, fmt.Errorf("worker on %s has no device: start hone-worker with --queues gpu", a.Host)
	}
	return a.Runner, nil
}

// unusable marks err, of a device that was given a model, as the model's fault, unless it is the time's or the
// disk's: those a retry can mend.
func unusable(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return final(ErrTypeBadInput, err)
}

// manifest reads the manifest d and checks its kind.
func (a *Activities) manifest(ctx context.Context, d artifacts.Digest, kind artifacts.Kind) (*artifacts.Manifest, error) {
	m, err := artifacts.GetManifest(ctx, a.Store, d)
	if err != nil {
		return nil, classify(fmt.Errorf("read %s %s: %w", kind, d.Short(), err))
	}
	if m.Kind != kind {
		return nil, final(ErrTypeBadInput, fmt.Errorf("artifact %s is a %s, expected a %s", d.Short(), m.Kind, kind))
	}
	return m, nil
}

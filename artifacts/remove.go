package artifacts

import (
	"context"
	"time"
)

// Remover is a Store from which can be removed. Nothing but hone gc does so: a Store given to a worker keeps everything.
type Remover interface {
	Store

	// Objects calls f for each name, sorted, and then for each blob in the order of digests. What is written meanwhile may
	// be among them or not.
	Objects(ctx context.Context, f func(Object) error) error

	// Clock is the time by the store's own clock, which ages are told by: nobody else's says when a name was written.
	Clock(ctx context.Context) (time.Time, error)

	// RemoveName removes a name. One that is not there is no error, and it may be given again, to whatever digest.
	RemoveName(ctx context.Context, name string) error

	// RemoveBlob removes a blob unless it has been used since that time: it looks right before. It says whether the blob is
	// gone; one that was not there is.
	RemoveBlob(ctx context.Context, d Digest, since time.Time) (bool, error)
}

// Object is a name or a blob that is stored.
type Object struct {
	Name   string // "" of a blob
	Digest Digest // "" of a name
	Size   int64  // bytes
	// Used is when a name was written, or when a blob was stored last, with what was there already counting as well to
	// within Freshness. By the store's clock.
	Used time.Time
}

// Freshness is how much later than Object.Used says a blob may have been stored again. A grace period for what is on its
// way has to be longer.
const Freshness = time.Hour

package activities

import (
	"context"
	"maps"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
)

// Beat is what a heartbeat tells: how far the activity is. hone watch shows it.
type Beat struct {
	Done int    `json:"done"`
	Of   int    `json:"of,omitempty"`
	Unit string `json:"unit"`           // "games", "steps"
	Note string `json:"note,omitempty"` // "loss 0.31"
}

// stalled is how long an activity may go without progress before its heart stops: a hung device or game must
// not look alive.
const stalled = 10 * time.Minute

// beater reports an activity's progress from a ticker, so that long calls into C++ do not look dead.
type beater struct {
	host, name string
	attempt    int32
	started    time.Time
	now        func() time.Time
	done       chan struct{}
	once       sync.Once

	mu     sync.Mutex
	last   Beat
	moved  time.Time
	redone string
	spent  map[string]time.Duration // by part; nil until one ends
}

func (a *Activities) beat(ctx context.Context) *beater {
	info := activity.GetInfo(ctx)
	b := &beater{
		host: a.Host, name: info.ActivityType.Name, attempt: info.Attempt,
		started: a.Now(), now: a.Now, moved: a.Now(), done: make(chan struct{}),
	}
	every := info.HeartbeatTimeout / 3
	if every <= 0 {
		return b
	}
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-b.done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				if last, alive := b.state(); alive {
					activity.RecordHeartbeat(ctx, last)
				}
			}
		}
	}()
	return b
}

func (b *beater) state() (Beat, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last, b.now().Sub(b.moved) < stalled
}

// at says how far the activity is.
func (b *beater) at(done int, unit string) { b.report(Beat{Done: done, Unit: unit}) }

func (b *beater) report(at Beat) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last, b.moved = at, b.now()
}

// alive says that the activity goes on, where it stands as far as before.
func (b *beater) alive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moved = b.now()
}

// resumed notes where a retry goes on from.
func (b *beater) resumed(from string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.redone = from
}

func (b *beater) stop() { b.once.Do(func() { close(b.done) }) }

// work is the account of the activity up to now.
func (b *beater) work() Work {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Work{
		Activity: b.name, Attempt: b.attempt, Host: b.host, Redone: b.redone,
		Started: b.started.UTC(), Ended: b.now().UTC(), Phases: maps.Clone(b.spent),
	}
}

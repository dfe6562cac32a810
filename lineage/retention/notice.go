package retention

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// Notice says that a run was removed, so that nobody takes it for lost. It stays when the run has gone, and says nothing
// of a run of the same id that is there: one that was begun anew, or whose removal was killed before it removed anything.
type Notice struct {
	Run     string           `json:"run"`
	Removed time.Time        `json:"removed"`          // when it began to be, by the store's clock
	Spec    artifacts.Digest `json:"spec,omitempty"`   // what runs/RUN/spec pointed at: the same spec makes the same run
	Result  artifacts.Digest `json:"result,omitempty"` // of a finished run
	Stages  []string         `json:"stages"`           // what it had come to, sorted
}

// NoticePrefix begins the names of all notices.
const NoticePrefix = "removals/"

// NoticeName is the name of a run's notice.
func NoticeName(run string) string { return NoticePrefix + run }

// maxNotice bounds a notice, in bytes.
const maxNotice = 1 << 20

// ErrRemoved is in the error of a run that was removed.
var ErrRemoved = errors.New("was removed by hone gc")

// Gone says when a run was removed, in an error with ErrRemoved; nil if nothing says that it was. The caller knows that the
// run is not there.
func Gone(ctx context.Context, store artifacts.Store, run string) error {
	n, err := ReadNotice(ctx, store, NoticeName(run))
	if errors.Is(err, artifacts.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("run %s %w on %s; hone run with its spec makes it anew", run, ErrRemoved, n.Removed.UTC().Format(time.DateTime))
}

// ReadNotice reads the notice of a name and checks that it is that name's.
func ReadNotice(ctx context.Context, store artifacts.Store, name string) (n Notice, err error) {
	d, err := store.Resolve(ctx, name)
	if err != nil {
		return n, err
	}
	raw, err := artifacts.ReadAll(ctx, store, d, maxNotice)
	if err == nil {
		err = json.Unmarshal(raw, &n)
	}
	if err == nil && NoticeName(n.Run) != name {
		err = fmt.Errorf("it is the notice of %s: %w", NoticeName(n.Run), artifacts.ErrUnexpected)
	}
	if err != nil {
		return n, fmt.Errorf("notice %s: %w", name, err)
	}
	return n, nil
}

// notice stores a run's notice before anything of the run goes. One of a removal that was killed is as good.
func (p *Plan) notice(ctx context.Context, run Run) error {
	name := NoticeName(run.ID)
	before, err := ReadNotice(ctx, p.store, name)
	switch {
	case errors.Is(err, artifacts.ErrNotFound):
	case err != nil:
		return err
	case !run.began.After(before.Removed):
		return nil
	default: // of an earlier run of that id
		if err := p.store.RemoveName(ctx, name); err != nil {
			return err
		}
	}
	n := Notice{
		Run: run.ID, Removed: p.now, Spec: p.given[activities.RunName(run.ID, "spec")], Result: p.given[activities.RunName(run.ID, "run")],
		Stages: []string{},
	}
	for _, o := range run.names {
		stage, is := strings.CutPrefix(o.Name, activities.RunName(run.ID, ""))
		if is && stage != "spec" && stage != "run" {
			n.Stages = append(n.Stages, stage)
		}
	}
	slices.Sort(n.Stages)
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	d, err := artifacts.PutBytes(ctx, p.store, "application/json", raw)
	if err != nil {
		return fmt.Errorf("note that run %s is removed: %w", run.ID, err)
	}
	return p.store.Name(ctx, name, d.Digest)
}

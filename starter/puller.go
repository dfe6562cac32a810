package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/folder"
	"github.com/hone-rl/hone/checkpoint/safetensors"
	"github.com/hone-rl/hone/hub"
	"github.com/hone-rl/hone/internal/disk"
)

// puller brings models from a hub into the store.
type puller struct {
	hub    *hub.Client
	store  artifacts.Store
	cache  string // where files lie until they are stored
	copies int    // of a model that its disk must hold, the store's among them if it is there
}

// pulled is what came of a pull.
type pulled struct {
	storedModel
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	Licence    string `json:"licence"`
	Already    bool   `json:"already"` // it was stored before, and nothing was fetched
}

func (p *pulled) String() string {
	if p.Already {
		return fmt.Sprintf("%s at %s is stored already: %s", p.Repository, p.Commit, p.Digest)
	}
	licence := "no licence named"
	if p.Licence != "" {
		licence = "licence " + p.Licence
	}
	return fmt.Sprintf("%s at %s, %s: %s", p.Repository, p.Commit, licence, &p.storedModel)
}

// pull stores a revision, unless it is stored.
func (p *puller) pull(ctx context.Context, repo hub.Repository, revision string) (*pulled, error) {
	if hub.IsCommit(revision) { // no server need be asked
		if done, err := p.known(ctx, repo, revision); done != nil || err != nil {
			return done, err
		}
	}
	r, err := p.hub.Revision(ctx, repo, revision)
	if err != nil {
		return nil, err
	}
	if done, err := p.known(ctx, repo, r.Commit); done != nil || err != nil {
		return done, err
	}
	dir := filepath.Join(p.cache, repo.Org, repo.Name, r.Commit)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("another pull of %s at %s is under way (%s is locked)", repo, r.Commit, lock.Path()), err)
	}
	defer func() { _ = lock.Close() }() // ends with the process at the latest
	if err := p.fetch(ctx, r, dir); err != nil {
		return nil, err
	}
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	m, err := storeModel(ctx, p.store, f)
	if err != nil {
		return nil, err
	}
	source := activities.Source{
		Model: m.Digest, Kind: activities.SourcePull,
		Endpoint: p.hub.Endpoint(), Repository: repo.String(), Commit: r.Commit, Licence: r.Licence,
	}
	if err := activities.RecordSource(ctx, p.store, source); err != nil {
		return nil, err
	}
	if err := p.clear(dir); err != nil {
		return nil, err
	}
	return &pulled{storedModel: *m, Repository: repo.String(), Commit: r.Commit, Licence: r.Licence}, nil
}

// known is what an earlier pull stored of a commit, nil if none did.
func (p *puller) known(ctx context.Context, repo hub.Repository, commit string) (*pulled, error) {
	d, err := activities.Pulled(ctx, p.store, p.hub.Endpoint(), repo.String(), commit)
	if d == "" || err != nil {
		return nil, err
	}
	m, err := artifacts.GetManifest(ctx, p.store, d)
	if err != nil {
		return nil, err
	}
	done := &pulled{storedModel: storedModel{Digest: d, Files: len(m.Outputs)}, Repository: repo.String(), Commit: commit, Already: true}
	for _, out := range m.Outputs {
		done.Bytes += out.Size
	}
	source := activities.Source{Model: d, Kind: activities.SourcePull, Endpoint: p.hub.Endpoint(), Repository: repo.String(), Commit: commit}
	if source, err = activities.ReadSource(ctx, p.store, source.Name()); err != nil {
		return nil, err
	}
	done.Licence = source.Licence
	return done, nil
}

// fetch brings the revision's files into dir: the configuration first, which says whether the rest is of any use, the
// weights last.
func (p *puller) fetch(ctx context.Context, r *hub.Revision, dir string) error {
	files := map[string]hub.File{}
	var names []string
	for _, f := range r.Files {
		if !strings.Contains(f.Name, "/") {
			files[f.Name] = f
			names = append(names, f.Name)
		}
	}
	d := &fetching{puller: p, revision: r, dir: dir, files: files, line: newProgressLine(), began: time.Now()}
	defer d.line.end()
	what := fmt.Sprintf("%s at %s", r.Repository, r.Commit)
	chosen, err := folder.Select(names, func(name string) ([]byte, error) {
		if err := d.file(ctx, name); err != nil {
			return nil, err
		}
		return safetensors.ReadIndex(filepath.Join(dir, name))
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := d.file(ctx, checkpoint.ConfigName); err != nil {
		return err
	}
	if _, err := checkpoint.Read(dir); err != nil {
		return usage(fmt.Errorf("%s: %w", what, err))
	}
	if err := d.room(chosen); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	slices.SortStableFunc(chosen, func(a, b string) int { return order(a) - order(b) })
	for _, name := range chosen {
		if err := d.file(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func order(name string) int {
	if folder.Weights(name) {
		return 1
	}
	return 0
}

// fetching is the files of one pull.
type fetching struct {
	*puller
	revision *hub.Revision
	dir      string
	files    map[string]hub.File
	line     *progressLine
	began    time.Time
	came     int64 // bytes since then
}

// file brings one file.
func (d *fetching) file(ctx context.Context, name string) error {
	f := d.files[name]
	if !folder.Weights(name) && f.Size > folder.MaxBeside {
		return fmt.Errorf("%s of %s at %s: %d bytes, expected at most %d", name, d.revision.Repository, d.revision.Commit, f.Size, folder.MaxBeside)
	}
	last := int64(-1)
	return d.hub.Download(ctx, d.revision, f, filepath.Join(d.dir, name), func(done int64) {
		if last >= 0 && done > last {
			d.came += done - last
		}
		last = done
		rate := float64(d.came) / max(time.Since(d.began).Seconds(), 0.1)
		d.line.show("%s: %s of %s, %s/s", name, size(done), size(f.Size), size(int64(rate)))
	})
}

// room refuses a model that the disk cannot hold, before it is fetched.
func (d *fetching) room(names []string) error {
	need := int64(0)
	for _, name := range names {
		f := d.files[name]
		if need += f.Size * int64(d.copies); f.Size > 1<<50 || need > 1<<50 {
			return fmt.Errorf("%s: %d bytes, expected at most %d in all", name, f.Size, int64(1)<<50)
		}
		for _, there := range []string{name, name + hub.PartSuffix} {
			info, err := os.Stat(filepath.Join(d.dir, there))
			if err == nil {
				need -= min(info.Size(), f.Size)
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return room(d.dir, need, d.copies)
}

// room refuses what the disk of dir cannot hold: need bytes, for so many copies of a model.
func room(dir string, need int64, copies int) error {
	free, err := disk.Free(dir)
	if err != nil {
		return err
	}
	if need > free {
		more := ""
		if copies > 1 {
			more = ", for the files and the local stack's copy of them"
		}
		return fmt.Errorf("%s more are needed%s, the disk of %s has %s", size(need), more, dir, size(free))
	}
	return nil
}

// copies are of a model that the disk of the data folder must hold.
func (a *app) copies() int {
	if a.Remote() {
		return 1
	}
	return 2 // the local stack's store is on the same disk
}

// clear removes a stored model's files, and the folders above them that are empty then.
func (p *puller) clear(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, above := range []string{filepath.Dir(dir), filepath.Dir(filepath.Dir(dir))} {
		_ = os.Remove(above) // not empty where there is another's
	}
	return nil
}

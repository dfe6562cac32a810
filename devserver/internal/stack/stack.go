// Package stack joins Temporal, its web page, the S3 server and one worker over one data folder.
package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/hone-rl/hone/devserver/gateway"
	"github.com/hone-rl/hone/devserver/internal/temporal"
	"github.com/hone-rl/hone/devserver/stackfile"
)

// Bucket is the bucket that artifacts go to; the first client makes it.
const Bucket = "hone"

// Config is what one start is asked for.
type Config struct {
	Data   string // folder of all state; made if missing
	Ports  Ports
	Worker string // program to run beside the servers; none when empty

	SearchAttributes map[string]string // name to type, added to those that are there

	Out    func(format string, args ...any) // told what a person should know
	Logger *slog.Logger
	Level  *slog.LevelVar // of Logger
}

// stack is a running one. Its parts end in the reverse of the order of fields.
type stack struct {
	cfg      Config
	dir      stackfile.Dir
	lock     *lock
	about    stackfile.Stack
	s3       *gateway.Gateway
	temporal *temporal.Server
	ui       *temporal.UI
	worker   *worker
}

// Run starts a stack, runs it until ctx ends, and stops it. Another one on the same folder is an error that names it.
func Run(ctx context.Context, cfg Config) (err error) {
	data, err := filepath.Abs(cfg.Data)
	if err != nil {
		return err
	}
	s := &stack{cfg: cfg, dir: stackfile.Dir(data)}
	if cfg.Worker != "" { // before anything changes the working folder, and before anything is started
		if s.worker, err = newWorker(cfg.Worker, s.dir, cfg.Logger); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.dir.Logs(), 0o755); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if s.lock, err = takeLock(ctx, s.dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx); err != nil {
		return fmt.Errorf("start local stack on %s: %w", data, err)
	}
	return s.wait(ctx)
}

func (s *stack) start(ctx context.Context) error {
	last, err := s.dir.Last()
	if err == nil {
		s.cfg.Logger.WarnContext(ctx, "the last stack was not stopped", "pid", last.PID, "started", last.Started)
		if err := os.Remove(s.dir.Stack()); err != nil {
			return err
		}
	}
	keys, err := credentials(s.dir)
	if err != nil {
		return fmt.Errorf("S3 credentials: %w", err)
	}
	ports, err := s.cfg.Ports.choose(last, s.cfg.Out)
	if err != nil {
		return err
	}
	s3Address := fmt.Sprintf("127.0.0.1:%d", ports.S3)
	s.s3, err = gateway.Start(ctx, gateway.Config{
		Dir: s.dir.Objects(), MetaDir: s.dir.ObjectMeta(), Address: s3Address,
		AccessKeyID: keys.AccessKeyID, SecretAccessKey: keys.SecretAccessKey,
	})
	if err != nil {
		return err
	}
	s.temporal, err = temporal.Start(ctx, temporal.Config{
		Dir: s.dir.Temporal(), Port: ports.Temporal, Logger: s.cfg.Logger.With("part", "temporal"), Level: s.cfg.Level,
	})
	if err != nil {
		return err
	}
	if err := temporal.AddSearchAttributes(ctx, ports.Temporal, s.cfg.SearchAttributes); err != nil {
		return err
	}
	if s.ui, err = temporal.StartUI(ctx, ports.UI, ports.Temporal); err != nil {
		return err
	}
	s.about = stackfile.Stack{
		PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Second), Data: string(s.dir),
		Temporal: stackfile.Temporal{Address: fmt.Sprintf("127.0.0.1:%d", ports.Temporal), Namespace: temporal.Namespace},
		UI:       stackfile.UI{URL: fmt.Sprintf("http://127.0.0.1:%d", ports.UI)},
		S3: stackfile.S3{
			Endpoint: "http://" + s3Address, Region: gateway.Region, Bucket: Bucket, CredentialsFile: s.dir.Credentials(),
		},
		Versions: versions(),
	}
	return s.ready()
}

// ready writes stack.json, by which everything else finds the stack, and starts the worker, which needs it.
func (s *stack) ready() error {
	if s.worker == nil {
		return stackfile.WriteJSON(s.dir.Stack(), s.about)
	}
	s.about.Worker = &stackfile.Worker{Path: s.worker.path, Log: s.dir.WorkerLog()}
	if err := stackfile.WriteJSON(s.dir.Stack(), s.about); err != nil {
		return err
	}
	s.worker.run(func(pid, restarts int) {
		s.about.Worker.PID, s.about.Worker.Restarts = pid, restarts
		if err := stackfile.WriteJSON(s.dir.Stack(), s.about); err != nil {
			s.cfg.Logger.Error("stack.json not updated", "error", err)
		}
	})
	return nil
}

// wait returns when the stack is asked to end or one of its servers has ended by itself.
func (s *stack) wait(ctx context.Context) error {
	s.cfg.Out("ready: Temporal %s, web page %s, S3 %s", s.about.Temporal.Address, s.about.UI.URL, s.about.S3.Endpoint)
	select {
	case <-ctx.Done():
		return nil
	case <-s.s3.Done():
		return fmt.Errorf("S3 server ended: %w", s.s3.Stop())
	}
}

// stop ends what was started: first the worker, which still needs the servers.
func (s *stack) stop() error {
	var errs []error
	if s.worker != nil {
		s.worker.stop()
	}
	if s.ui != nil {
		s.ui.Stop()
	}
	if s.temporal != nil {
		errs = append(errs, s.temporal.Stop())
	}
	if s.s3 != nil {
		errs = append(errs, s.s3.Stop())
	}
	if err := os.Remove(s.dir.Stack()); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	return errors.Join(append(errs, s.lock.release())...)
}

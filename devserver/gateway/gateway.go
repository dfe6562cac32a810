// Package gateway runs versitygw's S3 server over a folder, on one loopback address and for one user. An object that
// was acknowledged survives a power cut. It is all of the local stack that stores of artifacts are tested against.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

// Region is the region that requests are signed for.
const Region = "us-east-1"

const healthPath = "/healthz"

// Config says where objects are kept and who may use them. All but Wrap and UploadAge is required.
type Config struct {
	Dir     string // holds a folder for each bucket; made if missing
	MetaDir string // holds metadata where Dir's file system has no extended attributes; may not begin with Dir
	Address string // host and port; the host is an address of the loopback interface

	AccessKeyID     string
	SecretAccessKey string

	// UploadAge is the age from which unfinished uploads are removed at start. Default 7 days.
	UploadAge time.Duration
	// Wrap puts something between the server and the folder; tests count and fail calls with it.
	Wrap func(backend.Backend) backend.Backend
}

func (c *Config) check() error {
	var errs []error
	host, _, err := net.SplitHostPort(c.Address)
	if err != nil {
		errs = append(errs, fmt.Errorf("address %q: %w", c.Address, err))
	} else if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		errs = append(errs, fmt.Errorf("address %q: expected one of the loopback interface", c.Address))
	}
	if c.Dir == "" || c.MetaDir == "" {
		errs = append(errs, errors.New("folders for objects and metadata: expected both"))
	}
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		errs = append(errs, errors.New("access key id and secret access key: expected both"))
	}
	if c.UploadAge == 0 {
		c.UploadAge = 7 * 24 * time.Hour
	}
	return errors.Join(errs...)
}

// Gateway is a running server.
type Gateway struct {
	stop context.CancelFunc
	done chan struct{}
	err  error // why it ended; read after done is closed
}

// Start runs the server until Stop and returns when it answers. A process can run one at a time, and the process's
// working folder becomes cfg.Dir: make paths absolute first.
func Start(ctx context.Context, cfg Config) (*Gateway, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("S3 server: %w", err)
	}
	be, err := open(&cfg)
	if err != nil {
		return nil, fmt.Errorf("S3 server over %s: %w", cfg.Dir, err)
	}
	if err := sweep(ctx, be, cfg.UploadAge); err != nil {
		return nil, fmt.Errorf("S3 server over %s: remove old uploads: %w", cfg.Dir, err)
	}
	if cfg.Wrap != nil {
		be = cfg.Wrap(be)
	}
	root := auth.Account{Access: cfg.AccessKeyID, Secret: cfg.SecretAccessKey, Role: auth.RoleAdmin}
	runCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	g := &Gateway{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(g.done)
		g.err = embedgw.RunVersityGW(runCtx, be, &embedgw.Config{
			RootUserAccess: cfg.AccessKeyID, RootUserSecret: cfg.SecretAccessKey, Region: Region,
			Ports:          []string{cfg.Address},
			MaxConnections: 4096, MaxRequests: 4096, MultipartMaxParts: 10_000,
			KeepAlive: true, Quiet: true, HealthPath: healthPath,
			IAMService: oneUser{auth.NewIAMServiceSingle(root)},
		})
	}()
	if err := g.waitReady(ctx, cfg.Address); err != nil {
		stop()
		return nil, fmt.Errorf("S3 server on %s: %w", cfg.Address, err)
	}
	return g, nil
}

// open makes the folders and chooses where metadata goes.
func open(cfg *Config) (backend.Backend, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	metaDir, err := filepath.Abs(cfg.MetaDir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// Copies are refused without a threshold; S3's own is 5 GiB.
	opts := posix.PosixOpts{CopyObjectThreshold: 5 << 30}
	var store meta.MetadataStorer = meta.XattrMeta{}
	if (meta.XattrMeta{}).Test(dir) != nil {
		if err := os.MkdirAll(metaDir, 0o700); err != nil {
			return nil, err
		}
		if store, err = meta.NewSideCar(metaDir); err != nil {
			return nil, err
		}
		opts.SideCarDir = metaDir
	}
	p, err := posix.New(dir, store, opts)
	if err != nil {
		return nil, err
	}
	return durable{p, dir}, nil
}

func (g *Gateway) waitReady(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		// Bounded, because a stranger on the same port may take the request and never answer.
		if healthy(ctx, address) {
			return g.alive()
		}
		select {
		case <-g.done:
			return g.alive()
		case <-ctx.Done():
			return fmt.Errorf("does not answer: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func healthy(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+healthPath, http.NoBody)
	if err != nil {
		return false
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close() // empty
	return resp.StatusCode == http.StatusOK
}

// alive tells a stranger's answer on the same port from our own.
func (g *Gateway) alive() error {
	select {
	case <-g.done:
		return fmt.Errorf("ended at once: %w", cmp.Or(g.err, errors.New("no reason given")))
	default:
		return nil
	}
}

// Done is closed when the server has ended; Stop then says why.
func (g *Gateway) Done() <-chan struct{} { return g.done }

// stopWait is how long Stop waits for requests. The server itself waits 10 s for connections that clients keep open
// without asking anything; cutting them off, or a request, loses nothing that was acknowledged.
const stopWait = 2 * time.Second

// Stop closes the port and returns the error that the server ended with, if it has ended. It may be called again.
func (g *Gateway) Stop() error {
	g.stop()
	select {
	case <-g.done:
		return g.err
	case <-time.After(stopWait):
		return nil
	}
}

// oneUser answers for unknown keys with the error from which the server makes InvalidAccessKeyId.
type oneUser struct{ auth.IAMService }

func (u oneUser) GetUserAccount(access string) (auth.Account, error) {
	account, err := u.IAMService.GetUserAccount(access)
	if err != nil {
		return auth.Account{}, auth.ErrNoSuchUser
	}
	return account, nil
}

// Package hub fetches the files of a model from a Hugging Face style hub: a server with git repositories whose large
// files lie in LFS. A revision is pinned to its commit before anything is fetched, interrupted files go on where they
// were, and nothing is accepted that differs from the checksum in the commit. docs/models.md describes the protocol.
package hub

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/hone-rl/hone/internal/endpoint"
)

// DefaultEndpoint is the public hub.
const DefaultEndpoint = "https://huggingface.co"

// Config says where the hub is and how patient to be. Zero fields mean the defaults.
type Config struct {
	Endpoint string // default DefaultEndpoint; a path is kept, as mirrors may have one
	Token    string // sent to the endpoint's own scheme, host and port and to nothing else; "" for none

	Stall    time.Duration // longest wait for an answer, or for the next 4 KiB of a file. Default 60 s
	Retries  int           // of a request without an answer, and of a file that does not get on by a MiB. Default 5
	WaitMin  time.Duration // before the first retry; it doubles up to WaitMax. Default 1 s
	WaitMax  time.Duration // default 60 s
	Patience time.Duration // longest wait that a server may ask for by Retry-After; more is an error. Default 10 min

	Transport http.RoundTripper // default: one of its own
	Logger    *slog.Logger      // told of retries; nil for none
}

// The defaults of Config.
const (
	defaultStall    = 60 * time.Second
	defaultRetries  = 5
	defaultWaitMin  = time.Second
	defaultWaitMax  = time.Minute
	defaultPatience = 10 * time.Minute
)

// Client talks to one hub. Its methods may be called from many goroutines.
type Client struct {
	base    *url.URL
	token   string
	stall   time.Duration
	retries int
	waitMin time.Duration
	waitMax time.Duration
	log     *slog.Logger
	http    *retryablehttp.Client
}

// New checks cfg. It asks no server.
func New(cfg Config) (*Client, error) {
	base, err := endpoint.Parse(strings.TrimRight(cmp.Or(cfg.Endpoint, DefaultEndpoint), "/"))
	if err != nil {
		return nil, fmt.Errorf("hub endpoint %q: %w, such as %s", endpoint.Plain(cfg.Endpoint), err, DefaultEndpoint)
	}
	if strings.ContainsFunc(cfg.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("hub token: expected one word of printable ASCII") // the token itself is told to nobody
	}
	for name, d := range map[string]time.Duration{
		"stall": cfg.Stall, "wait": min(cfg.WaitMin, cfg.WaitMax), "patience": cfg.Patience, "retries": time.Duration(cfg.Retries),
	} {
		if d < 0 {
			return nil, fmt.Errorf("hub: %s below 0", name)
		}
	}
	c := &Client{
		base: base, token: cfg.Token,
		stall: cmp.Or(cfg.Stall, defaultStall), retries: cmp.Or(cfg.Retries, defaultRetries),
		waitMin: cmp.Or(cfg.WaitMin, defaultWaitMin), waitMax: cmp.Or(cfg.WaitMax, defaultWaitMax),
		log: cfg.Logger,
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.http = c.retrying(cfg.Transport, cmp.Or(cfg.Patience, defaultPatience))
	return c, nil
}

// Host is the endpoint's host and port.
func (c *Client) Host() string { return c.base.Host }

// Endpoint is where the hub is, without a slash at its end.
func (c *Client) Endpoint() string { return c.base.String() }

package hub

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// maxRedirects is how many hops a request may take; the hub itself needs two.
const maxRedirects = 10

// errRedirect means that a redirect is not followed.
var errRedirect = errors.New("redirect refused")

// retrying is the client under all requests: it repeats those that got no answer, or one that says later.
func (c *Client) retrying(transport http.RoundTripper, patience time.Duration) *retryablehttp.Client {
	if transport == nil {
		transport = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: min(c.stall, 30*time.Second), KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:   min(c.stall, 30*time.Second),
			ResponseHeaderTimeout: c.stall,
			IdleConnTimeout:       90 * time.Second,
			ForceAttemptHTTP2:     true,
			DisableCompression:    true, // sizes are those of the files
		}
	}
	return &retryablehttp.Client{
		HTTPClient:   &http.Client{Transport: credentials{transport, c}, CheckRedirect: redirect},
		RetryMax:     c.retries,
		RetryWaitMin: c.waitMin,
		RetryWaitMax: c.waitMax,
		ErrorHandler: retryablehttp.PassthroughErrorHandler, // the last answer says why
		CheckRetry: func(ctx context.Context, resp *http.Response, err error) (bool, error) {
			if errors.Is(err, errRedirect) {
				return false, err
			}
			if resp != nil {
				if wait, ok := asked(resp); ok && wait > patience {
					return false, nil
				}
				if resp.StatusCode == http.StatusRequestTimeout {
					return true, nil
				}
			}
			return retryablehttp.DefaultRetryPolicy(ctx, resp, err)
		},
		Backoff: func(low, high time.Duration, try int, resp *http.Response) time.Duration {
			wait := retryablehttp.DefaultBackoff(low, high, try, nil)
			reason := "no answer"
			if resp != nil {
				reason = resp.Status
				if said, ok := asked(resp); ok {
					wait = said
				}
			}
			c.log.Info("the hub is asked again", "try", try+2, "wait", wait, "reason", reason)
			return wait
		},
	}
}

// get asks for a place below the endpoint and returns an answer of 2xx. Its body ends with ErrStalled when it brings
// nothing for too long.
func (c *Client) get(ctx context.Context, what string, place *url.URL, header http.Header) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, place.String(), nil)
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	req.Header.Set("User-Agent", "hone")
	req.Header.Set("Accept-Encoding", "identity")
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := c.http.Do(req)
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("%s: %w", what, plain(err))
	}
	resp.Body = watch(ctx, resp.Body, c.stall, cancel)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		err := c.status(resp, what)
		_ = resp.Body.Close() // the answer is an error already
		return resp, err
	}
	return resp, nil
}

// credentials adds the token to what goes to the endpoint itself, and to nothing else: a redirect to another host, port
// or scheme, a subdomain included, does not see it.
type credentials struct {
	next   http.RoundTripper
	client *Client
}

func (t credentials) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.client.token != "" && t.client.mine(req.URL) {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+t.client.token)
	}
	return t.next.RoundTrip(req)
}

// mine says whether a URL is the endpoint's.
func (c *Client) mine(u *url.URL) bool { return u.Scheme == c.base.Scheme && u.Host == c.base.Host }

func redirect(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer") // a signed URL would be told to the next host
	switch {
	case len(via) >= maxRedirects:
		return fmt.Errorf("%w: more than %d", errRedirect, maxRedirects)
	case req.URL.Scheme != "https" && via[len(via)-1].URL.Scheme == "https":
		return fmt.Errorf("%w: from https to %s", errRedirect, place(req.URL))
	}
	return nil
}

// What is left of a limit and the seconds to its renewal: RateLimit: "api";r=0;t=55
// (draft-ietf-httpapi-ratelimit-headers).
var rateLimit = regexp.MustCompile(`;\s*t=(\d{1,9})\b`)

// asked is how long an answer of 429 or 503 asks to wait.
func asked(resp *http.Response) (time.Duration, bool) {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	if said := resp.Header.Get("Retry-After"); said != "" {
		if n, err := strconv.ParseUint(said, 10, 31); err == nil {
			return time.Duration(n) * time.Second, true
		}
		if at, err := http.ParseTime(said); err == nil {
			return max(0, time.Until(at)), true
		}
	}
	if m := rateLimit.FindStringSubmatch(resp.Header.Get("RateLimit")); m != nil {
		n, err := strconv.ParseUint(m[1], 10, 31)
		return time.Duration(n) * time.Second, err == nil
	}
	return 0, false
}

package hub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"
)

var (
	// ErrAccess means that the hub lets nobody in without a token, or not with this one.
	ErrAccess = errors.New("the hub gives no access")
	// ErrNotFound means that there is no such model, revision or file.
	ErrNotFound = errors.New("not on the hub")
	// ErrChecksum means that what came is not what the commit has. Trying again is of no use.
	ErrChecksum = errors.New("not what the commit has")
	// ErrStalled means that a connection stayed open and brought nothing.
	ErrStalled = errors.New("the connection stalled")
	// ErrTruncated means that an answer ended too early.
	ErrTruncated = errors.New("the answer broke off")
)

// status is the error of an answer that is none of 2xx. It reads some of the body.
func (c *Client) status(resp *http.Response, what string) error {
	said := resp.Header.Get("X-Error-Message")
	if said == "" {
		var body struct {
			Error string `json:"error"`
		}
		raw, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		if err == nil && json.Unmarshal(bytes.TrimSpace(raw), &body) == nil {
			said = body.Error
		}
	}
	err := fmt.Errorf("%s: %s answers %s%s", what, place(resp.Request.URL), resp.Status, quoted(said))
	switch code := resp.Header.Get("X-Error-Code"); {
	case code == "GatedRepo" && c.token != "":
		return fmt.Errorf("%w: %w: its authors give access one by one: ask for it on the model's page at %s", err, ErrAccess, c.base)
	case resp.StatusCode == http.StatusUnauthorized && c.token == "" || code == "GatedRepo":
		return fmt.Errorf("%w: %w without a token: the model is gated, private or not there; set HF_TOKEN or --token-file", err, ErrAccess)
	case resp.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("%w: %w with this token: it is wrong or has expired, or the model is not there", err, ErrAccess)
	case resp.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%w: %w: the token, if any, may not read this model", err, ErrAccess)
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%w: %w", err, ErrNotFound)
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable:
		if wait, ok := asked(resp); ok {
			return fmt.Errorf("%w: it asks to wait %v", err, wait)
		}
	}
	return err
}

// quoted is what a server said, in parentheses; "" if it said nothing.
func quoted(said string) string {
	if said = readable(said); said == "" {
		return ""
	}
	return " (" + said + ")"
}

// readable makes a stranger's text fit for a terminal and for a line.
func readable(said string) string {
	said = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(said, " "))
	said = strings.Join(strings.Fields(said), " ")
	if short := []rune(said); len(short) > 300 {
		said = string(short[:300]) + "…"
	}
	return said
}

// place is a URL without its query, which in a signed one is a key to the content.
func place(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// plain takes the URL with its query out of an error of net/http.
func plain(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		if at, perr := url.Parse(u.URL); perr == nil {
			return fmt.Errorf("%s: %w", place(at), u.Err)
		}
		return u.Err
	}
	return err
}

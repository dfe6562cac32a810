// Package endpoint shows addresses of servers without what may be secret in them.
package endpoint

import (
	"errors"
	"net/url"
	"strings"
)

// Plain is an address as it may be told to anybody, whether it is one or not: user, password, query and fragment, each of
// which may be a token, become "…".
func Plain(address string) string {
	scheme, rest, tail := "", address, ""
	if i := strings.Index(rest, "://"); i >= 0 {
		scheme, rest = rest[:i+3], rest[i+3:]
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		if strings.IndexByte(rest[i:], '@') >= 0 { // behind a password that holds one of the two, or in a query: who knows
			return scheme + "…"
		}
		rest, tail = rest[:i], rest[i:i+1]+"…"
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = "…" + rest[i:]
	}
	return scheme + rest + tail
}

// Parse reads an address of a server that is spoken to by HTTP. Its error does not tell the address.
func Parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("expected http:// or https:// and a host")
	case u.User != nil:
		return nil, errors.New("expected no user and no password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("expected nothing behind the path")
	}
	return u, nil
}

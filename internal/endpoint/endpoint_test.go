package endpoint_test

import (
	"strings"
	"testing"

	"github.com/hone-rl/hone/internal/endpoint"
)

func TestPlain(t *testing.T) {
	for address, want := range map[string]string{
		"https://hub.example":                           "https://hub.example",
		"http://127.0.0.1:9000/a/b":                     "http://127.0.0.1:9000/a/b",
		"https://me:secret@hub.example/a":               "https://…@hub.example/a",
		"https://secret@hub.example":                    "https://…@hub.example",
		"https://me:se@cret@hub.example":                "https://…@hub.example",
		"https://me:se cret%zz@hub.example":             "https://…@hub.example",
		"https://hub.example/a?token=secret":            "https://hub.example/a?…",
		"https://hub.example#secret":                    "https://hub.example#…",
		"https://me:secret@hub.example?b=secret#secret": "https://…@hub.example?…",
		"https://me:se?cret@hub.example/a":              "https://…",
		"https://me:se#cret@hub.example":                "https://…",
		"https://hub.example/a?token=sec@ret":           "https://…",
		"me:secret@hub.example":                         "…@hub.example",
		"://secret@":                                    "://…@",
		"hub.example:443":                               "hub.example:443",
		"":                                              "",
	} {
		if got := endpoint.Plain(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for address, says := range map[string]string{
		"https://hub.example/a": "",
		"http://127.0.0.1:9000": "",
		"ftp://secret.example":  "expected http:// or https:// and a host",
		"127.0.0.1:9000":        "expected http://",
		"https://":              "expected http://",
		"https://a:sec ret@b":   "expected http://",
		"https://a:secret@b":    "expected no user and no password",
		"https://secret@b":      "expected no user",
		"https://b?secret":      "expected nothing behind the path",
		"https://b/#secret":     "expected nothing behind the path",
		"https://b?":            "expected nothing behind the path",
	} {
		u, err := endpoint.Parse(address)
		if says == "" && (err != nil || u.String() != address) || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, %v, want %q", address, u, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: it is told: %v", address, err)
		}
	}
}

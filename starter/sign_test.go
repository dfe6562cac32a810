package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hone-rl/hone/lineage"
)

// TestSignCommand: a key is made, and what is asked for in a wrong way is refused before any server is asked.
func TestSignCommand(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "hone.key")
	code, out, err := hone(t, "sign", "--new-key", key)
	want := regexp.MustCompile(`^key [0-9a-f]{12}: private ` + regexp.QuoteMeta(key) + `, public ` + regexp.QuoteMeta(key) + `\.pub\n$`)
	if code != 0 || err != nil || !want.MatchString(out) {
		t.Fatalf("got %d, %q, %v", code, out, err)
	}
	secret, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	stack := []string{"--data", dir} // where there is none
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"key twice":            {[]string{"sign", "--new-key", key}, "file exists"},
		"nothing":              {[]string{"sign"}, "expected RUN --key FILE"},
		"no key":               {[]string{"sign", "demo-1a2b"}, "expected RUN --key FILE"},
		"no run":               {[]string{"sign", "--key", key}, "expected RUN --key FILE"},
		"both":                 {[]string{"sign", "demo-1a2b", "--new-key", key}, "expected --new-key FILE alone"},
		"no such key":          {[]string{"sign", "demo-1a2b", "--key", key + "2"}, "no such file"},
		"a public key":         {[]string{"sign", "demo-1a2b", "--key", key + ".pub"}, "a PUBLIC KEY, expected a PRIVATE KEY"},
		"no run's name":        {[]string{"sign", "a b", "--key", key}, "expected a run"},
		"audit without a key":  {[]string{"audit", "demo-1a2b", "--require-signature"}, "together"},
		"audit with a key":     {[]string{"audit", "demo-1a2b", "--public-key", key + ".pub"}, "together"},
		"audit by the private": {[]string{"audit", "demo-1a2b", "--require-signature", "--public-key", key}, "a PRIVATE KEY, expected a PUBLIC KEY"},
	} {
		code, _, err := hone(t, append(tt.args, stack...)...)
		if code != exitUsage || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %d, %v, want %d and %q", name, code, err, exitUsage, tt.want)
		}
	}
	for _, args := range [][]string{{"sign", "demo-1a2b", "--key", key}, {"audit", "demo-1a2b", "--require-signature", "--public-key", key + ".pub"}} {
		if _, _, err := hone(t, append(args, stack...)...); err == nil || !strings.Contains(err.Error(), "no local stack") {
			t.Errorf("%v: got %v, want it to look for a store", args, err)
		}
	}
	if again, err := os.ReadFile(key); err != nil || string(again) != string(secret) {
		t.Errorf("the key has changed, %v", err)
	}
}

// TestPrintSigned: an audit that looked for signatures says how many there are.
func TestPrintSigned(t *testing.T) {
	res := &lineage.Result{Manifests: 3, Signed: 2, Findings: []lineage.Finding{{Where: "model sha256:1", Problem: "no valid signature by key 2"}}}
	var err error
	out := output(t, func() { err = (&app{}).printAudit(res, false, true) })
	if err == nil || !strings.Contains(out, "2 of 3 manifests are signed with the key\n") || !strings.Contains(out, "WRONG  model sha256:1\n") {
		t.Errorf("got %q, %v", out, err)
	}
	if out := output(t, func() { _ = (&app{}).printAudit(res, false, false) }); strings.Contains(out, "signed with") {
		t.Errorf("without a key: got %q", out)
	}
}

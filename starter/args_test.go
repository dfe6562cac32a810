package main

import (
	"errors"
	"strings"
	"testing"
)

// TestReferences: what can be no run and no digest is refused before any server is asked; what can be goes on to one.
func TestReferences(t *testing.T) {
	long := strings.Repeat("a", 600)
	for name, c := range map[string]struct {
		args []string // REF in the place of the reference
		bad  []string
	}{
		"model show": {[]string{"model", "show", "REF"}, []string{"sha256:zz", "sha256:", "SHA256:ab", "../x", "a b", "a//b", long}},
		"lineage":    {[]string{"lineage", "REF"}, []string{"sha256:zz", "a:b", "a/../b"}},
		"export":     {[]string{"export", "REF", "out"}, []string{"sha256:zz", "a?b"}},
		"audit":      {[]string{"audit", "REF"}, []string{"sha256:zz", "a b"}},
		"report":     {[]string{"report", "REF"}, []string{"sha256:zz", "a b"}},
		"watch":      {[]string{"watch", "REF"}, []string{"sha256:zz", "a b"}},
		"cancel":     {[]string{"cancel", "REF"}, []string{"sha256:zz", "a b"}},
		"retry":      {[]string{"retry", "REF"}, []string{"sha256:zz", "a b"}},
		"histories":  {[]string{"histories", "REF", "out"}, []string{"sha256:zz", "a b"}},
		"games":      {[]string{"retry", "demo-1a2b3c4d5e", "--games", "REF"}, []string{"sha256:zz", "demo"}},
	} {
		t.Run(name, func(t *testing.T) {
			ask := func(ref string) error {
				cmd := command()
				all := []string{"--data", t.TempDir()}
				for _, arg := range c.args {
					if arg == "REF" {
						arg = ref
					}
					all = append(all, arg)
				}
				cmd.SetArgs(all)
				return cmd.ExecuteContext(t.Context())
			}
			for _, ref := range c.bad {
				var with coded
				err := ask(ref)
				if !errors.As(err, &with) || with.code != exitUsage || !strings.Contains(err.Error(), "expected") || strings.Contains(err.Error(), "no local stack") {
					t.Errorf("%.40s: got %v, want it refused with exit code %d", ref, err, exitUsage)
				}
			}
			good := "demo-1a2b3c4d5e"
			if name == "games" {
				good = "sha256:" + strings.Repeat("0a", 32)
			}
			if err := ask(good); err == nil || !strings.Contains(err.Error(), "no local stack is running") {
				t.Errorf("%s: got %v, want it to miss the stack", good, err)
			}
		})
	}
}

// TestAddressSecrets: an address with a password is refused and not told.
func TestAddressSecrets(t *testing.T) {
	for _, args := range [][]string{
		{"--temporal-address", "me:secret@127.0.0.1:1", "watch", "demo-1a2b3c4d5e"},
		{"model", "pull", "a/b@main", "--endpoint", "http://me:secret@127.0.0.1:1"},
	} {
		cmd := command()
		cmd.SetArgs(append([]string{"--data", t.TempDir()}, args...))
		err := cmd.ExecuteContext(t.Context())
		if err == nil || !strings.Contains(err.Error(), "…@127.0.0.1:1") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: got %v", args, err)
		}
	}
}

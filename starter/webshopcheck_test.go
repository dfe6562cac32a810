package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/internal/outside"
)

// TestWebShopCheck: the golden data agree; a copy with one value changed does not, nor one that lacks a file.
func TestWebShopCheck(t *testing.T) {
	dir := outside.Shared(t, "webshop-golden")
	const all = "2 tables, 9 generators, 200 analysed texts, 600 token-set scores, 1108 searches, 11 replies, 200 reward cases, " +
		"20769 goals, 558 prices, 72 sessions, 365 pages, 40 episodes; none differs\n"
	if code, out, err := hone(t, "webshop", "check", dir); code != 0 || out != all {
		t.Errorf("code %d, %q, %v, want 0 and %q", code, out, err, all)
	}
	if code, out, err := hone(t, "webshop", "check", "--on-disk", dir); code != 0 || out != all {
		t.Errorf("on disk: code %d, %q, %v, want 0 and %q", code, out, err, all)
	}
	other := t.TempDir()
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	replies := filepath.Join(other, "projection.json")
	data, err := os.ReadFile(replies)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, replies, []byte(strings.Replace(string(data), `"click[x]"`, `"click[y]"`, 1)))
	code, out, err := hone(t, "webshop", "check", other)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitFailed || err == nil || !strings.HasPrefix(out, `projection.json:2: "<think>a</think><action>click[X]</action>": action`+"\n  want \"click[y]\"\n  got  \"click[x]\"\n") ||
		!strings.Contains(lines[len(lines)-1], "11 replies (1 differ)") || !strings.HasSuffix(lines[len(lines)-1], "; 1 differs") {
		t.Errorf("doctored: code %d, %v\n%s", code, err, out)
	}
	writeFile(t, replies, data)
	if err := os.Remove(filepath.Join(other, "search.jsonl")); err != nil {
		t.Fatal(err)
	}
	code, out, err = hone(t, "webshop", "check", other, "--json")
	if code != exitUsage || err == nil || !strings.Contains(err.Error(), "search.jsonl: no such file") || !strings.Contains(out, `"kind": "episodes"`) {
		t.Errorf("without searches: code %d, %v\n%s", code, err, out)
	}
	code, out, err = hone(t, "webshop", "check", t.TempDir())
	if code != exitUsage || err == nil || out != "nothing was compared\n" {
		t.Errorf("of an empty folder: code %d, %v\n%s", code, err, out)
	}
}

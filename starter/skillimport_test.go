package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/skills"
)

// TestImportBank: the shipped bank, as text and JSON, has the digest that the experiments and the page on skills name.
func TestImportBank(t *testing.T) {
	const file = "../experiments/banks/household.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bank, err := skills.ReadBank(file, text)
	if err != nil {
		t.Fatal(err)
	}
	store := mem.New()
	stored, err := importBank(t.Context(), store, bank)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	want := "     8  general\n     2  clean\n     2  cool\n     2  examine\n     2  heat\n     2  look_at_obj_in_light\n     3  pick_and_place\n" +
		"     4  mistakes\n25 skills stored: " + string(stored.Digest) + "\n"
	if err := stored.print(&b); err != nil || b.String() != want {
		t.Errorf("got\n%s, %v\nwant\n%s", &b, err, want)
	}
	raw, err := json.Marshal(stored)
	if want := `{"digest":"` + string(stored.Digest) + `","skills":25,"general":8,"types":{`; err != nil || !strings.HasPrefix(string(raw), want) {
		t.Errorf("got %s, %v, want %s…", raw, err, want)
	}
	if read, err := activities.ReadBank(t.Context(), store, stored.Digest); err != nil || len(read) != 25 {
		t.Errorf("%d skills, %v", len(read), err)
	}
	for _, named := range []string{"../experiments/skillrl.yaml", "../experiments/skillrl-tiny.yaml", "../docs/skills.md"} {
		text, err := os.ReadFile(named)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), string(stored.Digest)) {
			t.Errorf("%s does not name %s", named, stored.Digest)
		}
	}
}

// TestImportBankRefuses: before any store is asked.
func TestImportBankRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bank.json")
	writeFile(t, file, []byte(`{"general_skills": [{"title": "t"}]}`))
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no file":        {nil, "hone skill import: expected a file"},
		"not there":      {[]string{file + "x"}, "no such file"},
		"a folder":       {[]string{filepath.Dir(file)}, "expected a regular file"},
		"something less": {[]string{file}, file + ": general_skills[0].principle: empty or missing"},
	} {
		cmd := command()
		cmd.SetArgs(append([]string{"--data", t.TempDir(), "skill", "import"}, c.args...))
		err := cmd.ExecuteContext(t.Context())
		var coded coded
		if !errors.As(err, &coded) || coded.code != exitUsage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q and exit code 2", name, err, c.want)
		}
	}
}

package endtoend_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/programs"
)

const homeSpec = `name: home
games:
  household: {seed: 3, train: 24, valid_unseen: 6}
hints: {chunk: 12, validation_per_mille: 300}
tokenizer: {vocabulary: 300, games: 0}
evaluation:
  panels:
    - {name: unseen, splits: [valid_unseen]}
`

const smallModel = `model:
  qwen2: {hidden: 16, layers: 1, heads: 2, kv_heads: 1, intermediate: 32, vocabulary: 300, positions: 1024,
          rope_theta: 10000, init_std: 0.06, tie_embedding: true}
`

// TestSpecs: a wrong spec is refused with its line before anything is asked.
func TestSpecs(t *testing.T) {
	bin := programs.Dir(t)
	nowhere := []string{"--data", filepath.Join(t.TempDir(), "none")}
	tests := map[string]struct {
		text  string
		words []string
	}{
		"unknown field": {strings.Replace(homeSpec, "chunk: 12", "chunks: 12", 1), []string{"spec.yaml:4: hints.chunks: unknown field, expected one of dataset, split, "}},
		"wrong type":    {strings.Replace(homeSpec, "seed: 3", "seed: three", 1), []string{"spec.yaml:3: games.household.seed three: expected a whole number"}},
		"wrong value":   {homeSpec + "teacher: {steps: 0}\n", []string{"spec.yaml", "teacher.steps 0: expected above 0"}},
		"not YAML":      {homeSpec + "teacher: {steps\n", []string{"spec.yaml:9: "}},
		"rounded seed":  {homeSpec + "teacher: {order: 9007199254740993}\n", []string{"teacher.order 9007199254740993: expected at most"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			spec := write(t, filepath.Join(t.TempDir(), "spec.yaml"), tt.text)
			hone(t, bin, nil, append(nowhere, "run", spec)...).says(t, 2, tt.words...)
		})
	}
	good := write(t, filepath.Join(t.TempDir(), "spec.yaml"), homeSpec+smallModel)
	hone(t, bin, nil, append(nowhere, "run", "none.yaml")...).says(t, 2, "none.yaml", "no such file")
	hone(t, bin, nil, append(nowhere, "run", good, "--until", "lunch")...).says(t, 2, `--until "lunch": expected a step of this run: games, panels, hints`)
	hone(t, bin, nil, append(nowhere, "run")...).says(t, 2, "expected a spec file, got 0 arguments")
	hone(t, bin, nil, append(nowhere, "run", good)...).says(t, 1, "data folder "+nowhere[1], "no local stack is running; start it with: hone up")
	hone(t, bin, nil, append(nowhere, "list")...).says(t, 1, "no local stack is running; start it with: hone up")
	hone(t, bin, nil, "--temporal-address", "127.0.0.1:1", "watch", "x").says(t, 1,
		"reach Temporal at 127.0.0.1:1 (named by flags or environment; is it running, is the address right?)", "connection refused")
}

// TestStores: each of the ways to miss S3 says which one it is.
func TestStores(t *testing.T) {
	p := sharedPlace(t)
	about, err := p.dir.Read()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := p.dir.ReadCredentials()
	if err != nil {
		t.Fatal(err)
	}
	remote := func(endpoint, id, secret string) []string {
		return []string{
			"TEMPORAL_ADDRESS=" + about.Temporal.Address, "AWS_ENDPOINT_URL=" + endpoint, "AWS_REGION=us-east-1",
			"AWS_ACCESS_KEY_ID=" + id, "AWS_SECRET_ACCESS_KEY=" + secret,
		}
	}
	tests := map[string]struct {
		env, args []string
		code      int
		words     []string
	}{
		"right":        {remote(about.S3.Endpoint, keys.AccessKeyID, keys.SecretAccessKey), []string{"list"}, 0, nil},
		"wrong secret": {remote(about.S3.Endpoint, keys.AccessKeyID, "wrong"), []string{"list"}, 1, []string{"open S3 store", about.S3.Endpoint, "S3 refuses the credentials"}},
		"unknown key":  {remote(about.S3.Endpoint, "wrong", keys.SecretAccessKey), []string{"list"}, 1, []string{"open S3 store", about.S3.Endpoint, "S3 refuses the credentials"}},
		"no server":    {remote("http://127.0.0.1:1", "a", "b"), []string{"list"}, 1, []string{"http://127.0.0.1:1", "S3 endpoint cannot be reached"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { hone(t, p.bin, tt.env, tt.args...).says(t, tt.code, tt.words...) })
	}
	t.Run("worker", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(p.bin, "hone-worker"), "--data", t.TempDir(), "--queues", "cpu")
		cmd.Env = append(os.Environ(), remote(about.S3.Endpoint, keys.AccessKeyID, "wrong")...)
		a := run(t, cmd)
		if a.code != 1 || !strings.Contains(a.text, "hone-worker: open S3 store") || !strings.Contains(a.text, "S3 refuses the credentials") {
			t.Errorf("got exit code %d and\n%s, want one error about the credentials", a.code, a.text)
		}
	})
}

// TestUnknown: what is not there is said to be not there, with how to find what is.
func TestUnknown(t *testing.T) {
	p := sharedPlace(t)
	p.hone(t, "watch", "nobody").says(t, 2, "no run nobody", "hone list shows the runs")
	p.hone(t, "audit", "nobody").says(t, 2, `"nobody"`, "no such run", "hone list shows the runs")
	p.hone(t, "audit").says(t, 2, "expected a run, or --all")
	p.hone(t, "report", "nobody").says(t, 2, "no run \"nobody\" in this store")
	p.hone(t, "retry", "nobody").says(t, 2, `no run "nobody" in this store`)
	p.hone(t, "lineage", "nobody").says(t, 2, `"nobody"`, "expected a run, RUN/STAGE, or a digest")
	p.hone(t, "export", "nobody", filepath.Join(t.TempDir(), "new")).says(t, 2, `"nobody"`, "expected a run")
	p.hone(t, "games", "import", t.TempDir()).says(t, 2, "no game.tw-pddl below", "expected json_2.1.1/SPLIT/TASK/TRIAL/game.tw-pddl")

	absent := string(artifacts.Of([]byte("never stored")))
	p.hone(t, "lineage", absent).says(t, 1, absent, "not found")
	spec := write(t, filepath.Join(t.TempDir(), "spec.yaml"), strings.Replace(homeSpec+smallModel, "household: {seed: 3, train: 24, valid_unseen: 6}", "list: "+absent, 1))
	p.hone(t, "run", spec).says(t, 2, spec+":3: games.list "+absent, "the store has no such game list", "hone games import and vary bring such lists")
}

package storetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hone-rl/hone/artifacts"
)

// testArtifact takes a folder through the store and back, with an artifact made from it, and walks to its origin.
func testArtifact(t *testing.T, h Harness) {
	dir := t.TempDir()
	files := map[string]string{"config.json": "{}", "a/b/weights.safetensors": string(noise(6, 300_000)), "empty.txt": ""}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outputs, err := artifacts.PutFolder(t.Context(), h.Store, dir)
	if err != nil {
		t.Fatal(err)
	}
	producer := artifacts.Producer{Name: "storetest", Version: "1"}
	model := artifacts.Manifest{
		Kind: artifacts.KindModel, Producer: producer, Outputs: outputs, Parameters: json.RawMessage(`{"seed": 7}`),
	}
	modelDesc, err := artifacts.PutManifest(t.Context(), h.Store, model)
	if err != nil {
		t.Fatal(err)
	}
	report := artifacts.Manifest{
		Kind: artifacts.KindReport, Producer: producer, Inputs: []artifacts.Input{{Role: "model", Digest: modelDesc.Digest}},
	}
	reportDesc, err := artifacts.PutManifest(t.Context(), h.Store, report)
	if err != nil {
		t.Fatal(err)
	}

	var walked []artifacts.Digest
	err = artifacts.Walk(t.Context(), h.Store, reportDesc.Digest, func(d artifacts.Digest, _ *artifacts.Manifest, err error) error {
		walked = append(walked, d)
		return err
	})
	if want := []artifacts.Digest{reportDesc.Digest, modelDesc.Digest}; err != nil || !slices.Equal(walked, want) {
		t.Fatalf("Walk: got %v, %v, want %v", walked, err, want)
	}
	stored, err := artifacts.GetManifest(t.Context(), h.Store, modelDesc.Digest)
	if err != nil {
		t.Fatal(err)
	}
	fetched, err := artifacts.Fetch(t.Context(), h.Store, stored, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(fetched, filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v, want the %d that were put", name, len(got), err, len(want))
		}
	}
	if filepath.Base(fetched) != modelDesc.Digest.Hex() {
		t.Errorf("fetched to %s, want it named %s", fetched, modelDesc.Digest.Hex())
	}
}

package endtoend_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// reshape writes a model's folder anew with its tensors changed.
func reshape(t *testing.T, from string, change func([]safetensors.Tensor) []safetensors.Tensor) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(to, safetensors.SingleName)
	file, err := safetensors.Open(filepath.Join(from, safetensors.SingleName))
	if err != nil {
		t.Fatal(err)
	}
	var tensors []safetensors.Tensor
	for _, name := range file.Names() {
		tensors = append(tensors, *file.Tensor(name))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(path, nil, change(tensors)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestModels: a model is exported, imported and built upon; one that lacks a tensor, or has one of another shape, is not
// stored, and the error names tensor and shape. Models that are made, and the command's older name, work as well.
func TestModels(t *testing.T) {
	p := sharedPlace(t)
	spec := func(model string) string {
		return write(t, filepath.Join(t.TempDir(), "spec.yaml"), homeSpec+model)
	}
	based := func(digest string) string { return spec("model: {base: " + digest + "}\n") }
	out := p.must(t, "run", spec(smallModel), "--until", "untrained")
	run := runOf(t, out)
	dir := filepath.Join(t.TempDir(), "model")
	p.must(t, "export", run+"/untrained", dir)
	p.hone(t, "export", run+"/untrained", dir).says(t, 2, dir+" is there already: expected a folder to be made")

	const norm = "model.layers.0.input_layernorm.weight"
	at := func(all []safetensors.Tensor) int {
		return slices.IndexFunc(all, func(t safetensors.Tensor) bool { return t.Name == norm })
	}
	missing := reshape(t, dir, func(all []safetensors.Tensor) []safetensors.Tensor { return slices.Delete(all, at(all), at(all)+1) })
	misshapen := reshape(t, dir, func(all []safetensors.Tensor) []safetensors.Tensor {
		tensor := &all[at(all)]
		tensor.Shape, tensor.Data = []int64{8}, tensor.Data[:8*tensor.DType.Size()]
		return all
	})
	for _, bad := range []struct{ folder, word string }{
		{missing, "no tensor " + norm + ", expected one of shape [16]"},
		{misshapen, "tensor " + norm + " has shape [8], expected [16] by config.json"},
	} {
		p.hone(t, "model", "import", bad.folder).says(t, 2, bad.folder+"/model.safetensors: ", bad.word)
	}
	d := digest(t, p.must(t, "model", "import", dir))
	if again := digest(t, p.must(t, "models", "import", dir)); again != d {
		t.Errorf("imported again: got %s, want %s", again, d)
	}
	if out := p.must(t, "run", based(d), "--until", "untrained"); !strings.Contains(out, "has stopped after untrained") {
		t.Errorf("want the run to stop after untrained\n%s", out)
	}
	var graph struct{ Root string }
	if err := json.Unmarshal([]byte(p.must(t, "lineage", "--json", run+"/hints")), &graph); err != nil {
		t.Fatal(err)
	}
	p.hone(t, "run", based(graph.Root)).says(t, 2, "spec.yaml:", "model.base "+graph.Root+": it is of kind dataset, expected a model")
	none := string(artifacts.Of([]byte("no model")))
	p.hone(t, "run", based(none)).says(t, 2, "model.base "+none+": the store has no such model")

	config := filepath.Join(dir, "config.json")
	made := digest(t, p.must(t, "model", "new", config, "--seed", "3", "--tokenizer", dir))
	if again := digest(t, p.must(t, "model", "new", config, "--seed", "3", "--tokenizer", dir)); again != made || made == d {
		t.Errorf("made again: got %s, want %s", again, made)
	}
	if out := p.must(t, "model", "show", made); !strings.Contains(out, "new, with random weights of seed 3") {
		t.Errorf("want its source in\n%s", out)
	}
	if out := p.must(t, "model", "list"); !strings.Contains(out, d) || !strings.Contains(out, made) {
		t.Errorf("want both models in\n%s", out)
	}
	if out := p.must(t, "run", based(made), "--until", "untrained"); !strings.Contains(out, "has stopped after untrained") {
		t.Errorf("want the run to stop after untrained\n%s", out)
	}

	if err := os.Remove(filepath.Join(dir, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	p.hone(t, "models", "import", dir).says(t, 2, dir+": no tokenizer.json", "no model.safetensors", "expected a Hugging Face model folder")
}

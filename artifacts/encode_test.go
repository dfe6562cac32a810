package artifacts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hone-rl/hone/artifacts"
)

const (
	digestA = artifacts.Digest("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") // abc
	digestE = artifacts.Digest("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") // empty
)

// The canonical form was written by hand; its digest is sha256sum's.
const (
	golden = `{"inputs":[{"digest":"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","role":"games"},` +
		`{"digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","role":"games"},` +
		`{"digest":"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","role":"model"}],` +
		`"kind":"dataset","mediaType":"application/vnd.hone.manifest.v1+json",` +
		`"outputs":[{"digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","mediaType":"application/jsonl","name":"a/x.jsonl","size":0},` +
		`{"digest":"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","mediaType":"text/plain","name":"b","size":3}],` +
		`"parameters":{"a":"<é>","b":[1,1e-7,100000000000000000000,0.1]},` +
		`"producer":{"name":"hints","version":"1.0.0"},"schemaVersion":1}`
	goldenDigest = "sha256:56d94672769b6237b5a73c98b87143fa6b4aea5d3d6dcb65f8d8d9b21cbc0844"
)

func goldenManifest() artifacts.Manifest {
	return artifacts.Manifest{
		Kind:       artifacts.KindDataset,
		Producer:   artifacts.Producer{Name: "hints", Version: "1.0.0"},
		Parameters: json.RawMessage("{ \"b\": [1.0, 0.0000001, 1e20, 1.0e-1],\n \"a\": \"\\u003c\\u00e9>\" }"),
		Inputs:     []artifacts.Input{{"model", digestA}, {"games", digestE}, {"games", digestA}},
		Outputs: []artifacts.Output{
			{"b", artifacts.Descriptor{MediaType: "text/plain", Digest: digestA, Size: 3}},
			{"a/x.jsonl", artifacts.Descriptor{MediaType: "application/jsonl", Digest: digestE}},
		},
	}
}

func TestEncodeGolden(t *testing.T) {
	m := goldenManifest()
	got, err := artifacts.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(golden, string(got)); diff != "" {
		t.Errorf("canonical JSON (-want +got):\n%s", diff)
	}
	if d := artifacts.Of(got); d != goldenDigest {
		t.Errorf("digest %s, want %s", d, goldenDigest)
	}
	if diff := cmp.Diff(goldenManifest(), m); diff != "" {
		t.Errorf("Encode changed its argument (-before +after):\n%s", diff)
	}
	back, err := artifacts.Decode(got)
	if err != nil {
		t.Fatal(err)
	}
	again, err := artifacts.Encode(*back)
	if err != nil || string(again) != golden {
		t.Errorf("decoded and encoded again: %v\n%s", err, again)
	}
}

func TestEncodeEmpty(t *testing.T) {
	got, err := artifacts.Encode(artifacts.Manifest{Kind: "run", Producer: artifacts.Producer{Name: "n", Version: "v"}})
	want := `{"inputs":[],"kind":"run","mediaType":"application/vnd.hone.manifest.v1+json","outputs":[],` +
		`"producer":{"name":"n","version":"v"},"schemaVersion":1}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestEncodeRefuses(t *testing.T) {
	output := func(name string) []artifacts.Output {
		return []artifacts.Output{{name, artifacts.Descriptor{MediaType: "text/plain", Digest: digestA}}}
	}
	tests := []struct {
		name   string
		change func(*artifacts.Manifest)
		want   string // in the error
	}{
		{"schema version", func(m *artifacts.Manifest) { m.SchemaVersion = 2 }, "schemaVersion: 2, expected 1"},
		{"media type", func(m *artifacts.Manifest) { m.MediaType = "text/plain" }, "mediaType"},
		{"kind", func(m *artifacts.Manifest) { m.Kind = "thing" }, `kind: "thing"`},
		{"producer", func(m *artifacts.Manifest) { m.Producer.Version = "" }, "producer"},
		{"parameters no object", func(m *artifacts.Manifest) { m.Parameters = json.RawMessage(`[1]`) }, "parameters"},
		{"parameters null", func(m *artifacts.Manifest) { m.Parameters = json.RawMessage(`null`) }, "parameters"},
		{"parameters broken", func(m *artifacts.Manifest) { m.Parameters = json.RawMessage(`{"a":}`) }, "parameters"},
		{"parameters twice a key", func(m *artifacts.Manifest) { m.Parameters = json.RawMessage(`{"a":1,"a":2}`) }, "a"},
		{"a seed that would be rounded", func(m *artifacts.Manifest) {
			m.Parameters = json.RawMessage(`{"seed":9007199254740993}`)
		}, "9007199254740993"},
		{"a seed beyond 64 bits", func(m *artifacts.Manifest) {
			m.Summary = json.RawMessage(`{"seed":-99999999999999999999}`)
		}, "-99999999999999999999"},
		{"no such number", func(m *artifacts.Manifest) { m.Parameters = json.RawMessage(`{"a":1e999}`) }, "1e999"},
		{"role", func(m *artifacts.Manifest) { m.Inputs[1].Role = "" }, "inputs[0].role"},
		{"input digest", func(m *artifacts.Manifest) { m.Inputs[0].Digest = "sha256:AB" }, "sha256:AB"},
		{"input twice", func(m *artifacts.Manifest) { m.Inputs[1] = m.Inputs[0] }, "twice"},
		{"output absolute", func(m *artifacts.Manifest) { m.Outputs = output("/etc/passwd") }, "relative"},
		{"output above", func(m *artifacts.Manifest) { m.Outputs = output("a/../../b") }, "relative"},
		{"output dot", func(m *artifacts.Manifest) { m.Outputs = output("./a") }, "relative"},
		{"output empty", func(m *artifacts.Manifest) { m.Outputs = output("") }, "relative"},
		{"output folder", func(m *artifacts.Manifest) { m.Outputs = output("a/") }, "relative"},
		{"output backslash", func(m *artifacts.Manifest) { m.Outputs = output(`a\b`) }, "backslash"},
		{"output control", func(m *artifacts.Manifest) { m.Outputs = output("a\nb") }, "printable"},
		{"output not UTF-8", func(m *artifacts.Manifest) { m.Outputs = output("a\xff") }, "printable"},
		{"output long", func(m *artifacts.Manifest) { m.Outputs = output(strings.Repeat("a", 256)) }, "256 bytes"},
		{"output twice", func(m *artifacts.Manifest) { m.Outputs = append(output("a"), output("a")...) }, "twice"},
		{"output in a file", func(m *artifacts.Manifest) { m.Outputs = append(output("a/b"), output("a")...) }, "folder"},
		{"output size", func(m *artifacts.Manifest) { m.Outputs[0].Size = -1 }, "size"},
		{"output digest", func(m *artifacts.Manifest) { m.Outputs[0].Digest = "" }, "digest"},
		{"output media type", func(m *artifacts.Manifest) { m.Outputs[0].MediaType = "text" }, "mediaType"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := goldenManifest()
			tt.change(&m)
			if _, err := artifacts.Encode(m); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

var notCanonical = []struct{ name, json string }{
	{"empty", ""},
	{"null", "null"},
	{"no object", "[]"},
	{"cut", golden[:len(golden)-1]},
	{"space behind", golden + " "},
	{"line feed behind", golden + "\n"},
	{"two", golden + golden},
	{"space inside", strings.Replace(golden, ":", ": ", 1)},
	{"unknown field", strings.Replace(golden, `"kind"`, `"extra":1,"kind"`, 1)},
	{"unknown field of an output", strings.Replace(golden, `"size":0}`, `"size":0,"urls":[]}`, 1)},
	{"other case", strings.Replace(golden, `"kind"`, `"Kind"`, 1)},
	{"escaped", strings.Replace(golden, `<é>`, `\u003cé>`, 1)},
	{"number spelt otherwise", strings.Replace(golden, `[1,`, `[1.0,`, 1)},
	{"inputs swapped", strings.Replace(golden, `"role":"model"`, `"role":"a"`, 1)},
	{"outputs swapped", strings.Replace(golden, `"name":"b"`, `"name":"a/w"`, 1)},
	{"null inputs", `{"inputs":null,"kind":"run","mediaType":"application/vnd.hone.manifest.v1+json","outputs":[],` +
		`"producer":{"name":"n","version":"v"},"schemaVersion":1}`},
	{"no version", strings.Replace(golden, `,"schemaVersion":1`, ``, 1)},
	{"key twice", strings.Replace(golden, `"kind":"dataset",`, `"kind":"dataset","kind":"dataset",`, 1)},
	{"not UTF-8", strings.Replace(golden, `é`, "\xe9", 1)},
}

func TestDecodeRefuses(t *testing.T) {
	for _, tt := range notCanonical {
		t.Run(tt.name, func(t *testing.T) {
			if m, err := artifacts.Decode([]byte(tt.json)); err == nil {
				t.Errorf("got %+v, want an error", m)
			}
		})
	}
}

// FuzzDecode: what is accepted is the one encoding of what it says.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(golden))
	for _, tt := range notCanonical {
		f.Add([]byte(tt.json))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := artifacts.Decode(b)
		if err != nil {
			return
		}
		again, err := artifacts.Encode(*m)
		if err != nil || string(again) != string(b) {
			t.Errorf("accepted %q, which encodes as %q, %v", b, again, err)
		}
	})
}

func TestParseDigest(t *testing.T) {
	if d, err := artifacts.ParseDigest(string(digestA)); err != nil || d != artifacts.Of([]byte("abc")) || d.Short() != "ba7816bf8f01" {
		t.Errorf("got %s, %v, want the digest of abc", d, err)
	}
	hex := digestA.Hex()
	for _, bad := range []string{
		"", hex, "sha256:", "sha256:" + hex[1:], "sha256:" + hex + "0", "sha256:" + strings.ToUpper(hex),
		"sha512:" + hex, "sha256:" + hex[1:] + "g", "sha256:../" + hex[3:],
	} {
		if _, err := artifacts.ParseDigest(bad); err == nil {
			t.Errorf("ParseDigest(%q): no error", bad)
		}
	}
}

func TestNameRecord(t *testing.T) {
	// check is printf 'runs/x\nsha256:ba78…\n' | sha256sum.
	const want = `{"check":"sha256:4d1e784c73cabf2c29d1d07df2ddab4087f46986ad985f2fead734fc7c4a6681","digest":"` + string(digestA) + `","name":"runs/x"}`
	got, err := artifacts.EncodeName("runs/x", digestA)
	if err != nil || string(got) != want {
		t.Errorf("EncodeName: got %s, %v, want %s", got, err, want)
	}
	if d, err := artifacts.DecodeName("runs/x", got); err != nil || d != digestA {
		t.Errorf("DecodeName: got %s, %v, want %s", d, err, digestA)
	}
	if _, err := artifacts.DecodeName("runs/y", got); err == nil {
		t.Error("DecodeName under another name: no error")
	}
}

func FuzzDecodeName(f *testing.F) {
	record, err := artifacts.EncodeName("runs/x", digestA)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("runs/x", record)
	f.Add("runs/y", record)
	f.Add("", []byte(`{"check":"","digest":"","name":""}`))
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		d, err := artifacts.DecodeName(name, b)
		if err != nil {
			return
		}
		if again, err := artifacts.EncodeName(name, d); err != nil || string(again) != string(b) {
			t.Errorf("accepted %q, which encodes as %q, %v", b, again, err)
		}
	})
}

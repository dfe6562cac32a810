package signature_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/artifacts/signature"
)

// The key is that of RFC 8032, section 7.1, test 1. Its files, its id and the envelope are what Python's cryptography made of it.
const (
	seed       = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
	privatePEM = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----\n"
	publicPEM  = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n"
	keyID      = "06e3fd8fda29bb60ab59557de61edb0aecdb231134be30e75b455f8e1b792fa9"

	manifest       = `{"inputs":[],"kind":"model","mediaType":"application/vnd.hone.manifest.v1+json","outputs":[],"producer":{"name":"hone","version":"test"},"schemaVersion":1}`
	manifestDigest = artifacts.Digest("sha256:20c6a3a3b9d3a48faf17013c7cf07841dde2c658eb0cf00cd8a4680c14e8672c")
	payload        = "eyJpbnB1dHMiOltdLCJraW5kIjoibW9kZWwiLCJtZWRpYVR5cGUiOiJhcHBsaWNhdGlvbi92bmQuaG9uZS5tYW5pZmVzdC52MStqc29uIiwib3V0cHV0cyI6W10sInByb2R1Y2VyIjp7Im5hbWUiOiJob25lIiwidmVyc2lvbiI6InRlc3QifSwic2NoZW1hVmVyc2lvbiI6MX0="
	sig            = "fZRvJLjyHzzFOojcAALX5hYpIEOmfvk9Kz+ox4pZEQ5a2tpCdm309X9d+63AyEsnCJsqA1uowydR9sfvq+6aAw=="
	envelope       = `{"payload":"` + payload + `","payloadType":"application/vnd.hone.manifest.v1+json","signatures":[{"keyid":"` + keyID + `","sig":"` + sig + `"}]}`
)

func testKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	raw, err := hex.DecodeString(seed)
	if err != nil {
		t.Fatal(err)
	}
	return ed25519.NewKeyFromSeed(raw)
}

func public(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

// TestKnown: a fixed key and a fixed manifest give the envelope that another implementation made, and it holds.
func TestKnown(t *testing.T) {
	key := testKey(t)
	got, err := signature.Of([]byte(manifest), key)
	if err != nil || string(got) != envelope {
		t.Errorf("got %s, %v, want %s", got, err, envelope)
	}
	if err := signature.Verify([]byte(envelope), manifestDigest, public(key)); err != nil {
		t.Error(err)
	}
	if id, err := signature.IDOf(public(key)); err != nil || id != keyID {
		t.Errorf("got key %s, %v, want %s", id, err, keyID)
	}
	if got, want := signature.Name(manifestDigest, keyID), "signatures/"+manifestDigest.Hex()+"/"+keyID; got != want {
		t.Errorf("got name %s, want %s", got, want)
	}
	safe := strings.NewReplacer("+", "-").Replace(sig) // the alphabet for URLs, which DSSE allows
	if err := signature.Verify([]byte(strings.Replace(envelope, sig, safe, 1)), manifestDigest, public(key)); err != nil {
		t.Error(err)
	}
}

// TestVerifyRefuses: whatever is changed in an envelope, it does not hold, and why is said.
func TestVerifyRefuses(t *testing.T) {
	key := public(testKey(t))
	other := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	byOther, err := signature.Of([]byte(manifest), other)
	if err != nil {
		t.Fatal(err)
	}
	swap := func(from, to string) string { return strings.Replace(envelope, from, to, 1) }
	for name, tt := range map[string]struct{ envelope, want string }{
		"cut":            {envelope[:len(envelope)-30], "envelope: "},
		"nothing":        {"", "envelope: "},
		"more behind":    {envelope + "{}", "more behind its JSON"},
		"another key":    {string(byOther), "none of its 1 signatures is by key 06e3fd8fda29"},
		"another's id":   {strings.Replace(string(byOther), `"keyid":"`, `"keyid":"`+keyID+`x`, 1), "none of its 1 signatures"},
		"another type":   {swap("hone.manifest", "hone.record"), `payloadType: "application/vnd.hone.record.v1+json"`},
		"another bytes":  {swap("eyJpbnB1", "eyJpbnB2"), "it signs the manifest sha256:"},
		"another sig":    {swap("fZRv", "fZRw"), "none of its 1 signatures"},
		"short sig":      {swap(sig, sig[:84]), "none of its 1 signatures"},
		"no base64":      {swap("fZRv", "fZ!v"), "signatures[0].sig: "},
		"no payload":     {swap(payload, ""), "it signs the manifest " + string(artifacts.Of(nil))},
		"no signatures":  {envelope[:strings.Index(envelope, "[")] + "[]}", "signatures: 0, expected 1 to 64"},
		"unknown field":  {swap(`{"payload"`, `{"x":1,"payload"`), "unknown field"},
		"too many":       {strings.Replace(envelope, `[{"`, `[`+strings.Repeat(`{"sig":""},`, 64)+`{"`, 1), "signatures: 65"},
		"padding is off": {swap("MX0=", "MX1="), "payload: "},
	} {
		if err := signature.Verify([]byte(tt.envelope), manifestDigest, key); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if err := signature.Verify([]byte(envelope), manifestDigest, key[:31]); err == nil {
		t.Error("a short key verifies")
	}
	two := strings.Replace(string(byOther), `]}`, `,{"sig":"`+sig+`"}]}`, 1) // the id only hints
	if err := signature.Verify([]byte(two), manifestDigest, key); err != nil {
		t.Errorf("a second signature, without an id: %v", err)
	}
}

// TestStore: a stored manifest is signed under a name of its own, once.
func TestStore(t *testing.T) {
	store, key := mem.New(), testKey(t)
	d, err := artifacts.PutBytes(t.Context(), store, artifacts.MediaTypeManifest, []byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := signature.Store(t.Context(), store, d.Digest, key, keyID); err != nil {
			t.Fatal(err)
		}
	}
	at, err := store.Resolve(t.Context(), signature.Name(manifestDigest, keyID))
	if err != nil || at != artifacts.Of([]byte(envelope)) {
		t.Errorf("got %s, %v, want the envelope %s", at, err, artifacts.Of([]byte(envelope)))
	}
	blobs := 0
	if err := store.Blobs(context.Background(), func(artifacts.Digest, int64) error { blobs++; return nil }); err != nil || blobs != 2 {
		t.Errorf("%d blobs, %v, want the manifest and its envelope", blobs, err)
	}
	if err := signature.Store(t.Context(), store, artifacts.Of(nil), key, keyID); !errors.Is(err, artifacts.ErrNotFound) {
		t.Errorf("a manifest that is not there: got %v", err)
	}
}

func TestParseName(t *testing.T) {
	good := signature.Name(manifestDigest, keyID)
	if d, id, err := signature.ParseName(good); err != nil || d != manifestDigest || id != keyID {
		t.Errorf("got %s, %s, %v", d, id, err)
	}
	for _, bad := range []string{"", "signatures/", good + "/x", good[:len(good)-1], "names" + good, "signatures/" + strings.ToUpper(manifestDigest.Hex()) + "/" + keyID} {
		if _, _, err := signature.ParseName(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// TestKeyFiles: keys in files, as other programs write them too; a new one is its owner's alone and replaces none.
func TestKeyFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	private, open := write("key", privatePEM), write("key.pub", publicPEM)
	if key, err := signature.ReadPrivate(private); err != nil || !key.Equal(testKey(t)) {
		t.Errorf("private: %v", err)
	}
	if key, err := signature.ReadPublic(open); err != nil || !key.Equal(public(testKey(t))) {
		t.Errorf("public: %v", err)
	}
	if _, err := signature.NewKey(private); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a key that is there: got %v", err)
	}
	lone := write("lone.pub", publicPEM)
	if _, err := signature.NewKey(strings.TrimSuffix(lone, ".pub")); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a public half that is there: got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a private half without its public one is left: %v", err)
	}
	file := filepath.Join(dir, "new")
	id, err := signature.NewKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file for its owner alone", info.Mode(), err)
	}
	made, err := signature.ReadPrivate(file)
	if err != nil {
		t.Fatal(err)
	}
	half, err := signature.ReadPublic(signature.PublicFile(file))
	if err != nil || !half.Equal(made.Public()) {
		t.Errorf("the halves do not belong together: %v", err)
	}
	if got, err := signature.IDOf(half); err != nil || got != id {
		t.Errorf("got id %s, %v, want %s", got, err, id)
	}
	for name, tt := range map[string]struct{ file, want string }{
		"public":  {open, "a PUBLIC KEY, expected a PRIVATE KEY"},
		"no PEM":  {write("text", "secret text"), "expected PEM"},
		"no key":  {write("empty", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"), "empty: "},
		"large":   {write("large", strings.Repeat("x", 20<<10)), "expected at most 16384"},
		"missing": {filepath.Join(dir, "nothing"), "nothing: no such file"},
		"folder":  {dir, "expected a regular file"},
	} {
		if _, err := signature.ReadPrivate(tt.file); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if _, err := signature.ReadPublic(private); err == nil || !strings.Contains(err.Error(), "a PRIVATE KEY, expected a PUBLIC KEY") {
		t.Errorf("a private key for a public one: got %v", err)
	}
}

// FuzzVerify: nothing but an envelope of the key's own holds, and nothing panics. What is read and written again is the same envelope.
func FuzzVerify(f *testing.F) {
	f.Add([]byte(envelope))
	f.Add([]byte(`{"payload":"","payloadType":"","signatures":[{"sig":"-_=="}]}`))
	f.Add([]byte(`{"payload":null,"signatures":[null]}`))
	key := public(testKey(f))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := signature.Decode(raw)
		if err != nil {
			return
		}
		again, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		same, err := signature.Decode(again)
		if err != nil || !bytes.Equal(same.Payload, e.Payload) || len(same.Signatures) != len(e.Signatures) {
			t.Fatalf("got %+v, %v, want %+v", same, err, e)
		}
		if err := signature.Verify(raw, manifestDigest, key); err == nil && string(e.Payload) != manifest {
			t.Fatalf("%q holds", raw)
		}
	})
}

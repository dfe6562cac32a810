package artifacts_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
)

// made stores an artifact of the given kind, made from inputs whose roles are their places.
func made(t *testing.T, s artifacts.Store, kind artifacts.Kind, version string, inputs ...artifacts.Digest) artifacts.Digest {
	t.Helper()
	m := artifacts.Manifest{Kind: kind, Producer: artifacts.Producer{Name: "test", Version: version}}
	for i, d := range inputs {
		m.Inputs = append(m.Inputs, artifacts.Input{Role: string(rune('a' + i)), Digest: d})
	}
	desc, err := artifacts.PutManifest(t.Context(), s, m)
	if err != nil {
		t.Fatal(err)
	}
	return desc.Digest
}

func TestWalk(t *testing.T) {
	s := mem.New()
	games := made(t, s, artifacts.KindGames, "1")
	dataset := made(t, s, artifacts.KindDataset, "1", games)
	teacher := made(t, s, artifacts.KindAdapter, "1", dataset, games)
	panel := made(t, s, artifacts.KindGames, "2")
	lost := artifacts.Of([]byte("lost"))
	report := made(t, s, artifacts.KindReport, "1", teacher, panel, lost, dataset)

	var got []artifacts.Digest
	err := artifacts.Walk(t.Context(), s, report, func(d artifacts.Digest, m *artifacts.Manifest, err error) error {
		got = append(got, d)
		switch {
		case d == lost && (m != nil || !errors.Is(err, artifacts.ErrNotFound) || !strings.Contains(err.Error(), "input c of report "+report.Short())):
			t.Errorf("lost input: got %v, %v, want ErrNotFound and where it was named", m, err)
		case d != lost && (m == nil || err != nil):
			t.Errorf("%s: got %v, %v, want its manifest", d, m, err)
		}
		return nil
	})
	if want := []artifacts.Digest{report, teacher, dataset, games, panel, lost}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}

	stop := errors.New("enough")
	n := 0
	err = artifacts.Walk(t.Context(), s, report, func(artifacts.Digest, *artifacts.Manifest, error) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("a visit that fails: got %v after %d, want its error after 1", err, n)
	}
}

func TestGetManifestRefusesOtherBlobs(t *testing.T) {
	s := mem.New()
	desc, err := artifacts.PutBytes(t.Context(), s, "text/plain", []byte("no manifest"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := artifacts.GetManifest(t.Context(), s, desc.Digest); err == nil || !strings.Contains(err.Error(), string(desc.Digest)) {
		t.Errorf("got %v, want an error that names the blob", err)
	}
}

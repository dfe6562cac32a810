package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
	"github.com/hone-rl/hone/version"
)

// TestRepetition: a run is repeated as the next of its kind, up to the stage that is asked for.
func TestRepetition(t *testing.T) {
	store := mem.New()
	spec, err := readSpec("../experiments/skill1-tiny.yaml")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	d, err := artifacts.PutManifest(t.Context(), store, artifacts.Manifest{
		Kind: artifacts.KindRun, Producer: artifacts.Producer{Name: "hone", Version: version.Hone}, Parameters: whole,
	})
	if err != nil {
		t.Fatal(err)
	}
	name(t, store, activities.RunName("r-1", "spec"), d.Digest)
	for at, until := range map[string]string{"": "", "hints": "hints", "panels/validation": "panels", "cold_start": "cold_start", "grpo": "grpo"} {
		in, err := repetition(t.Context(), store, "r-1", at)
		if err != nil || in.Run != "r-1-again-1" || in.Until != until || in.Pace.Word != in.Run || in.Pace.At != at {
			t.Errorf("%q: got %+v, %v, want r-1-again-1 until %q", at, in, err, until)
		}
	}
	name(t, store, activities.RunName("r-1-again-1", "spec"), d.Digest)
	if in, err := repetition(t.Context(), store, "r-1", ""); err != nil || in.Run != "r-1-again-2" {
		t.Errorf("a second time: %+v, %v", in, err)
	}
	storeRun(t, store, "old-1")
	for _, c := range []struct{ run, stage, want string }{
		{"nobody-1", "", "no run \"nobody-1\""}, {"r-1", "teacher", "has none of that name, expected one of [games "}, {"old-1", "", "was made by hone " + lineagetest.Producer.Version},
	} {
		_, err := repetition(t.Context(), store, c.run, c.stage)
		var coded coded
		if !asCoded(err, &coded) || coded.code != exitUsage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: got %v, want %q", c.run, c.stage, err, c.want)
		}
	}
}

// TestWriteRepetition: what was done anew is told, with what differs, and a broken promise ends with 3.
func TestWriteRepetition(t *testing.T) {
	a, b, share := artifacts.Of([]byte("a")), artifacts.Of([]byte("b")), 2.5e-7
	all := []lineage.Repeated{
		{Stage: "games", Before: a, Again: a, Same: true, Reused: true},
		{Stage: "hints", Before: a, Again: a, Same: true},
		{Stage: "teacher", Before: a, Again: b, Classes: [2]string{"AVX2", "AVX512"}, Parted: []lineage.Parted{
			{Part: "model.safetensors", How: "1 of 2 tensors, by 0.5 at most (w)", Share: &share}, {Part: "README.md", How: "other bytes"},
		}},
		{Stage: "report", Before: a, Again: b, Parted: []lineage.Parted{{Part: "inputs", How: "teacher: x and y"}}},
		{Stage: "run", Before: a, Again: b},
	}
	var got strings.Builder
	err := writeRepetition(&got, all)
	want := `hints    same     ca978112ca1b
teacher  DIFFERS  ca978112ca1b and 3e23e8160039
         equal digests are not promised here: done on "AVX2" before, on "AVX512" now
         model.safetensors: 1 of 2 tensors, by 0.5 at most (w); numbers apart by 2.5e-07 of their size
         README.md: other bytes
report   DIFFERS  ca978112ca1b and 3e23e8160039
         inputs: teacher: x and y
3 stages done anew, 1 of them with the digest that it had
`
	if err != nil || got.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got.String(), want)
	}
	if err := broken(all); err != nil {
		t.Errorf("another class, and what follows from it: %v", err)
	}
	all[2].Classes[1] = "AVX2"
	var c coded
	if err := broken(all); !asCoded(err, &c) || c.code != exitFound || !strings.Contains(err.Error(), "stage teacher ") {
		t.Errorf("the same class: %v", err)
	}
}

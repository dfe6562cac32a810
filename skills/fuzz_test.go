package skills_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/hone-rl/hone/skills"
)

// What is read is written again byte for byte.
func FuzzDecode(f *testing.F) {
	l, episodes := busy(f)
	next, _ := take(f, l, episodes...)
	for _, l := range []*skills.Library{l, next, library(f, skills.Rules{})} {
		s := encode(f, l)
		f.Add(s.Skills, s.Vectors)
	}
	f.Add([]byte("{}\n"), []byte{})
	f.Fuzz(func(t *testing.T, text, vectors []byte) {
		s := skills.Snapshot{Skills: text, Vectors: vectors}
		l, err := skills.Decode(s)
		if err != nil {
			return
		}
		again, err := l.Encode()
		if err != nil || !bytes.Equal(again.Skills, text) || !bytes.Equal(again.Vectors, vectors) {
			t.Errorf("%v: %q is written as %q", err, text, again.Skills)
		}
	})
}

// What is read is written again byte for byte, and applying it is done or refused, never a panic.
func FuzzDecodeChanges(f *testing.F) {
	l, episodes := busy(f)
	next, changes := take(f, l, episodes...)
	_, none := take(f, next)
	for _, c := range []skills.Changes{changes, none} {
		files := encodeChanges(f, c)
		f.Add(files.Changes, files.Born)
	}
	f.Fuzz(func(t *testing.T, text, vectors []byte) {
		files := skills.ChangeFiles{Changes: text, Born: vectors}
		c, err := skills.DecodeChanges(files)
		if err != nil {
			return
		}
		again, err := c.Encode()
		if err != nil || !reflect.DeepEqual(again, files) {
			t.Errorf("%v: %q is written as %q", err, text, again.Changes)
		}
		c.Before = digest(t, l)
		if next, err := l.Apply(c); (next == nil) == (err == nil) {
			t.Errorf("a library and an error, or neither: %v", err)
		}
		_, _ = skills.Life(idOf("A"), l, c)
	})
}

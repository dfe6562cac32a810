// Package storetest is the conformance suite that every artifacts.Store passes.
package storetest

import (
	"testing"
	"time"

	"github.com/hone-rl/hone/artifacts"
)

// Harness is an empty store and the means to damage what it keeps behind its back: flipping the lowest bit of byte i
// of a blob, or of what is stored under a name.
type Harness struct {
	Store    artifacts.Remover
	FlipBlob func(t *testing.T, d artifacts.Digest, i int)
	FlipName func(t *testing.T, name string, i int)

	// Age makes a blob as old as if it had been stored that long ago.
	Age func(t *testing.T, d artifacts.Digest, by time.Duration)

	// LargeSize is the size in bytes of a blob that the store keeps in its way for large ones; 0 where it has none.
	LargeSize int
}

// Run runs the suite; open is called once for each of its tests.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	tests := []struct {
		name string
		test func(t *testing.T, h Harness)
	}{
		{"Put", testPut},
		{"PutTwice", testPutTwice},
		{"PutFromMiddle", testPutFromMiddle},
		{"PutLarge", testPutLarge},
		{"PutSameAtOnce", testPutSameAtOnce},
		{"PutReadError", testPutReadError},
		{"OpenMissing", testOpenMissing},
		{"FlippedBlob", testFlippedBlob},
		{"Name", testName},
		{"NameRefused", testNameRefused},
		{"NameFolders", testNameFolders},
		{"NameRace", testNameRace},
		{"FlippedName", testFlippedName},
		{"Names", testNames},
		{"Blobs", testBlobs},
		{"Cancelled", testCancelled},
		{"Artifact", testArtifact},
		{"Remove", testRemove},
		{"RemoveRefused", testRemoveRefused},
		{"Used", testUsed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.test(t, open(t)) })
	}
}

package mem_test

import (
	"testing"
	"time"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/artifacts/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Harness {
		s := mem.New()
		return storetest.Harness{
			Store:    s,
			FlipBlob: func(_ *testing.T, d artifacts.Digest, i int) { s.FlipBlob(d, i) },
			FlipName: func(_ *testing.T, name string, i int) { s.FlipName(name, i) },
			Age:      func(_ *testing.T, d artifacts.Digest, by time.Duration) { s.Age(d, by) },
		}
	})
}

package tokenizer

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
)

// Bounds of the cache: at most 16 × 4,096 pieces of at most 256 bytes.
const (
	cacheShards  = 16
	cacheEntries = 4096
	cachePiece   = 256
)

// cache remembers the ids of pieces. A shard that is full starts anew.
type cache struct {
	seed   maphash.Seed // decides only where an entry lies
	shards [cacheShards]struct {
		sync.RWMutex
		ids map[string][]int32
	}
}

func newCache() *cache { return &cache{seed: maphash.MakeSeed()} }

// get returns the ids of a piece; the caller must not change them.
func (c *cache) get(piece string) ([]int32, bool) {
	if len(piece) > cachePiece {
		return nil, false
	}
	shard := &c.shards[maphash.String(c.seed, piece)%cacheShards]
	shard.RLock()
	defer shard.RUnlock()
	ids, ok := shard.ids[piece]
	return ids, ok
}

// put keeps copies, for a piece is part of a larger text.
func (c *cache) put(piece string, ids []int32) {
	if len(piece) > cachePiece {
		return
	}
	shard := &c.shards[maphash.String(c.seed, piece)%cacheShards]
	shard.Lock()
	defer shard.Unlock()
	if shard.ids == nil || len(shard.ids) >= cacheEntries {
		shard.ids = make(map[string][]int32)
	}
	shard.ids[strings.Clone(piece)] = slices.Clone(ids)
}

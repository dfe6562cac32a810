package lineage

import (
	"math"

	"github.com/hone-rl/hone/agent/rollout"
)

// heard is what of a step's episodes tells how they were played, where nothing else does.
type heard struct {
	lessons bool // some were asked for one
	looked  bool // some looked for skills
	bare    bool // some played without the library
	// shown are the most skills that an episode was shown; fewest the fewest of those that had found more than that.
	shown, fewest int
}

const noFewest = math.MaxInt

func (h *heard) hear(e rollout.Episode) {
	for _, s := range e.Said {
		h.lessons = h.lessons || s.Phase == rollout.Distil
		h.looked = h.looked || s.Phase == rollout.Query || s.Phase == rollout.Rank
	}
	h.looked = h.looked || len(e.Found) > 0
	h.bare = h.bare || e.Bare
	h.shown = max(h.shown, len(e.Shown))
	if len(e.Found) > len(e.Shown) && len(e.Order) > 0 {
		h.fewest = min(h.fewest, len(e.Shown))
	}
}

// join is what two steps of a training tell together.
func (h heard) join(other heard) heard {
	return heard{
		h.lessons || other.lessons, h.looked || other.looked, h.bare || other.bare, max(h.shown, other.shown), min(h.fewest, other.fewest),
	}
}

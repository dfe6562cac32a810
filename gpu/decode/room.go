package decode

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
)

// room is the cache and who has which part of it. It grows as it is needed, up to a budget; from there on what is only
// remembered makes way.
type room struct {
	cache     *nn.Cache // nil until something is computed
	prefixes  *prefixes
	slots     int // tokens that the cache has room for
	lanes     int
	freeLanes []int
	budget    int // tokens
	recurrent bool
}

// First sizes of a cache. It doubles from there.
const (
	firstSlots = 4096
	firstLanes = 16
	// mostSlots bounds the budget that follows from memory: beyond it prompts seldom come again.
	mostSlots = 1 << 16
)

// open finds out what a token takes and makes the first cache.
func (r *room) open(e *torch.Engine, model nn.Decoder, budget int) {
	if r.cache != nil {
		return
	}
	probe := model.NewCache(torch.PageRows, 1)
	token := int64(0)
	for _, l := range probe.Layers {
		for _, t := range []*torch.Tensor{l.Keys, l.Values} {
			if t != nil {
				token += t.Elements() * int64(t.DType().Size()) / torch.PageRows
			}
		}
	}
	r.recurrent = probe.Recurrent()
	probe.Free()
	if r.budget = budget; budget == 0 {
		r.budget = int(min(max(memory(e)/4/max(token, 1), 1024), mostSlots))
	}
	r.prefixes = newPrefixes(func(lane int) { r.freeLanes = append(r.freeLanes, lane) })
	r.resize(e, model, min(firstSlots, pagesFor(r.budget)*torch.PageRows), firstLanes)
}

// memory is what the device has left, in bytes.
func memory(e *torch.Engine) int64 {
	if m := e.Memory(); m.Total > 0 {
		return m.Total - max(m.Allocated, m.Reserved)
	}
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }() // only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == "MemAvailable:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return 0
}

// resize makes a larger cache and copies what there is.
func (r *room) resize(e *torch.Engine, model nn.Decoder, slots, lanes int) {
	if !r.recurrent {
		lanes = 1 // no layer has any
	}
	fresh := model.NewCache(slots, lanes)
	if r.cache != nil {
		copyCache(e, fresh, r.cache)
		r.cache.Free()
	}
	r.prefixes.grow(int64(r.slots/torch.PageRows), int64(slots/torch.PageRows))
	if r.recurrent {
		for lane := lanes - 1; lane >= r.lanes; lane-- {
			r.freeLanes = append(r.freeLanes, lane)
		}
	}
	r.cache, r.slots, r.lanes = fresh, slots, lanes
}

func copyCache(e *torch.Engine, to, from *nn.Cache) {
	e.Scope(func() []*torch.Tensor {
		for i := range from.Layers {
			a, b := to.Layers[i], from.Layers[i]
			for _, pair := range [][2]*torch.Tensor{{a.Keys, b.Keys}, {a.Values, b.Values}, {a.Inputs, b.Inputs}, {a.State, b.State}} {
				if pair[1] != nil {
					pair[0].Narrow(0, 0, pair[1].Dim(0)).Copy(pair[1])
				}
			}
		}
		return nil
	})
}

// make has pages and lanes free, or says that they are not to be had. must grows beyond the budget.
func (r *room) make(e *torch.Engine, model nn.Decoder, pages, lanes int, must bool) bool {
	if !r.recurrent {
		lanes = 0
	}
	slots := r.slots
	for r.prefixes.available()+(slots-r.slots)/torch.PageRows < pages {
		if slots*2 > r.budget && !must {
			break
		}
		slots *= 2
	}
	// Rather a larger cache than one that forgets, as long as the budget lasts.
	if len(r.prefixes.free) < pages && slots == r.slots && slots*2 <= r.budget {
		slots *= 2
	}
	if r.prefixes.available()+(slots-r.slots)/torch.PageRows < pages {
		return false
	}
	for len(r.freeLanes) < lanes {
		n := r.prefixes.oldestState()
		if n == nil {
			break
		}
		r.prefixes.dropState(n)
	}
	all := r.lanes
	for len(r.freeLanes)+all-r.lanes < lanes {
		all *= 2
	}
	if slots > r.slots || all > r.lanes {
		r.resize(e, model, slots, all)
	}
	return true
}

// takeLanes gives n lanes, of which there must be so many; without recurrent layers they are all 0.
func (r *room) takeLanes(n int) []int {
	lanes := make([]int, n)
	if r.recurrent {
		copy(lanes, r.freeLanes[len(r.freeLanes)-n:])
		r.freeLanes = r.freeLanes[:len(r.freeLanes)-n]
	}
	return lanes
}

func (r *room) giveLanes(lanes ...int) {
	if r.recurrent {
		r.freeLanes = append(r.freeLanes, lanes...)
	}
}

// remember keeps a copy of a lane with the state behind a page, if a lane is to be had for it.
func (r *room) remember(e *torch.Engine, at *prefix, lane int) {
	if at.state >= 0 {
		return
	}
	if len(r.freeLanes) == 0 {
		oldest := r.prefixes.oldestState()
		if oldest == nil {
			return
		}
		r.prefixes.dropState(oldest)
	}
	at.state = r.takeLanes(1)[0]
	r.cache.CopyLane(e, lane, at.state)
}

package alfworld

import (
	"strconv"
	"strings"

	"github.com/hone-rl/hone/env/pddl"
)

// names are the objects as the player reads them, by object.
type names struct {
	name   []string // "sinkbasin 2"; "" for objects that no fact mentions
	base   []string // "sinkbasin"
	number []int
}

// nameObjects numbers the objects of each base that first facts mention, downwards along the bytewise order of ids.
// "sink_bar_…_bar_sinkbasin" is a sinkbasin while "sink_bar_…" is a sink. Ids without "_bar_" are no things but
// agents and types; their name is the id and a blank, as the reference engine has it.
func nameObjects(p *pddl.Problem) names {
	n := names{make([]string, p.Objects()), make([]string, p.Objects()), make([]int, p.Objects())}
	mentioned := p.Mentioned()
	left := map[string]int{}
	for o, is := range mentioned {
		id := p.ID(int32(o))
		base, _, thing := strings.Cut(id, "_bar_")
		if !is {
			continue
		}
		if !thing {
			n.base[o], n.name[o] = id, id+" "
			continue
		}
		if strings.Contains(id, "basin") {
			base += "basin"
		}
		n.base[o] = base
		left[base]++
	}
	for o, base := range n.base {
		if n.name[o] == "" && base != "" {
			n.number[o] = left[base]
			left[base]--
			n.name[o] = base + " " + strconv.Itoa(n.number[o])
		}
	}
	return n
}

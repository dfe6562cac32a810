package alfworld

import (
	"maps"
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

// spelling is how ids spell the characters that they cannot hold.
var spelling = strings.NewReplacer("_minus_", "-", "_plus_", "+", "_dot_", ".", "_comma_", ",")

// nameObjects numbers the objects of each base that first facts mention, downwards along the bytewise order of ids.
// "sink_bar_…_bar_sinkbasin" is a sinkbasin while "sink_bar_…" is a sink. Ids without "_bar_" are no things but
// agents and types; their name is the id and a blank, as the reference engine has it. That engine fails where an
// object is to be told that no first fact mentions; here they are numbered on after the others.
func nameObjects(p *pddl.Problem) names {
	n := names{make([]string, p.Objects()), make([]string, p.Objects()), make([]int, p.Objects())}
	mentioned := p.Mentioned()
	left, more := map[string]int{}, map[string]int{}
	spelled := map[string]string{} // bases
	for o, is := range mentioned {
		id := p.ID(int32(o))
		base, _, thing := strings.Cut(id, "_bar_")
		if !thing {
			n.base[o] = spelling.Replace(id)
			n.name[o] = n.base[o] + " "
			continue
		}
		if _, ok := spelled[base]; !ok {
			spelled[base] = spelling.Replace(base)
		}
		if base = spelled[base]; strings.Contains(id, "basin") {
			base += "basin"
		}
		n.base[o] = base
		if is {
			left[base]++
		}
	}
	maps.Copy(more, left)
	for o, base := range n.base {
		switch {
		case n.name[o] != "":
			continue
		case mentioned[o]:
			n.number[o] = left[base]
			left[base]--
		default:
			more[base]++
			n.number[o] = more[base]
		}
		n.name[o] = base + " " + strconv.Itoa(n.number[o])
	}
	return n
}

package household

import (
	"fmt"
	"slices"
	"strings"
)

// scene is the furniture of one room.
type scene struct {
	room        *room
	number      int
	receptacles []receptacle
	places      []string // the locations receptacles are reached from
	start       string   // where the player begins, away from every receptacle
	fixtures    []object
	things      []thing          // the kinds that live here
	kinds       map[string][]int // receptacles by kind
	used        map[string]bool  // ids
	side        int              // quarter metres
}

// receptacle stands at a point, told in centimetres, and is reached from a place.
type receptacle struct {
	kind, id string
	place    int
	x, y, z  int
}

// object is a thing or fixture with where it lies.
type object struct {
	kind, id   string
	receptacle int    // -1 for none
	location   string // where one stands to reach it
}

// scenes are those of a seed, by room in the order of rooms.
type scenes struct{ known, unseen [][]*scene }

func (s *scenes) of(split string) [][]*scene {
	if split == ValidUnseen {
		return s.unseen
	}
	return s.known
}

// buildScenes makes all scenes of a seed, no two of the same layout.
func buildScenes(seed uint64) (*scenes, error) {
	all := &scenes{}
	layouts := map[string]bool{}
	for _, r := range rooms {
		known, err := buildRoom(seed, r, "known", r.first, knownScenes, layouts)
		if err != nil {
			return nil, err
		}
		unseen, err := buildRoom(seed, r, "unseen", r.first+knownScenes, unseenScenes, layouts)
		if err != nil {
			return nil, err
		}
		all.known, all.unseen = append(all.known, known), append(all.unseen, unseen)
	}
	return all, nil
}

// buildRoom makes n scenes of a room. Sizes and shared places are dealt, not drawn, so that few scenes have the
// spread of many.
func buildRoom(seed uint64, r *room, which string, first, n int, layouts map[string]bool) ([]*scene, error) {
	deal := newDice("deal", seed, r.name, which)
	sizes, shared := deal.order(n), deal.order(n)
	list := make([]*scene, n)
	for i := range n {
		share := func(at int) float64 { return (float64(at) + 0.5) / float64(n) }
		for attempt := 0; list[i] == nil; attempt++ {
			if attempt == attempts {
				return nil, fmt.Errorf("household: no new layout for scene %d in %d draws", first+i, attempts)
			}
			d := newDice("scene", seed, r.name, first+i, attempt)
			s := furnish(d, r, first+i, r.size.at(share(sizes[i])), r.shared.at(share(shared[i])))
			if key := s.layout(); !layouts[key] {
				layouts[key] = true
				list[i] = s
			}
		}
	}
	return list, nil
}

// furnish makes one scene of about size receptacles with that many shared places.
func furnish(d *dice, r *room, number, size, shared int) *scene {
	s := &scene{room: r, number: number, kinds: map[string][]int{}, used: map[string]bool{}}
	groups := group(d, chooseFurniture(d, r, size), shared)
	s.stand(d, groups)
	for _, t := range r.things {
		if d.percent(t.percent) {
			s.things = append(s.things, t)
		}
	}
	for _, f := range r.fixtures {
		if d.percent(f.percent) {
			for range 1 + d.below(f.most) {
				s.fix(d, f)
			}
		}
	}
	return s
}

// layout tells a scene's furniture apart from others: the kinds reached from each place.
func (s *scene) layout() string {
	at := make([][]string, len(s.places))
	for _, r := range s.receptacles {
		at[r.place] = append(at[r.place], r.kind)
	}
	lines := make([]string, len(at))
	for i, kinds := range at {
		slices.Sort(kinds)
		lines[i] = strings.Join(kinds, "+")
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

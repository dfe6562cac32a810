package alfworld

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
)

// places says where things of a household are likely to be, the likeliest first: common sense, told from no game.
// Kinds are spelled as the player reads them.
var places = readPlaces([][2]string{
	{"apple egg lettuce potato tomato", "countertop fridge diningtable sinkbasin microwave garbagecan sidetable"},
	{"bread", "countertop diningtable fridge sidetable"},
	{"butterknife fork knife ladle spatula spoon", "countertop diningtable drawer sinkbasin cabinet sidetable"},
	{"bowl cup plate", "countertop cabinet diningtable fridge shelf sinkbasin microwave desk sidetable coffeetable dresser"},
	{"mug", "countertop coffeemachine cabinet desk diningtable sinkbasin shelf sidetable fridge microwave drawer dresser"},
	{"glassbottle winebottle", "countertop cabinet diningtable fridge shelf sinkbasin garbagecan"},
	{"kettle pan pot", "stoveburner countertop cabinet diningtable sinkbasin fridge shelf"},
	{"peppershaker saltshaker", "countertop cabinet diningtable drawer shelf sidetable"},
	{"dishsponge", "sinkbasin countertop drawer cabinet diningtable garbagecan shelf bathtubbasin"},
	{"papertowelroll", "countertop garbagecan diningtable shelf toilet sidetable"},
	{"soapbottle", "countertop cabinet sinkbasin diningtable toilet shelf garbagecan drawer bathtubbasin"},
	{"soapbar", "sinkbasin bathtubbasin countertop toilet cabinet drawer shelf garbagecan"},
	{"cloth", "countertop bathtubbasin cabinet drawer sinkbasin shelf toilet dresser laundryhamper"},
	{"spraybottle toiletpaper toiletpaperroll", "toilet countertop toiletpaperhanger cabinet shelf drawer garbagecan"},
	{"handtowel towel", "handtowelholder towelholder countertop bathtubbasin"},
	{"plunger scrubbrush", "toilet countertop cabinet"},
	{"candle", "countertop toilet shelf coffeetable sidetable cabinet drawer"},
	{"tissuebox", "coffeetable sidetable shelf countertop diningtable drawer cabinet"},
	{"alarmclock", "sidetable desk dresser shelf drawer diningtable"},
	{"book newspaper", "bed desk coffeetable sofa sidetable diningtable shelf drawer dresser countertop armchair"},
	{"cd pen pencil", "desk drawer shelf sidetable dresser diningtable garbagecan coffeetable"},
	{"cellphone laptop", "bed desk sofa coffeetable sidetable drawer dresser diningtable countertop armchair"},
	{"creditcard keychain", "desk drawer sidetable dresser coffeetable shelf armchair sofa diningtable countertop safe"},
	{"remotecontrol", "coffeetable sofa tvstand sidetable armchair drawer dresser diningtable"},
	{"watch", "drawer sidetable coffeetable dresser desk tvstand diningtable safe"},
	{"box", "coffeetable sofa diningtable armchair bed desk dresser sidetable"},
	{"pillow teddybear", "bed sofa armchair ottoman"},
	{"baseballbat basketball tennisracket", "bed desk dresser armchair diningtable"},
	{"statue vase wateringcan", "shelf sidetable coffeetable countertop dresser diningtable tvstand cabinet desk"},
	{"desklamp floorlamp", "desk sidetable dresser shelf tvstand coffeetable"},
})

func readPlaces(rows [][2]string) map[string][]string {
	m := map[string][]string{}
	for _, row := range rows {
		for thing := range strings.FieldsSeq(row[0]) {
			m[thing] = strings.Fields(row[1])
		}
	}
	return m
}

// way is all receptacles in the order in which the explorer looks through them for a thing of a type: the likely
// kinds, those that take such a thing, the rest, and those where it is wanted as it is, for it is hardly there already.
// Within these the order of kinds is drawn by the game's id, so that it is the same every time and differs from game
// to game. The receptacles of a kind follow each other by number; where a thing is wanted, the lowest comes last, for
// that is where the first of two has been put, and what comes after it is the beginning.
func (x *explorer) way(typ int32) []int32 {
	thing := x.game.spelled(x.house.pred.objectType, typ)
	likely := places[thing]
	group := func(r int32) int {
		switch {
		case x.task.treated < 0 && x.isDestination(r):
			return 3
		case slices.Contains(likely, x.house.names.base[r]):
			return 0
		case x.house.takes(x.state, r, typ):
			return 1
		}
		return 2
	}
	way := slices.Clone(x.house.receptacles)
	slices.SortFunc(way, func(a, b int32) int {
		ka, kb := x.house.names.base[a], x.house.names.base[b]
		return cmp.Or(
			cmp.Compare(group(a), group(b)),
			cmp.Compare(x.turn(likely, thing, ka), x.turn(likely, thing, kb)),
			cmp.Compare(ka, kb),
			cmp.Compare(x.house.names.number[a], x.house.names.number[b])*(1-2*btoi(group(a) == 3)),
		)
	})
	return way
}

// turn is when a kind of receptacle comes: its rank among the likely ones, moved back by up to two by the draw.
func (x *explorer) turn(likely []string, thing, kind string) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(x.game.id + "\x00" + thing + "\x00" + kind)) // never fails
	draw := int(h.Sum64() >> 40)
	if i := slices.Index(likely, kind); i >= 0 {
		return 2*i + draw%6
	}
	return draw
}

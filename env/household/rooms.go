package household

// room is one kind of room: what stands in it and how much of everything there is. Scenes are drawn from it.
type room struct {
	name     string
	first    int      // number of its first scene
	standing []string // receptacles that every scene has, one each
	extra    []extra  // receptacles that some scenes have
	fill     []share  // what a scene is filled up with until it has its number of receptacles
	size     curve    // receptacles in a scene
	load     curve    // things that can be picked up in a game
	shared   curve    // places in a scene where several receptacles are reached at once
	things   []thing
	fixtures []fixture
}

// extra is a kind of receptacle in percent of the scenes, least to most of them.
type extra struct {
	kind        string
	percent     int
	least, most int
}

// share is a kind of receptacle with its weight in filling up. A scene keeps to few of them.
type share struct {
	kind   string
	weight int
}

// fixture is a thing that nobody picks up: in percent of the scenes, up to most of them, on the first kind of
// receptacle in on that the scene has, or nowhere in particular.
type fixture struct {
	kind    string
	percent int
	most    int
	on      []string
}

// The numbers below are ours. What they come to is held against ALFWorld's games by Table; the sizes, loads and
// shared places are set so that both agree in the middle (README.md).
var rooms = []*room{kitchen, livingRoom, bedroom, bathroom}

var kitchen = &room{
	name: "kitchen", first: 1,
	standing: []string{"CounterTop", "Fridge", "Microwave", "SinkBasin", "CoffeeMachine", "Toaster", "GarbageCan"},
	extra: []extra{
		{"StoveBurner", 100, 4, 6}, {"CounterTop", 80, 1, 3}, {"DiningTable", 60, 1, 2}, {"SideTable", 15, 1, 1}, {"Shelf", 20, 2, 4},
	},
	fill:   []share{{"Cabinet", 5}, {"Drawer", 4}, {"Shelf", 2}},
	size:   curve{21, 24, 27, 28, 30, 33, 35, 37, 40, 47, 54},
	load:   curve{31, 37, 39, 41, 42, 44, 45, 47, 49, 52, 60},
	shared: curve{1, 1, 2, 3, 3, 3, 4, 4, 5, 6, 7},
	things: kitchenThings,
	fixtures: []fixture{
		{"Sink", 100, 1, nil},
		{"Faucet", 100, 1, nil},
		{"StoveKnob", 100, 4, nil},
		{"LightSwitch", 100, 1, nil},
		{"Window", 90, 2, nil},
		{"Chair", 60, 3, nil},
		{"HousePlant", 35, 1, []string{"CounterTop"}},
	},
}

var livingRoom = &room{
	name: "livingroom", first: 201,
	standing: []string{"Sofa", "GarbageCan"},
	extra: []extra{
		{"ArmChair", 90, 1, 3},
		{"CoffeeTable", 80, 1, 1},
		{"SideTable", 75, 1, 3},
		{"DiningTable", 50, 1, 1},
		{"TVStand", 45, 1, 1},
		{"Dresser", 35, 1, 1},
		{"Ottoman", 20, 1, 1},
		{"Desk", 20, 1, 1},
		{"Safe", 5, 1, 1},
	},
	fill:   []share{{"Drawer", 5}, {"Shelf", 4}, {"Cabinet", 1}},
	size:   curve{7, 8, 10, 11, 12, 13, 14, 15, 16, 19, 32},
	load:   curve{12, 15, 16, 17, 18, 20, 21, 22, 24, 28, 36},
	shared: curve{0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3},
	things: livingThings,
	fixtures: []fixture{
		{"LightSwitch", 100, 1, nil},
		{"Window", 90, 3, nil},
		{"Painting", 80, 3, nil},
		{"FloorLamp", 60, 1, nil},
		{"Television", 80, 1, []string{"TVStand", "Dresser", "SideTable"}},
		{"HousePlant", 70, 2, []string{"SideTable", "Shelf"}},
		{"Curtains", 50, 2, nil},
		{"DeskLamp", 45, 1, []string{"Desk", "SideTable", "Dresser", "DiningTable"}},
	},
}

var bedroom = &room{
	name: "bedroom", first: 301,
	standing: []string{"Bed", "GarbageCan"},
	extra: []extra{
		{"Desk", 70, 1, 1},
		{"SideTable", 70, 1, 2},
		{"Dresser", 50, 1, 1},
		{"ArmChair", 25, 1, 1},
		{"LaundryHamper", 25, 1, 1},
		{"Safe", 15, 1, 1},
		{"DiningTable", 10, 1, 1},
	},
	fill:   []share{{"Drawer", 6}, {"Shelf", 6}, {"Cabinet", 1}},
	size:   curve{7, 8, 9, 10, 12, 14, 15, 16, 18, 20, 27},
	load:   curve{15, 20, 21, 22, 23, 24, 25, 26, 27, 30, 37},
	shared: curve{0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 4},
	things: bedroomThings,
	fixtures: []fixture{
		{"DeskLamp", 90, 1, []string{"Desk", "SideTable", "Dresser", "Shelf"}},
		{"LightSwitch", 100, 1, nil},
		{"Window", 90, 2, nil},
		{"Chair", 70, 1, nil},
		{"Mirror", 50, 1, nil},
		{"Painting", 60, 2, nil},
		{"Blinds", 50, 2, nil},
	},
}

var bathroom = &room{
	name: "bathroom", first: 401,
	standing: []string{"SinkBasin", "Toilet", "GarbageCan", "ToiletPaperHanger", "TowelHolder", "HandTowelHolder"},
	extra: []extra{
		{"CounterTop", 85, 1, 1},
		{"BathtubBasin", 65, 1, 1},
		{"HandTowelHolder", 30, 1, 1},
		{"Shelf", 25, 1, 2},
		{"Cart", 10, 1, 1},
		{"SideTable", 10, 1, 1},
		{"Dresser", 5, 1, 1},
	},
	fill:   []share{{"Cabinet", 4}, {"Drawer", 4}, {"Shelf", 3}},
	size:   curve{10, 10, 11, 13, 14, 14, 15, 16, 17, 18, 21},
	load:   curve{12, 15, 16, 16, 17, 18, 18, 19, 20, 22, 27},
	shared: curve{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 4},
	things: bathroomThings,
	fixtures: []fixture{
		{"Sink", 100, 1, nil},
		{"Faucet", 100, 1, nil},
		{"Mirror", 100, 1, nil},
		{"LightSwitch", 100, 1, nil},
		{"ShowerDoor", 60, 1, nil},
		{"Window", 40, 1, nil},
		{"Bathtub", 65, 1, nil},
	},
}

// openable names the receptacles that start closed.
var openable = map[string]bool{
	"Cabinet": true, "Drawer": true, "Fridge": true, "Microwave": true, "Safe": true, "LaundryHamper": true,
}

// room for things in one receptacle when a game is laid out; playing knows no such bound.
var capacity = map[string]int{
	"StoveBurner": 1, "CoffeeMachine": 1, "TowelHolder": 1, "HandTowelHolder": 1, "ToiletPaperHanger": 1,
	"Cabinet": 3, "Drawer": 3, "Shelf": 5, "Microwave": 2, "ArmChair": 3, "Ottoman": 3, "Safe": 2, "Toilet": 5,
	"GarbageCan": 5, "Cart": 6, "SideTable": 8, "BathtubBasin": 4, "SinkBasin": 5, "LaundryHamper": 2, "Fridge": 9,
}

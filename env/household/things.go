package household

// thing is a kind of thing of a room: in percent of the scenes, found on the receptacles of where in proportion
// to their weights. Weight 0 means that it may be put there but is never found there.
type thing struct {
	kind    string
	percent int
	where   spread
}

// spread maps kinds of receptacles to weights.
type spread map[string]int

var kitchenThings = []thing{
	{"Apple", 100, spread{"CounterTop": 7, "DiningTable": 5, "Fridge": 5, "GarbageCan": 1, "SideTable": 2, "SinkBasin": 1, "Microwave": 1}},
	{"Bowl", 100, spread{"Cabinet": 5, "CounterTop": 5, "DiningTable": 4, "Fridge": 1, "Shelf": 3, "SinkBasin": 1, "SideTable": 1, "Microwave": 1}},
	{"Bread", 100, spread{"CounterTop": 8, "DiningTable": 4, "Fridge": 1, "GarbageCan": 1, "SideTable": 1, "Microwave": 0}},
	{"ButterKnife", 95, spread{"CounterTop": 5, "DiningTable": 4, "Drawer": 4, "SideTable": 1, "SinkBasin": 1}},
	{"Cup", 100, spread{"CounterTop": 4, "DiningTable": 3, "Cabinet": 4, "Fridge": 2, "SinkBasin": 1, "Microwave": 2, "Shelf": 2, "SideTable": 1}},
	{"DishSponge", 100, spread{"CounterTop": 5, "SinkBasin": 3, "Drawer": 3, "Cabinet": 2, "GarbageCan": 1, "DiningTable": 1, "Shelf": 1, "SideTable": 1}},
	{"Egg", 100, spread{"Fridge": 6, "CounterTop": 5, "DiningTable": 3, "GarbageCan": 1, "Microwave": 1, "SinkBasin": 1, "SideTable": 1}},
	{"Fork", 100, spread{"CounterTop": 5, "DiningTable": 4, "Drawer": 4, "SideTable": 1, "SinkBasin": 1}},
	{"Glassbottle", 30, spread{"CounterTop": 5, "Cabinet": 3, "DiningTable": 1, "Fridge": 1, "GarbageCan": 1, "Shelf": 1, "SideTable": 1}},
	{"Kettle", 50, spread{"StoveBurner": 5, "CounterTop": 5, "Cabinet": 3, "DiningTable": 1, "Shelf": 1, "SinkBasin": 0}},
	{"Knife", 100, spread{"CounterTop": 6, "DiningTable": 3, "Drawer": 4, "SideTable": 1, "SinkBasin": 1}},
	{"Ladle", 40, spread{"CounterTop": 5, "Drawer": 2, "Cabinet": 3, "DiningTable": 2, "SideTable": 1, "SinkBasin": 1}},
	{"Lettuce", 100, spread{"CounterTop": 6, "DiningTable": 3, "Fridge": 4, "GarbageCan": 1, "SinkBasin": 1, "SideTable": 1}},
	{"Mug", 100, spread{"CounterTop": 4, "CoffeeMachine": 4, "Cabinet": 4, "DiningTable": 2, "Shelf": 1, "SinkBasin": 1, "Microwave": 1, "SideTable": 1, "Fridge": 0}},
	{"Pan", 100, spread{"StoveBurner": 6, "CounterTop": 4, "Cabinet": 3, "DiningTable": 1, "Fridge": 0, "SinkBasin": 1}},
	{"PaperTowelRoll", 35, spread{"CounterTop": 6, "DiningTable": 1, "GarbageCan": 1, "Shelf": 1, "Cabinet": 1, "Drawer": 0, "SideTable": 1}},
	{"PepperShaker", 100, spread{"CounterTop": 6, "Cabinet": 4, "DiningTable": 2, "Drawer": 3, "Shelf": 1, "SideTable": 1}},
	{"Plate", 100, spread{"CounterTop": 5, "Cabinet": 4, "DiningTable": 3, "Fridge": 1, "Shelf": 2, "SinkBasin": 1, "SideTable": 1, "Microwave": 1}},
	{"Pot", 100, spread{"StoveBurner": 6, "CounterTop": 4, "Cabinet": 2, "Fridge": 2, "DiningTable": 1, "SinkBasin": 1, "Shelf": 0}},
	{"Potato", 100, spread{"CounterTop": 5, "Fridge": 4, "DiningTable": 3, "GarbageCan": 1, "SinkBasin": 1, "Microwave": 1, "SideTable": 1}},
	{"SaltShaker", 100, spread{"CounterTop": 6, "Cabinet": 4, "DiningTable": 2, "Drawer": 3, "Shelf": 1, "SideTable": 1}},
	{"SoapBottle", 100, spread{"CounterTop": 6, "Cabinet": 3, "GarbageCan": 1, "SinkBasin": 1, "Drawer": 1, "SideTable": 1, "DiningTable": 0, "Shelf": 1}},
	{"Spatula", 100, spread{"CounterTop": 5, "DiningTable": 2, "Drawer": 4, "SinkBasin": 1, "SideTable": 1}},
	{"Spoon", 100, spread{"CounterTop": 5, "DiningTable": 3, "Drawer": 4, "SinkBasin": 1, "SideTable": 1}},
	{"Tomato", 100, spread{"CounterTop": 5, "DiningTable": 3, "Fridge": 4, "GarbageCan": 1, "SinkBasin": 1, "Microwave": 1, "SideTable": 1}},
	{"WineBottle", 40, spread{"CounterTop": 5, "Cabinet": 3, "DiningTable": 2, "Fridge": 3, "GarbageCan": 1, "Shelf": 1, "SideTable": 1}},
}

var livingThings = []thing{
	{"Book", 35, spread{"Sofa": 3, "CoffeeTable": 3, "SideTable": 2, "DiningTable": 2, "Shelf": 3, "Desk": 3, "Dresser": 1, "ArmChair": 1, "Drawer": 1, "Cabinet": 1, "Ottoman": 1}},
	{"Bowl", 20, spread{"DiningTable": 4, "CoffeeTable": 3, "SideTable": 1, "Shelf": 2, "Dresser": 1}},
	{"Box", 100, spread{"Sofa": 4, "DiningTable": 3, "CoffeeTable": 3, "ArmChair": 2, "SideTable": 1, "Dresser": 1, "Ottoman": 1, "Desk": 1, "TVStand": 0}},
	{"Candle", 25, spread{"CoffeeTable": 3, "SideTable": 3, "Shelf": 3, "TVStand": 1, "Dresser": 1, "DiningTable": 2, "Cabinet": 1}},
	{"CellPhone", 35, spread{"Sofa": 3, "CoffeeTable": 3, "SideTable": 2, "ArmChair": 2, "DiningTable": 1, "Dresser": 1, "Desk": 2, "Drawer": 1, "Safe": 1}},
	{"CreditCard", 100, spread{"CoffeeTable": 4, "SideTable": 3, "Drawer": 3, "DiningTable": 2, "TVStand": 2, "Shelf": 2, "Dresser": 2, "ArmChair": 2, "Desk": 2, "Safe": 1, "Sofa": 1, "Ottoman": 0}},
	{"KeyChain", 100, spread{"SideTable": 4, "CoffeeTable": 3, "Sofa": 2, "ArmChair": 2, "TVStand": 2, "Drawer": 2, "Dresser": 2, "DiningTable": 1, "Shelf": 1, "Desk": 2, "Safe": 1, "Cabinet": 1, "Ottoman": 1}},
	{"Laptop", 100, spread{"Sofa": 4, "CoffeeTable": 4, "DiningTable": 3, "ArmChair": 2, "Desk": 4, "Ottoman": 1, "Dresser": 1, "SideTable": 0}},
	{"Newspaper", 60, spread{"Sofa": 4, "CoffeeTable": 4, "DiningTable": 2, "SideTable": 1, "ArmChair": 2, "GarbageCan": 1, "TVStand": 1, "Drawer": 1, "Ottoman": 1, "Shelf": 1}},
	{"Pen", 35, spread{"Desk": 4, "Drawer": 2, "SideTable": 2, "CoffeeTable": 2, "DiningTable": 2, "Dresser": 1, "GarbageCan": 1, "Shelf": 1}},
	{"Pencil", 30, spread{"Desk": 4, "Drawer": 2, "SideTable": 2, "CoffeeTable": 2, "DiningTable": 2, "Dresser": 1, "GarbageCan": 1, "Shelf": 1}},
	{"Pillow", 100, spread{"Sofa": 6, "ArmChair": 4, "Ottoman": 1}},
	{"Plate", 35, spread{"DiningTable": 5, "CoffeeTable": 3, "SideTable": 1, "Shelf": 1}},
	{"RemoteControl", 100, spread{"Sofa": 4, "CoffeeTable": 4, "TVStand": 3, "ArmChair": 3, "SideTable": 2, "Dresser": 2, "DiningTable": 1, "Ottoman": 1, "Drawer": 1, "Shelf": 1, "GarbageCan": 0}},
	{"Statue", 95, spread{"Shelf": 4, "SideTable": 3, "Dresser": 3, "TVStand": 2, "DiningTable": 2, "CoffeeTable": 2, "Desk": 1, "Safe": 1}},
	{"TissueBox", 40, spread{"CoffeeTable": 3, "SideTable": 3, "DiningTable": 2, "Dresser": 1, "TVStand": 1, "Shelf": 1, "Desk": 1, "Cabinet": 1, "Drawer": 0}},
	{"Vase", 60, spread{"Shelf": 4, "DiningTable": 3, "SideTable": 2, "CoffeeTable": 2, "TVStand": 1, "Dresser": 2, "Cabinet": 1, "Desk": 1, "Safe": 1}},
	{"Watch", 50, spread{"SideTable": 3, "CoffeeTable": 3, "Drawer": 2, "Shelf": 2, "Dresser": 2, "TVStand": 2, "DiningTable": 1, "Safe": 1, "Sofa": 1, "Desk": 1}},
	{"WateringCan", 50, spread{"SideTable": 3, "Shelf": 2, "DiningTable": 2, "Dresser": 1, "TVStand": 1, "CoffeeTable": 1, "Cabinet": 1}},
}

var bedroomThings = []thing{
	{"AlarmClock", 100, spread{"SideTable": 5, "Desk": 5, "Dresser": 4, "Shelf": 3, "DiningTable": 1, "Drawer": 0}},
	{"BaseballBat", 40, spread{"Bed": 5, "Desk": 1, "DiningTable": 1, "ArmChair": 1}},
	{"BasketBall", 40, spread{"Bed": 3, "ArmChair": 2, "Dresser": 1, "Desk": 1}},
	{"Book", 100, spread{"Bed": 6, "Desk": 4, "Shelf": 2, "SideTable": 2, "Dresser": 2, "Drawer": 1, "DiningTable": 1, "ArmChair": 1, "Cabinet": 1}},
	{"Bowl", 40, spread{"Desk": 4, "Shelf": 3, "SideTable": 2, "Dresser": 1, "DiningTable": 2, "Cabinet": 0}},
	{"Box", 45, spread{"Bed": 3, "Desk": 2, "Dresser": 2, "SideTable": 1, "DiningTable": 1, "ArmChair": 1}},
	{"CD", 100, spread{"Desk": 4, "Drawer": 4, "Shelf": 3, "GarbageCan": 2, "SideTable": 2, "Dresser": 2, "Safe": 1, "DiningTable": 1}},
	{"CellPhone", 100, spread{"Bed": 4, "Desk": 3, "SideTable": 3, "Drawer": 3, "Dresser": 2, "Shelf": 1, "Safe": 1, "DiningTable": 1, "ArmChair": 1}},
	{"Cloth", 25, spread{"Bed": 2, "Drawer": 3, "LaundryHamper": 2, "Dresser": 2, "Shelf": 1, "Desk": 1}},
	{"CreditCard", 100, spread{"Desk": 4, "Drawer": 3, "Shelf": 3, "SideTable": 3, "Dresser": 2, "Safe": 1, "DiningTable": 1, "Cabinet": 1, "ArmChair": 0}},
	{"KeyChain", 100, spread{"Desk": 3, "Drawer": 4, "SideTable": 3, "Shelf": 2, "Dresser": 3, "Safe": 2, "Bed": 1, "DiningTable": 1, "ArmChair": 1}},
	{"Laptop", 100, spread{"Bed": 6, "Desk": 5, "DiningTable": 2, "Dresser": 1, "ArmChair": 1, "SideTable": 0}},
	{"Mug", 50, spread{"Desk": 4, "Shelf": 3, "SideTable": 3, "Dresser": 2, "DiningTable": 1, "Drawer": 1}},
	{"Pen", 100, spread{"Desk": 4, "Drawer": 3, "Shelf": 3, "SideTable": 2, "Dresser": 2, "GarbageCan": 2, "DiningTable": 1, "Cabinet": 1}},
	{"Pencil", 100, spread{"Desk": 4, "Drawer": 3, "Shelf": 3, "SideTable": 2, "Dresser": 2, "GarbageCan": 2, "DiningTable": 1, "Cabinet": 1}},
	{"Pillow", 100, spread{"Bed": 9, "ArmChair": 2}},
	{"RemoteControl", 15, spread{"Dresser": 3, "SideTable": 2, "Drawer": 2, "Shelf": 1, "Desk": 1, "Bed": 1, "ArmChair": 1}},
	{"Statue", 20, spread{"Shelf": 3, "Dresser": 3, "SideTable": 1, "Desk": 1}},
	{"TeddyBear", 40, spread{"Bed": 6, "ArmChair": 1, "Desk": 0, "Dresser": 1, "SideTable": 0}},
	{"TennisRacket", 40, spread{"Bed": 4, "Desk": 1, "Dresser": 1, "DiningTable": 1, "ArmChair": 0}},
	{"TissueBox", 20, spread{"SideTable": 3, "Dresser": 2, "Desk": 2, "Shelf": 1, "Drawer": 1, "Cabinet": 1}},
	{"Watch", 15, spread{"SideTable": 3, "Dresser": 2, "Drawer": 2, "Shelf": 1, "Desk": 1, "Safe": 1}},
}

var bathroomThings = []thing{
	{"Candle", 100, spread{"CounterTop": 5, "Toilet": 4, "Cabinet": 2, "Shelf": 2, "Drawer": 2, "Cart": 2, "SideTable": 2, "Dresser": 1}},
	{"Cloth", 100, spread{"BathtubBasin": 3, "CounterTop": 3, "Cabinet": 3, "Drawer": 3, "Toilet": 1, "Shelf": 1, "GarbageCan": 1, "Cart": 2, "SideTable": 1, "Dresser": 1, "SinkBasin": 1}},
	{"DishSponge", 25, spread{"BathtubBasin": 3, "CounterTop": 2, "Cabinet": 2, "Drawer": 1, "GarbageCan": 1, "SinkBasin": 2, "Cart": 1, "Toilet": 1, "Shelf": 0}},
	{"HandTowel", 100, spread{"HandTowelHolder": 12, "Cabinet": 1, "CounterTop": 1, "SinkBasin": 0, "GarbageCan": 0}},
	{"PaperTowelRoll", 20, spread{"CounterTop": 3, "Toilet": 2, "GarbageCan": 1, "Cabinet": 1, "Shelf": 1, "Drawer": 0}},
	{"Plunger", 60, spread{"Cabinet": 2, "GarbageCan": 1, "Toilet": 2, "Cart": 1}},
	{"ScrubBrush", 60, spread{"Cabinet": 2, "BathtubBasin": 2, "Toilet": 2, "CounterTop": 1, "Cart": 1}},
	{"SoapBar", 100, spread{"BathtubBasin": 4, "SinkBasin": 3, "CounterTop": 3, "Toilet": 3, "GarbageCan": 2, "Cabinet": 2, "Drawer": 2, "Shelf": 1, "Cart": 1, "SideTable": 1, "Dresser": 1}},
	{"SoapBottle", 100, spread{"CounterTop": 4, "Toilet": 3, "GarbageCan": 2, "Cabinet": 3, "Drawer": 2, "Shelf": 2, "Cart": 2, "SideTable": 1, "Dresser": 1, "BathtubBasin": 1}},
	{"SprayBottle", 100, spread{"CounterTop": 4, "Toilet": 4, "GarbageCan": 3, "Cabinet": 3, "Shelf": 1, "Drawer": 1, "Cart": 1, "SideTable": 1, "Dresser": 1}},
	{"TissueBox", 25, spread{"CounterTop": 3, "Toilet": 3, "Cabinet": 1, "Shelf": 2, "GarbageCan": 1, "SideTable": 1, "Cart": 1, "Dresser": 1}},
	{"ToiletPaper", 100, spread{"ToiletPaperHanger": 5, "Toilet": 5, "Cabinet": 4, "CounterTop": 2, "Drawer": 3, "Shelf": 2, "GarbageCan": 1, "Cart": 1, "SideTable": 1, "Dresser": 1}},
	{"Towel", 100, spread{"TowelHolder": 12, "BathtubBasin": 1, "CounterTop": 1, "Cabinet": 1}},
}

// What an appliance can do to a kind of thing.
var (
	cleanable = kinds("Apple", "Bowl", "ButterKnife", "Cloth", "Cup", "DishSponge", "Egg", "Fork", "Kettle", "Knife", "Ladle",
		"Lettuce", "Mug", "Pan", "Plate", "Pot", "Potato", "SoapBar", "Spatula", "Spoon", "Tomato")
	heatable = kinds("Apple", "Bread", "Cup", "Egg", "Mug", "Plate", "Potato", "Tomato")
	coolable = kinds("Apple", "Bowl", "Bread", "Cup", "Egg", "Lettuce", "Mug", "Pan", "Plate", "Pot", "Potato", "Tomato", "WineBottle")
	// What a knife can do, and what has a switch.
	sliceable  = kinds("Apple", "Bread", "Egg", "Lettuce", "Potato", "Tomato")
	toggleable = kinds("DeskLamp", "FloorLamp")
)

func kinds(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

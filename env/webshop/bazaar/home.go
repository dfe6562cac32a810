package bazaar

// home is what stands in rooms.
var home = []kind{
	{
		category: "home", query: "table lamps", path: "Home › Lighting › Lamps › Table Lamps", thing: "Table Lamp",
		looks: []string{"Slender", "Round", "Curved", "Tall"}, made: []string{"Brass", "Linen", "Ceramic", "Glass", "Bamboo"},
		places: []string{"Bedroom", "Desk", "Nursery", "Hallway"}, low: 14, high: 90,
		traits: []string{"easy to assemble", "energy efficient", "space saving", "non slip", "long lasting", "gift wrapped", "height adjustable"},
		axes:   []axis{colours, {"Style", []string{"single", "set of 2", "with bulb", "with base"}}},
	},
	{
		category: "home", query: "bookcases", path: "Home › Furniture › Living Room › Bookcases", thing: "Bookcase",
		looks: []string{"Open", "Narrow", "Wide", "Sturdy"}, made: []string{"Oak", "Pine", "Walnut", "Bamboo", "Steel"},
		places: []string{"Office", "Library", "Classroom", "Bedroom"}, low: 45, high: 320,
		traits: []string{"easy to assemble", "solid wood", "space saving", "heavy duty", "easy to clean", "long lasting"},
		axes:   []axis{{"Size", []string{"3 tier", "4 tier", "5 tier", "6 tier"}}, tones},
	},
	{
		category: "home", query: "area rugs", path: "Home › Decor › Rugs › Area Rugs", thing: "Area Rug",
		looks: []string{"Soft", "Woven", "Striped", "Plain"}, made: []string{"Wool", "Cotton", "Jute", "Linen"},
		places: []string{"Kitchen", "Nursery", "Hallway", "Porch"}, low: 20, high: 240,
		traits: []string{"non slip", "machine washable", "easy to clean", "water resistant", "long lasting", "heavy duty"},
		axes:   []axis{colours, rooms},
	},
	{
		category: "home", query: "bed sheets", path: "Home › Bedding › Sheets › Sheet Sets", thing: "Sheet Set",
		looks: []string{"Soft", "Crisp", "Cool", "Smooth"}, made: []string{"Cotton", "Linen", "Bamboo", "Flannel"},
		places: []string{"Bedroom", "Guests", "Camper", "Dormitory"}, low: 18, high: 130,
		traits: []string{"machine washable", "long lasting", "sensitive skin", "easy to clean", "gift wrapped"},
		axes:   []axis{tones, beds},
	},
	{
		category: "home", query: "step stools", path: "Home › Furniture › Kitchen › Step Stools", thing: "Step Stool",
		looks: []string{"Folding", "Sturdy", "Small", "Light"}, made: []string{"Steel", "Birch", "Plastic", "Aluminum"},
		places: []string{"Kitchen", "Bathroom", "Garage", "Children"}, low: 12, high: 75,
		traits: []string{"non slip", "heavy duty", "space saving", "easy to carry", "easy to clean", "solid wood"},
		axes:   []axis{{"Size", []string{"1 step", "2 steps", "3 steps"}}, colours},
	},
	{
		category: "home", query: "storage jars", path: "Home › Kitchen › Storage › Jars", thing: "Storage Jar",
		looks: []string{"Clear", "Round", "Square", "Tall"}, made: []string{"Glass", "Ceramic", "Acrylic", "Enamel"},
		places: []string{"Pantry", "Coffee", "Flour", "Cookies"}, low: 8, high: 48,
		traits: []string{"dishwasher safe", "easy to clean", "space saving", "stainless steel", "gift wrapped", "long lasting"},
		axes:   []axis{{"Size", []string{"16 ounce", "32 ounce", "48 ounce", "64 ounce"}}, sets},
	},
}

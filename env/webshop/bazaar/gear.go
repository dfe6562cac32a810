package bazaar

// gear is what has a plug or a battery, and what belongs to it.
var gear = []kind{
	{
		category: "electronics", query: "headphones", path: "Electronics › Audio › Headphones", thing: "Headphones",
		looks: []string{"Folding", "Light", "Closed", "Padded"}, made: []string{"Aluminum", "Leather", "Plastic", "Walnut"},
		places: []string{"Studio", "Commuters", "Gaming", "Children"}, low: 15, high: 220,
		traits: []string{"wireless bluetooth", "noise cancelling", "fast charging", "carrying case", "long lasting", "easy to carry"},
		axes:   []axis{colours},
	},
	{
		category: "electronics", query: "charging cables", path: "Electronics › Accessories › Cables › Charging Cables", thing: "Charging Cable",
		looks: []string{"Braided", "Flat", "Coiled", "Thin"}, made: []string{"Nylon", "Silicone", "Copper", "Rubber"},
		places: []string{"Phone", "Tablet", "Car", "Laptop"}, low: 4, high: 30,
		traits: []string{"fast charging", "heavy duty", "long lasting", "easy to carry", "easy to use"},
		axes:   []axis{colours, lengths},
	},
	{
		category: "electronics", query: "camera tripods", path: "Electronics › Photo › Supports › Tripods", thing: "Camera Tripod",
		looks: []string{"Compact", "Tall", "Flexible", "Sturdy"}, made: []string{"Carbon", "Aluminum", "Steel", "Bamboo"},
		places: []string{"Travel", "Studio", "Phone", "Hikers"}, low: 16, high: 180,
		traits: []string{"quick release", "height adjustable", "carrying case", "easy to carry", "heavy duty", "non slip"},
		axes:   []axis{colours, {"Style", []string{"with base", "with phone holder", "with bag", "single"}}},
	},
	{
		category: "electronics", query: "desk speakers", path: "Electronics › Audio › Speakers › Desk Speakers", thing: "Desk Speaker",
		looks: []string{"Small", "Loud", "Round", "Slim"}, made: []string{"Bamboo", "Plastic", "Walnut", "Steel"},
		places: []string{"Office", "Kitchen", "Bedroom", "Laptop"}, low: 18, high: 190,
		traits: []string{"wireless bluetooth", "battery powered", "water resistant", "easy to use", "fast charging", "long lasting"},
		axes:   []axis{colours, {"Style", []string{"single", "pair", "with base"}}},
	},
	{
		category: "electronics", query: "usb drives", path: "Electronics › Storage › USB Drives", thing: "USB Drive",
		looks: []string{"Tiny", "Slim", "Quick", "Rugged"}, made: []string{"Steel", "Aluminum", "Rubber", "Zinc"},
		places: []string{"Laptop", "Photos", "Students", "Backup"}, low: 6, high: 120,
		traits: []string{"water resistant", "easy to carry", "heavy duty", "easy to use", "long lasting", "stainless steel"},
		axes:   []axis{storage, colours},
	},
	{
		category: "electronics", query: "night lights", path: "Electronics › Lighting › Night Lights", thing: "Night Light",
		looks: []string{"Dim", "Round", "Warm", "Quiet"}, made: []string{"Silicone", "Glass", "Paper", "Plastic"},
		places: []string{"Nursery", "Hallway", "Bathroom", "Stairs"}, low: 7, high: 45,
		traits: []string{"energy efficient", "battery powered", "easy to install", "easy to use", "long lasting", "gift wrapped"},
		axes:   []axis{colours, packs},
	},
}

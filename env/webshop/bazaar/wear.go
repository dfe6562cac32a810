package bazaar

// wear is what is put on.
var wear = []kind{
	{
		category: "clothing", query: "men's shirts", path: "Clothing › Men › Shirts › Casual Shirts", thing: "Shirt",
		looks: []string{"Checked", "Plain", "Striped", "Brushed"}, made: []string{"Cotton", "Flannel", "Linen", "Denim"},
		places: []string{"Men", "Office", "Travel", "Weekends"}, low: 12, high: 70,
		traits: []string{"slim fit", "relaxed fit", "long sleeve", "short sleeve", "machine washable", "moisture wicking", "comfortable"},
		axes:   []axis{colours, clothes},
	},
	{
		category: "clothing", query: "women's dresses", path: "Clothing › Women › Dresses › Casual Dresses", thing: "Dress",
		looks: []string{"Flowing", "Pleated", "Belted", "Floral"}, made: []string{"Viscose", "Cotton", "Jersey", "Linen"},
		places: []string{"Women", "Summer", "Parties", "Travel"}, low: 18, high: 95,
		traits: []string{"long sleeve", "short sleeve", "elastic waist", "machine washable", "hand washable", "comfortable", "relaxed fit"},
		axes:   []axis{colours, clothes},
	},
	{
		category: "clothing", query: "running shoes", path: "Clothing › Shoes › Athletic › Running Shoes", thing: "Running Shoes",
		looks: []string{"Light", "Breathable", "Cushioned", "Quick"}, made: []string{"Mesh", "Knit", "Suede", "Canvas"},
		places: []string{"Road", "Trail", "Gym", "Walks"}, low: 30, high: 140,
		traits: []string{"rubber sole", "memory foam", "water resistant", "comfortable", "non slip", "long lasting"},
		axes:   []axis{colours, shoes},
	},
	{
		category: "clothing", query: "hooded sweatshirts", path: "Clothing › Unisex › Sweatshirts › Hoodies", thing: "Hoodie",
		looks: []string{"Warm", "Oversized", "Plain", "Soft"}, made: []string{"Fleece", "Cotton", "Wool", "Terry"},
		places: []string{"Winter", "Campus", "Training", "Home"}, low: 16, high: 80,
		traits: []string{"long sleeve", "machine washable", "relaxed fit", "slim fit", "moisture wicking", "comfortable"},
		axes:   []axis{tones, clothes, fits},
	},
	{
		category: "clothing", query: "rain jackets", path: "Clothing › Unisex › Coats › Rain Jackets", thing: "Rain Jacket",
		looks: []string{"Hooded", "Light", "Long", "Packable"}, made: []string{"Nylon", "Rubber", "Polyester", "Canvas"},
		places: []string{"Hikers", "Cyclists", "Festivals", "Travel"}, low: 25, high: 160,
		traits: []string{"water resistant", "easy to carry", "long sleeve", "machine washable", "elastic waist", "relaxed fit"},
		axes:   []axis{colours, clothes},
	},
	{
		category: "clothing", query: "house slippers", path: "Clothing › Shoes › Indoor › Slippers", thing: "Slippers",
		looks: []string{"Warm", "Closed", "Open", "Quiet"}, made: []string{"Felt", "Wool", "Corduroy", "Cotton"},
		places: []string{"House", "Guests", "Grandparents", "Students"}, low: 9, high: 45,
		traits: []string{"memory foam", "rubber sole", "machine washable", "non slip", "comfortable", "gift wrapped"},
		axes:   []axis{colours, shoes},
	},
}

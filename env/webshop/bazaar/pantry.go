package bazaar

// pantry is what is eaten and drunk.
var pantry = []kind{
	{
		category: "grocery", query: "granola", path: "Grocery › Breakfast › Cereals › Granola", thing: "Granola",
		looks: []string{"Crunchy", "Toasted", "Loose", "Golden"}, made: []string{"Oat", "Almond", "Quinoa", "Spelt"},
		places: []string{"Breakfast", "Yogurt", "Hikers", "Families"}, low: 4, high: 36,
		traits: []string{"gluten free", "dairy free", "sugar free", "non gmo", "plant based", "resealable", "all natural"},
		axes:   []axis{flavours, weights},
	},
	{
		category: "grocery", query: "herbal teas", path: "Grocery › Drinks › Tea › Herbal Teas", thing: "Herbal Tea",
		looks: []string{"Loose", "Calm", "Fresh", "Mild"}, made: []string{"Chamomile", "Nettle", "Fennel", "Rooibos"},
		places: []string{"Evenings", "Offices", "Winter", "Guests"}, low: 4, high: 28,
		traits: []string{"non gmo", "sugar free", "all natural", "resealable", "gluten free", "gift wrapped"},
		axes:   []axis{flavours, packs},
	},
	{
		category: "grocery", query: "crackers", path: "Grocery › Snacks › Crackers", thing: "Crackers",
		looks: []string{"Thin", "Crisp", "Seeded", "Salted"}, made: []string{"Rye", "Sesame", "Rice", "Chickpea"},
		places: []string{"Cheese", "Lunch", "Picnics", "Soup"}, low: 3, high: 26,
		traits: []string{"gluten free", "low sodium", "non gmo", "ready to eat", "plant based", "resealable", "dairy free"},
		axes:   []axis{{"Flavor", []string{"garlic", "pepper", "onion", "cheddar", "paprika", "original"}}, packs},
	},
	{
		category: "grocery", query: "ground coffee", path: "Grocery › Drinks › Coffee › Ground Coffee", thing: "Ground Coffee",
		looks: []string{"Strong", "Mild", "Roasted", "Fresh"}, made: []string{"Arabica", "Robusta", "Chicory", "Barley"},
		places: []string{"Filters", "Mornings", "Offices", "Campers"}, low: 6, high: 40,
		traits: []string{"non gmo", "sugar free", "resealable", "all natural", "gift wrapped", "dairy free"},
		axes:   []axis{flavours, weights},
	},
	{
		category: "grocery", query: "nut butters", path: "Grocery › Spreads › Nut Butters", thing: "Nut Butter",
		looks: []string{"Creamy", "Crunchy", "Roasted", "Smooth"}, made: []string{"Peanut", "Almond", "Cashew", "Hazelnut"},
		places: []string{"Toast", "Smoothies", "Bakers", "Children"}, low: 5, high: 34,
		traits: []string{"sugar free", "gluten free", "low sodium", "plant based", "dairy free", "non gmo"},
		axes:   []axis{{"Flavor", []string{"original", "honey", "cocoa", "maple", "salted"}}, weights},
	},
	{
		category: "grocery", query: "dried fruit", path: "Grocery › Snacks › Fruit › Dried Fruit", thing: "Dried Fruit",
		looks: []string{"Chewy", "Sliced", "Whole", "Soft"}, made: []string{"Mango", "Apple", "Apricot", "Fig"},
		places: []string{"Lunch", "Hikers", "Granola", "Children"}, low: 4, high: 30,
		traits: []string{"sugar free", "non gmo", "ready to eat", "resealable", "gluten free", "all natural"},
		axes:   []axis{weights},
	},
}

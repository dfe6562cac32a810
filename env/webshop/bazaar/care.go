package bazaar

// care is what bathrooms are full of.
var care = []kind{
	{
		category: "beauty", query: "hand creams", path: "Beauty › Skin Care › Hands › Hand Creams", thing: "Hand Cream",
		looks: []string{"Rich", "Light", "Mild", "Soothing"}, made: []string{"Almond", "Oat", "Shea", "Calendula"},
		places: []string{"Gardeners", "Nurses", "Winter", "Night"}, low: 5, high: 32,
		traits: []string{"cruelty free", "paraben free", "fragrance free", "sensitive skin", "all natural", "plant based", "gift wrapped"},
		axes:   []axis{scents, bottles},
	},
	{
		category: "beauty", query: "shampoos", path: "Beauty › Hair Care › Shampoos", thing: "Shampoo",
		looks: []string{"Gentle", "Clear", "Creamy", "Fresh"}, made: []string{"Argan", "Nettle", "Birch", "Chamomile"},
		places: []string{"Families", "Swimmers", "Curls", "Children"}, low: 6, high: 38,
		traits: []string{"dry hair", "paraben free", "cruelty free", "sensitive skin", "all natural", "plant based", "fragrance free"},
		axes:   []axis{scents, bottles},
	},
	{
		category: "beauty", query: "makeup brushes", path: "Beauty › Tools › Brushes › Makeup Brushes", thing: "Makeup Brush",
		looks: []string{"Soft", "Angled", "Dense", "Fine"}, made: []string{"Bamboo", "Nylon", "Birch", "Aluminum"},
		places: []string{"Powder", "Foundation", "Beginners", "Travel"}, low: 6, high: 55,
		traits: []string{"cruelty free", "easy to clean", "easy to carry", "carrying case", "easy to use", "sensitive skin"},
		axes:   []axis{colours, {"Style", []string{"single", "set of 5", "set of 8", "set of 12"}}},
	},
	{
		category: "beauty", query: "bath bombs", path: "Beauty › Bath › Additives › Bath Bombs", thing: "Bath Bomb",
		looks: []string{"Fizzing", "Calm", "Colorful", "Slow"}, made: []string{"Salt", "Clay", "Oat", "Cocoa"},
		places: []string{"Evenings", "Mothers", "Muscles", "Children"}, low: 4, high: 30,
		traits: []string{"all natural", "cruelty free", "sensitive skin", "paraben free", "gift wrapped", "plant based"},
		axes:   []axis{scents, packs},
	},
	{
		category: "beauty", query: "hair dryers", path: "Beauty › Hair Care › Appliances › Hair Dryers", thing: "Hair Dryer",
		looks: []string{"Quiet", "Compact", "Powerful", "Folding"}, made: []string{"Ceramic", "Titanium", "Plastic", "Aluminum"},
		places: []string{"Travel", "Salons", "Curls", "Home"}, low: 19, high: 150,
		traits: []string{"dry hair", "energy efficient", "easy to use", "easy to carry", "long lasting", "carrying case", "heavy duty"},
		axes:   []axis{colours},
	},
	{
		category: "beauty", query: "lip balms", path: "Beauty › Skin Care › Lips › Lip Balms", thing: "Lip Balm",
		looks: []string{"Clear", "Tinted", "Rich", "Matte"}, made: []string{"Beeswax", "Shea", "Cocoa", "Castor"},
		places: []string{"Winter", "Skiers", "Pockets", "Children"}, low: 3, high: 18,
		traits: []string{"cruelty free", "fragrance free", "all natural", "long lasting", "sensitive skin", "easy to carry"},
		axes:   []axis{flavours, packs},
	},
}

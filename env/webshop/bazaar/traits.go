package bazaar

// traits are what products may have. Instructions ask for them by name.
var traits = []trait{
	{"easy to clean", "Easy to clean: a damp cloth is all that it takes."},
	{"easy to assemble", "Easy to assemble: four screws, one key, ten minutes."},
	{"easy to carry", "Easy to carry: it is light and has a grip where the hand wants one."},
	{"easy to install", "Easy to install, without a drill and without a second pair of hands."},
	{"easy to use", "Easy to use: no manual to read before the first try."},
	{"dishwasher safe", "Dishwasher safe on both racks."},
	{"machine washable", "Machine washable at 30 degrees with the rest of the laundry."},
	{"hand washable", "Hand washable in cold water, dry flat."},
	{"space saving", "Space saving: it folds to the width of a book."},
	{"height adjustable", "Height adjustable in five steps."},
	{"non slip", "Non slip feet keep it where it was put."},
	{"water resistant", "Water resistant: rain runs off and does not come in."},
	{"heavy duty", "Heavy duty: tested with three times the load that it is sold for."},
	{"long lasting", "Long lasting: made to be handed on."},
	{"stainless steel", "Stainless steel parts, which do not rust."},
	{"solid wood", "Solid wood throughout, no veneer."},
	{"energy efficient", "Energy efficient: it takes less than four watts."},
	{"battery powered", "Battery powered, so that no outlet is needed."},
	{"fast charging", "Fast charging: half full in twenty minutes."},
	{"wireless bluetooth", "Wireless bluetooth over ten meters."},
	{"noise cancelling", "Noise cancelling, on trains and beside open windows."},
	{"carrying case", "Comes with a carrying case."},
	{"quick release", "Quick release lever, to be worked with one thumb."},
	{"slim fit", "Slim fit, close at the waist."},
	{"relaxed fit", "Relaxed fit with room at the shoulders."},
	{"long sleeve", "Long sleeve, to be rolled up where it is warm."},
	{"short sleeve", "Short sleeve for the months without jacket."},
	{"elastic waist", "Elastic waist with a cord inside."},
	{"rubber sole", "Rubber sole that grips on wet floors."},
	{"memory foam", "Memory foam where the weight rests."},
	{"moisture wicking", "Moisture wicking: it dries while it is worn."},
	{"comfortable", "Comfortable from breakfast on, as testers say."},
	{"cruelty free", "Cruelty free: tested on nobody but us."},
	{"paraben free", "Paraben free, as the list of contents shows."},
	{"fragrance free", "Fragrance free, for noses that mind."},
	{"sensitive skin", "Made for sensitive skin."},
	{"dry hair", "Made for dry hair and for ends that split."},
	{"all natural", "All natural: ingredients with names that can be said."},
	{"gluten free", "Gluten free, milled where no wheat is."},
	{"dairy free", "Dairy free."},
	{"sugar free", "Sugar free: sweet by what it is made of."},
	{"low sodium", "Low sodium: a third of what is usual."},
	{"non gmo", "Non gmo, with the farm's name on the bag."},
	{"plant based", "Plant based from seed to lid."},
	{"resealable", "Resealable, which keeps it crisp for weeks."},
	{"ready to eat", "Ready to eat, straight from the pack."},
	{"gift wrapped", "Gift wrapped: it comes in a box with a ribbon."},
}

// traitOf is a trait by its name.
var traitOf = func() map[string]trait {
	all := map[string]trait{}
	for _, t := range traits {
		all[t.name] = t
	}
	return all
}()

// brands come first in titles. They are nobody's.
var brands = []string{
	"Alderquist", "Brimvale", "Corvane", "Dunmarrow", "Elvaston", "Farrowlee", "Glimmerly", "Hollowick", "Inkwater", "Juniperry",
	"Kestlewood", "Lunderby", "Marlinspur", "Narrowgate", "Oakmeric", "Pellumbra", "Quillane", "Rowandale", "Sorrelby", "Thistlenook",
	"Umberlane", "Velmora", "Wexelby", "Yarrowin", "Zephraline", "Bexley Bros", "Tindra", "Cobblewick", "Fenwicket", "Harthome",
}

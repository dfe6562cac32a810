package bazaar

import "slices"

// kind is a kind of product, found with one query.
type kind struct {
	category string
	query    string // in the plural
	path     string
	thing    string   // what it is called in a title; nouns, every word
	looks    []string // words before it that are no nouns
	made     []string // of what; nouns
	places   []string // for what or whom; nouns
	traits   []string // names of traits
	axes     []axis
	low      float64 // dollars
	high     float64
}

// axis is something to be chosen.
type axis struct {
	name   string
	values []string
}

// trait is an attribute and what a product says of it.
type trait struct {
	name string // as instructions ask for it
	says string // a bullet
}

// Values of options. They are such that WebShop's normalisation of colours keeps them apart and finds them again: a
// value with a colour's name inside another word, such as a lemon in lemongrass, could never be met.
var (
	colours  = axis{"Color", []string{"red", "blue", "green", "black", "white", "yellow", "purple", "orange", "pink", "brown", "grey", "ivory", "navy", "teal", "olive"}}
	tones    = axis{"Color", []string{"light blue", "dark blue", "light green", "dark green", "light grey", "dark grey", "bright red", "deep purple", "pale pink", "warm white"}}
	clothes  = axis{"Size", []string{"x-small", "small", "medium", "large", "x-large", "xx-large"}}
	shoes    = axis{"Size", []string{"6", "6.5", "7", "7.5", "8", "8.5", "9", "9.5", "10", "11", "12"}}
	packs    = axis{"Size", []string{"pack of 1", "pack of 2", "pack of 3", "pack of 6", "pack of 12"}}
	lengths  = axis{"Length", []string{"3 feet", "6 feet", "10 feet", "15 feet", "25 feet"}}
	weights  = axis{"Size", []string{"4 ounce", "8 ounce", "12 ounce", "1 pound", "2 pound", "5 pound"}}
	bottles  = axis{"Size", []string{"30 ml", "50 ml", "100 ml", "250 ml", "500 ml"}}
	scents   = axis{"Scent", []string{"vanilla", "eucalyptus", "jasmine", "cedar", "honey", "unscented", "bergamot", "lime blossom"}}
	flavours = axis{"Flavor", []string{"hazelnut", "cinnamon", "ginger", "cherry", "raspberry", "vanilla", "caramel", "original", "honey", "coconut"}}
	rooms    = axis{"Size", []string{"2 x 3 ft", "3 x 5 ft", "4 x 6 ft", "5 x 8 ft", "8 x 10 ft"}}
	beds     = axis{"Size", []string{"twin", "full", "queen", "king", "california king"}}
	storage  = axis{"Capacity", []string{"64 gb", "128 gb", "256 gb", "512 gb", "1 tb"}}
	fits     = axis{"Fit Type", []string{"men", "women", "youth"}}
	sets     = axis{"Style", []string{"single", "set of 2", "set of 4", "with lid", "with base"}}
)

// kinds are all of them.
var kinds = slices.Concat(home, wear, care, pantry, gear)

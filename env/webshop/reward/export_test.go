package reward

var (
	Normal      = normal
	ColourAmong = colourAmong
)

package exact

// Difference is where a and b part, -1 if nowhere: of a line and what a writer makes of its value, for instance.
func Difference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return min(len(a), len(b))
}

// Near is what stands at a place of a text, as much as an error shows.
func Near(text []byte, at int) []byte { return text[at:min(len(text), at+24)] }

package parity

import "slices"

// Shrink looks for a short list of commands that still differs: commands, of which differs must be true, without
// whatever can be left out, large pieces first (Zeller and Hildebrandt 2002, "ddmin"). No single command of the
// result can be left out, unless differs has been asked budget times before that was known.
func Shrink(commands []string, budget int, differs func([]string) (bool, error)) ([]string, error) {
	kept := slices.Clone(commands)
	for size := len(kept); size > 0; {
		left := false // something was left out at this size
		for from := 0; from < len(kept); {
			if budget--; budget < 0 {
				return kept, nil
			}
			shorter := slices.Delete(slices.Clone(kept), from, min(from+size, len(kept)))
			is, err := differs(shorter)
			if err != nil {
				return nil, err
			}
			if is {
				kept, left = shorter, true
			} else {
				from += size
			}
		}
		if size = min(size, len(kept)); size == 1 && !left {
			break
		}
		if size > 1 {
			size = (size + 1) / 2
		}
	}
	return kept, nil
}

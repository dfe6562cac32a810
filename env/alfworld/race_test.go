//go:build race

package alfworld_test

// raceEnabled says that the race detector, which multiplies memory, is on.
const raceEnabled = true

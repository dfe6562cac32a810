package household

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// rounds of refinement: from a thing over its receptacle and their place to the other things there is four steps.
const rounds = 4

// Fingerprint returns a digest of what a game is about, whatever its ids, its numbers and the order of its facts:
// the kinds and states of things, where they lie, the layout of the receptacles, and the goal. Two games that can be
// renamed into each other have the same fingerprint; so have, by colour refinement (Weisfeiler and Leman 1968), some
// that cannot, but none whose things are in one receptacle each at its place. Wording, walkthrough and what is
// fixed between types alone (canContain) do not count. It reads every game.tw-pddl file.
func Fingerprint(data []byte) (string, error) {
	text, err := problemText(data)
	if err != nil {
		return "", err
	}
	return fingerprint(text)
}

// fingerprint is Fingerprint of the problem's text.
func fingerprint(text string) (string, error) {
	p, err := readProblem(text)
	if err != nil {
		return "", err
	}
	colours := map[string]uint64{}
	for _, fact := range p.facts {
		for _, arg := range fact[1:] {
			if instance(arg) {
				colours[arg] = 0
			}
		}
	}
	for range rounds {
		colours = refine(p.facts, colours)
	}
	lines := []string{"goal " + p.goal}
	for _, fact := range p.facts {
		if slices.ContainsFunc(fact[1:], instance) {
			lines = append(lines, paint(fact, colours))
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:]), nil
}

// instance tells a thing, receptacle or location from a type or the player, which keep their names.
func instance(id string) bool { return strings.Contains(id, "_bar_") }

// paint writes a fact with colours in the place of instances.
func paint(fact []string, colours map[string]uint64) string {
	line := make([]byte, 0, 64)
	line = append(line, fact[0]...)
	for _, arg := range fact[1:] {
		line = append(line, ' ')
		if c, ok := colours[arg]; ok {
			line = strconv.AppendUint(line, c, 16)
		} else {
			line = append(line, arg...)
		}
	}
	return string(line)
}

// refine gives every instance a colour made of its old one and of the facts it stands in.
func refine(facts [][]string, old map[string]uint64) map[string]uint64 {
	around := make(map[string][]string, len(old))
	for _, fact := range facts {
		line := paint(fact, old)
		for i, arg := range fact[1:] {
			if _, ok := old[arg]; ok {
				around[arg] = append(around[arg], strconv.Itoa(i)+" "+line)
			}
		}
	}
	fresh := make(map[string]uint64, len(old))
	for id, lines := range around {
		slices.Sort(lines)
		sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
		fresh[id] = binary.BigEndian.Uint64(sum[:])
	}
	return fresh
}

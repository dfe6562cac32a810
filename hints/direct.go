package hints

import (
	"context"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
)

// direct is commands, which win, as one who knew all from the start would go about it: without the ways walked in
// vain and what is opened, looked at, picked up or put down on the way, and with everything opened where it is
// needed. A plan that goes straight to its targets stays as it is. The game has the last word on what can be left
// out, so a plan in unknown words is cut, too, though perhaps in another order than one would choose.
func direct(ctx context.Context, game env.Game, limits env.Limits, commands []string) ([]string, error) {
	plan, won, err := follow(ctx, game, limits, tidied(commands))
	if err == nil && !won {
		plan = commands
	}
	for i := 0; err == nil && i < len(plan)-1; { // the last one wins
		var shorter []string
		if shorter, won, err = follow(ctx, game, limits, slices.Delete(slices.Clone(plan), i, i+1)); won {
			plan = shorter // what stood behind command i has moved up, or has gone with it
		} else {
			i++
		}
	}
	return plan, err
}

// follow plays commands from the first state to the first win, passing over those that are not on offer when their
// turn comes, and returns those it said.
func follow(ctx context.Context, game env.Game, limits env.Limits, commands []string) (said []string, won bool, err error) {
	episode, err := game.Start(ctx, limits)
	if err != nil {
		return nil, false, err
	}
	for _, c := range commands {
		if !episode.Now().Actions.Allow(c) {
			continue
		}
		now, err := episode.Step(ctx, c)
		if err != nil {
			return nil, false, err
		}
		if said = append(said, c); now.Won {
			return said, true, nil
		}
	}
	return nil, false, nil
}

// tidied is what commands do, each deed with the last way walked before it and, unless that has been said, the
// opening of what it names. It goes by ALFWorld's verbs, which save direct most of its trials.
func tidied(commands []string) []string {
	var kept []string
	way, opened, open := "", map[string]bool{}, map[string]bool{} // opened by commands; open by what is kept
	for _, c := range commands {
		verb, thing, _ := strings.Cut(c, " ")
		switch verb {
		case "go":
			way = c
			continue
		case "open":
			opened[thing] = true
			continue
		case "examine", "close", "look", "inventory", "help":
			continue
		}
		if way != "" {
			kept, way = append(kept, way), ""
		}
		for _, thing := range named(c) {
			if opened[thing] && !open[thing] {
				kept, open[thing] = append(kept, "open "+thing), true
			}
		}
		kept = append(kept, c)
	}
	return kept
}

// named are the things with a number in command: "mug 1" and "cabinet 3" of "take mug 1 from cabinet 3".
func named(command string) []string {
	var all []string
	words := strings.Fields(command)
	for i, w := range words[min(1, len(words)):] {
		if strings.Trim(w, "0123456789") == "" {
			all = append(all, words[i]+" "+w)
		}
	}
	return all
}

package skills

import "strings"

// How many general skills of the bank and how many mistakes are shown by type (SkillRL's skills-only memory).
const (
	shownGeneral  = 6
	shownMistakes = 5
)

// byType is SkillRL's rule, in which nothing is scored: the first 6 general skills of the bank that the run began with,
// all general ones that were born since, all of the task's type, then the first 5 mistakes. General is without a type;
// a mistake is a general skill of a failure. Each in birth order.
func (l *Library) byType(of string, keeps Filter) []Pick {
	var general, typed, mistakes []Pick
	bank := 0
	for _, s := range l.skills {
		switch {
		case !keeps.keeps(s.Outcome):
		case s.Type != "" && s.Type == of:
			typed = append(typed, Pick{Skill: s})
		case s.Type != "":
		case s.Outcome == Failure:
			if len(mistakes) < shownMistakes {
				mistakes = append(mistakes, Pick{Skill: s})
			}
		case s.Born > 0:
			general = append(general, Pick{Skill: s})
		case bank < shownGeneral:
			bank++
			general = append(general, Pick{Skill: s})
		}
	}
	return append(append(general, typed...), mistakes...)
}

// TaskType is the type of an ALFWorld task by words in its text, as SkillRL tells them. Case does not count.
func TaskType(task string) string {
	task = strings.ToLower(task)
	has := func(word string) bool { return strings.Contains(task, word) }
	switch {
	case has("look at") && has("under"):
		return "look_at_obj_in_light"
	case has("clean"):
		return "clean"
	case has("heat"):
		return "heat"
	case has("cool"):
		return "cool"
	case has("examine"), has("find"):
		return "examine"
	}
	return defaultType
}

// defaultType is the type of a task that no word tells.
const defaultType = "pick_and_place"

// householdWords tell the type of a task in the words of Hone's own household games, which has none of SkillRL's.
var householdWords = []struct{ words, kind string }{
	{"in the light of", "look_at_obj_in_light"},
	{"study ", "look_at_obj_in_light"},
	{"wash ", "clean"},
	{"warm up ", "heat"},
	{"ends up hot", "heat"},
	{"chill ", "cool"},
	{"ends up cold", "cool"},
}

// QueryType is the type that skills are looked for by: TaskType, and where SkillRL's words say nothing that of Hone's
// household games. (A skill's own type at birth is TaskType alone, so that libraries stay what they are.)
func QueryType(task string) string {
	kind := TaskType(task)
	if kind != defaultType {
		return kind
	}
	task = strings.ToLower(task)
	for _, w := range householdWords {
		if strings.Contains(task, w.words) {
			return w.kind
		}
	}
	return kind
}

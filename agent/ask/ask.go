package ask

import (
	"fmt"
	"strings"

	"github.com/hone-rl/hone/agent"
)

// openQuery is the tag that a prompt for a query ends with: the answer goes on behind it.
const openQuery = "<query>"

// Query asks for the sentence that skills are looked for by.
func (s Set) Query(scene Scene) string {
	p := page{set: s, world: scene.World}
	p.head("query", scene.World.words().role+" Lessons from earlier games are at hand, and you may ask for them once. Write one sentence "+
		"on what you need to know: what kind of task it is, and which things and places it is about. Put it between <query> and "+
		"</query>, like this: <query>"+scene.World.words().example+"</query>")
	p.task(scene.X.Goal)
	p.sees(scene.X.Observation)
	return p.String() + openQuery
}

// Rank asks for an order of skills, which are numbered from 1. It is for two or more.
func (s Set) Rank(scene Scene, skills []Skill) string {
	p := page{set: s, world: scene.World}
	p.head("rank", scene.World.words().role+" Below are lessons from earlier games. Put their numbers in order, the one that will help "+
		"most with this task first, between <rank> and </rank>, like this for three: <rank>2,3,1</rank>")
	p.task(scene.X.Goal)
	p.sees(scene.X.Observation)
	for i, skill := range skills {
		p.skill(fmt.Sprint(i+1), skill)
	}
	return p.String()
}

// Act asks for the next command. X.History is what is shown of the turns before. For a set that grows it is Start and
// Turn of the first look.
func (s Set) Act(scene Scene) string {
	p := page{set: s, world: scene.World}
	p.WriteString(s.Start(scene))
	if s.Grows() {
		return p.String() + s.Turn(scene.World, scene.X.Observation)
	}
	if scene.Taken > len(scene.X.History) {
		p.full("You have given %d commands; the last %d are shown.", scene.Taken, len(scene.X.History))
	}
	p.turns(scene.X.History)
	p.sees(scene.X.Observation)
	if !s.brief() {
		p.full("Possible commands:")
		for _, c := range scene.X.Offered() {
			p.full("- %s", agent.Fold(c))
		}
	}
	return p.String()
}

// Start is what a prompt for a command begins with throughout an episode: what is asked, the task and the skills.
func (s Set) Start(scene Scene) string {
	p := page{set: s, world: scene.World}
	p.head("act", scene.World.words().role+" First think, between <think> and </think>: what is known, what is missing, what brings "+
		"the task on. Then give one of the possible commands, "+scene.World.words().say+" between <action> and </action>.")
	p.task(scene.X.Goal)
	if len(scene.Skills) > 0 {
		p.full("Lessons from earlier games follow. %s: where they do not fit what you see, go by what you see.", scene.World.words().elsewhere)
		for i, skill := range scene.Skills {
			p.skill(fmt.Sprint(i+1), skill)
		}
	}
	return p.String()
}

// Turn is what the game says, behind Start or the answer of the turn before. For sets that grow.
func (s Set) Turn(world World, observation string) string {
	p := page{set: s, world: world}
	p.sees(observation)
	return p.String()
}

// End asks for the lesson of an episode, behind its last answer: how it ended. For sets that grow.
func (s Set) End(world World, won bool, last string) string {
	p := page{set: s, world: world}
	p.sees(last)
	p.brief("game: %s", outcome(won))
	p.brief("learn")
	return p.String()
}

// Distil asks for the lesson of an episode, as a JSON object.
func (s Set) Distil(e Episode) string {
	p := page{set: s, world: e.World}
	p.head("learn", e.World.words().role+" A game is over. Say what can be learnt from it for other games of its kind. Answer with one "+
		"JSON object: subtasks, a list of {name, description, status}, where status is completed or incomplete and name is one of "+
		e.World.words().subtasks+"; task_success, true or false; action_lesson, what to do, or null; navigation_lesson, "+
		e.World.words().where+", or null; description_head, one or two sentences on when these lessons apply.")
	p.task(e.Task)
	if e.Other != nil {
		p.full("Another game of the same task, which was %s:", outcome(e.Other.Won))
		p.brief("other: %s", outcome(e.Other.Won))
		p.turns(e.Other.Turns)
		p.sees(e.Other.Last)
	}
	p.full("The game, which was %s:", outcome(e.Won))
	p.brief("game: %s", outcome(e.Won))
	p.turns(e.Turns)
	p.sees(e.Last)
	return p.String()
}

func outcome(won bool) string {
	if won {
		return "won"
	}
	return "lost"
}

// page is a prompt being written, line by line. What a game or a skill says is folded, so that it cannot begin a part.
type page struct {
	set   Set
	world World
	strings.Builder
}

func (p *page) write(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// full and brief write a line of one of the sets only.
func (p *page) full(format string, args ...any) {
	if !p.set.brief() {
		p.write(format, args...)
	}
}

func (p *page) brief(format string, args ...any) {
	if !p.set.brief() {
		return
	}
	text := fmt.Sprintf(format, args...)
	if p.world == Shop {
		text = shelf(text)
	}
	p.WriteString(text + "\n")
}

// head is what is asked: a word, or all of it.
func (p *page) head(word, text string) {
	p.brief("%s", word)
	p.full("%s\n", text)
}

func (p *page) task(goal string) {
	p.full("Task: %s", agent.Fold(goal))
	p.brief("goal: %s", agent.Fold(goal))
}

func (p *page) sees(text string) {
	p.full("You see: %s", agent.Shown(text))
	p.brief("now: %s", agent.Shown(text))
}

func (p *page) skill(number string, s Skill) {
	p.full("[Lesson %s] When: %s Do: %s", number, agent.Fold(s.Head), agent.Fold(s.Strategy))
	p.brief("skill %s: %s: %s", number, agent.Fold(s.Head), agent.Fold(s.Strategy))
}

func (p *page) turns(turns []agent.Turn) {
	for _, t := range turns {
		p.sees(t.Observation)
		p.full("You did: %s", agent.Fold(t.Command))
		p.brief("do: %s", agent.Fold(t.Command))
	}
}

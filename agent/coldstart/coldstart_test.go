package coldstart_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/coldstart"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/gpu"
)

// stop is the token that ends an answer; all others are bytes.
const stop = 256

type bytes struct{}

func (bytes) EncodePlain(text string) []int32 {
	ids := make([]int32, len(text))
	for i := range text {
		ids[i] = int32(text[i])
	}
	return ids
}

func decode(ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		if id == stop {
			b.WriteString("|")
		} else {
			b.WriteByte(byte(id))
		}
	}
	return b.String()
}

// won is an expert's episode: a mug goes from a desk to a shelf.
func won(game, family, goal string) coldstart.Episode {
	first := agent.X{Goal: goal, Observation: "You see a desk 1.", Admissible: []string{"go to desk 1"}}
	second := first
	second.History = []agent.Turn{{Observation: "You see a desk 1.", Command: "go to desk 1"}}
	second.Observation = "On the desk 1, you see a mug 2."
	third := second
	third.History = append(slices.Clone(second.History), agent.Turn{Observation: second.Observation, Command: "take mug 2 from desk 1"})
	third.Observation = "You pick up the mug 2."
	return coldstart.Episode{Game: game, Family: family, Decisions: []coldstart.Decision{
		{first, "go to desk 1"}, {second, "take mug 2 from desk 1"}, {third, "go to shelf 3"},
	}, Last: "You arrive at shelf 3."}
}

func config(set ask.Set) coldstart.Config {
	return coldstart.Config{
		Form: rollout.Plain{Tokens: bytes{}}, Answers: bytes{}, Stop: stop, Prompts: set, World: ask.Household, Query: true, Rank: true, Distil: true, Seed: 3,
	}
}

func pool() *coldstart.Pool {
	return coldstart.NewPool(ask.Household, []coldstart.Episode{
		won("a", "pick", "put some mug on shelf"), won("b", "pick", "put a mug in shelf"), won("c", "heat", "heat some mug"), won("d", "cool", "cool some mug"),
		won("e", "pick", "put some mug on desk"),
	})
}

func learned(x gpu.Example) []string {
	var all []string
	for a := range x.Answers() {
		all = append(all, decode(x.Tokens[a.From:a.To]))
	}
	return all
}

const lesson = `{"subtasks":[{"name":"pick up","description":"take mug from desk","status":"completed"}],"task_success":true,` +
	`"action_lesson":"take mug from desk","navigation_lesson":"desk, shelf","description_head":"To put some mug on shelf."}`

// A conversation is one example with an answer for each command, and what the game says between them is only read.
func TestConversation(t *testing.T) {
	made, err := config(ask.Turns).Examples(t.Context(), won("a", "pick", "put some mug on shelf"), pool())
	if err != nil || len(made.Examples) != 3 || made.Over != 0 {
		t.Fatalf("%d examples, %d over, %v", len(made.Examples), made.Over, err)
	}
	query, rank, act := made.Examples[0], made.Examples[1], made.Examples[2]
	if got := decode(query.Tokens); got != "query\ngoal: put some mug on shelf\nnow: You see a desk 1.\n<query>To put some mug on shelf.</query>|" {
		t.Errorf("query %q", got)
	}
	want := "act\ngoal: put some mug on shelf\nnow: You see a desk 1.\n<think>go to desk</think><action>go to desk 1</action>|" +
		"now: On the desk 1, you see a mug 2.\n<think>take mug from desk</think><action>take mug 2 from desk 1</action>|" +
		"now: You pick up the mug 2.\n<think>go to shelf</think><action>go to shelf 3</action>|" +
		"now: You arrive at shelf 3.\ngame: won\nlearn\n" + lesson + "|"
	if got := decode(act.Tokens); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for i, command := range []string{"go to desk 1", "take mug 2 from desk 1", "go to shelf 3"} {
		if got := learned(act)[i]; got != coldstart.Answer(ask.Household, command)+"|" {
			t.Errorf("answer %d: %q", i, got)
		}
	}
	if got := learned(act); len(got) != 4 || got[3] != lesson+"|" {
		t.Errorf("lesson %q", got)
	}
	if got := learned(rank); len(got) != 1 || !strings.HasPrefix(got[0], "<rank>") {
		t.Errorf("order %q", got)
	}
	for i, x := range made.Examples {
		if err := x.Check(); err != nil {
			t.Errorf("example %d: %v", i, err)
		}
	}
}

// What is taught is what the readers of answers read.
func TestRead(t *testing.T) {
	in, first := map[int]int{}, map[string]int{}
	for i := range 60 {
		e := won(fmt.Sprint("game", i), "pick", "put some mug on shelf")
		made, err := config(ask.Brief).Examples(t.Context(), e, pool())
		if err != nil || len(made.Examples) != 6 {
			t.Fatalf("%d examples, %v", len(made.Examples), err)
		}
		text := func(k int) string { return strings.TrimSuffix(learned(made.Examples[k])[0], "|") }
		if got := reply.Query(text(0)); got != "To put some mug on shelf." {
			t.Errorf("query %q", got)
		}
		prompt := decode(made.Examples[1].Tokens[:made.Examples[1].Answer])
		n := strings.Count(prompt, "skill ")
		order := reply.Rank(text(1), n)
		if !order.Parsed || n < 2 || !slices.IsSorted(order.Order) {
			t.Errorf("order %v of\n%s", order.Order, prompt)
		}
		in[n]++
		_, best, _ := strings.Cut(prompt, "skill 1: ")
		first[strings.SplitN(best, ".", 2)[0]]++
		for k, command := range []string{"go to desk 1", "take mug 2 from desk 1", "go to shelf 3"} {
			if got := (reply.Projection{}).Action(text(2 + k)); !got.Valid() || got.Command != command {
				t.Errorf("action %+v, want %q", got, command)
			}
		}
		l, err := reply.Distilled(text(5))
		if err != nil || l.Strategy() != "Action: take mug from desk | Navigation: desk, shelf" || l.Head != "To put some mug on shelf." || l.Completion() != 1 {
			t.Errorf("lesson %+v, %v", l, err)
		}
	}
	if len(in) != 4 || in[2] < 5 || in[3] < 5 || in[4] < 5 || in[5] < 5 || len(first) < 3 {
		t.Errorf("so many lessons: %v, first of them %v; want two to five, and not always the same first", in, first)
	}
}

// A skill is shown to the share of episodes that is asked for, never an episode's own, and each episode always the same.
func TestSkilled(t *testing.T) {
	c := config(ask.Turns)
	c.Query, c.Rank, c.Distil, c.Skilled = false, false, false, 0.5
	shown, other := 0, 0
	for i := range 100 {
		e := won(fmt.Sprint("game", i), "pick", "put some mug on shelf")
		if i == 0 {
			e = won("a", "pick", "put some mug on shelf")
		}
		made, err := c.Examples(t.Context(), e, pool())
		again, _ := c.Examples(t.Context(), e, pool())
		if err != nil || len(made.Examples) != 1 || !slices.Equal(made.Examples[0].Tokens, again.Examples[0].Tokens) {
			t.Fatalf("%d examples, %v, or another one again", len(made.Examples), err)
		}
		text := decode(made.Examples[0].Tokens)
		if strings.Contains(text, "skill 1: ") {
			shown++
		}
		if e.Game == "a" && strings.Contains(text, "skill 1: To put some mug on shelf.") {
			t.Error("an episode's own lesson is shown to it")
		}
		if strings.Contains(text, "heat some mug") || strings.Contains(text, "cool some mug") {
			other++
		}
	}
	if other == 0 || other > 20 {
		t.Errorf("lessons of other families are shown to %d of 100, want a few: a library knows no families", other)
	}
	if shown < 30 || shown > 70 {
		t.Errorf("shown to %d of 100, want about 50", shown)
	}
}

// What is shown is like the task, as what a library finds. Of 20 lessons one has the task's thing: it is the best of 1, 2,
// 4 … 256 drawn with probability 0.05, 0.10, 0.19, 0.34, 0.56, 0.81, 0.96, 1 and 1, 0.556 on average.
func TestShownIsLike(t *testing.T) {
	var episodes []coldstart.Episode
	for i := range 20 {
		goal := fmt.Sprintf("put some thing%d on place%d", i, i)
		if i == 7 {
			goal = "put some mug on place7"
		}
		episodes = append(episodes, won(fmt.Sprint("lesson", i), "pick", goal))
	}
	c, lessons, like := config(ask.Turns), coldstart.NewPool(ask.Household, episodes), 0
	c.Query, c.Rank, c.Distil, c.Skilled = false, false, false, 1
	for i := range 500 {
		made, err := c.Examples(t.Context(), won(fmt.Sprint("game", i), "pick", "put some mug on shelf"), lessons)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(decode(made.Examples[0].Tokens), "skill 1: To put some mug on place7.") {
			like++
		}
	}
	if like < 240 || like > 315 {
		t.Errorf("%d of 500 are shown the lesson on their thing, want about 278", like)
	}
}

// Queries, orders and lessons are taught of the share of episodes that is asked for, of an episode all or none; 0 is of all.
func TestBeside(t *testing.T) {
	for share, want := range map[float64][2]int{0: {100, 100}, 0.25: {10, 40}, 1: {100, 100}} {
		c := config(ask.Turns)
		c.Beside = share
		asked := 0
		for i := range 100 {
			made, err := c.Examples(t.Context(), won(fmt.Sprint("game", i), "pick", "put some mug on shelf"), pool())
			switch n := len(made.Examples); {
			case err != nil:
				t.Fatal(err)
			case n == 3 && len(learned(made.Examples[2])) == 4:
				asked++
			case n != 1 || len(learned(made.Examples[0])) != 3:
				t.Fatalf("%d examples, want all three with the lesson, or the commands alone", n)
			}
		}
		if asked < want[0] || asked > want[1] {
			t.Errorf("share %v: of %d of 100 episodes, want %d to %d", share, asked, want[0], want[1])
		}
	}
}

// What is too long is left out and counted: of a conversation its end.
func TestOver(t *testing.T) {
	c := config(ask.Turns)
	c.MaxTokens = 230 // two commands have 222
	made, err := c.Examples(t.Context(), won("a", "pick", "put some mug on shelf"), pool())
	if err != nil {
		t.Fatal(err)
	}
	if made.Shortest != len("query\ngoal: put some mug on shelf\nnow: You see a desk 1.\n<query>To put some mug on shelf.</query>|") {
		t.Errorf("the shortest has %d tokens", made.Shortest)
	}
	if len(made.Examples) != 2 || made.Over != 3 || len(learned(made.Examples[1])) != 2 {
		t.Errorf("%d examples, %d over, want the query and two commands; order, a command and lesson over", len(made.Examples), made.Over)
	}
	if _, err := c.Examples(t.Context(), coldstart.Episode{Game: "none"}, pool()); err == nil || !strings.Contains(err.Error(), "cold start: none: expected an episode with commands") {
		t.Errorf("error %v", err)
	}
}

// The texts are what the examples say, each as it is encoded, whatever is too long as an example.
func TestTexts(t *testing.T) {
	c := config(ask.Turns)
	want, err := c.Examples(t.Context(), won("a", "pick", "put some mug on shelf"), pool())
	if err != nil {
		t.Fatal(err)
	}
	c.MaxTokens = 10
	texts, err := c.Texts(t.Context(), won("a", "pick", "put some mug on shelf"), pool())
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, x := range want.Examples {
		all.WriteString(decode(slices.DeleteFunc(x.Tokens, func(id int32) bool { return id == stop })))
	}
	if got := strings.Join(texts, ""); got != all.String() {
		t.Errorf("got\n%s\nwant\n%s", got, all.String())
	}
	if len(texts) != 3*2+6 || texts[5] != coldstart.Answer(ask.Household, "go to desk 1") || texts[6] != "now: On the desk 1, you see a mug 2.\n" {
		t.Errorf("%d texts: %q", len(texts), texts)
	}
}

// What a pool is good for depends on how many games it has.
func TestPool(t *testing.T) {
	one, same, heat := won("a", "pick", "put some mug on shelf"), won("b", "pick", "put a mug in shelf"), won("c", "heat", "heat some mug")
	for name, tt := range map[string]struct {
		of           []coldstart.Episode
		shows, ranks bool
	}{
		"none": {}, "one": {[]coldstart.Episode{one}, false, false}, "one game twice": {[]coldstart.Episode{one, one}, false, false},
		"two": {[]coldstart.Episode{one, heat}, true, false}, "three": {[]coldstart.Episode{one, same, heat}, true, true},
	} {
		if p := coldstart.NewPool(ask.Household, tt.of); p.Shows() != tt.shows || p.Ranks() != tt.ranks {
			t.Errorf("%s: shows %v, ranks %v", name, p.Shows(), p.Ranks())
		}
	}
}

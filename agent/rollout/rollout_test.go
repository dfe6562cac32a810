package rollout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/internal/shelves"
	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
)

// end is the token that ends an answer; all others are bytes.
const end = 256

type bytes struct{}

var coder bytes

func (bytes) EncodePlain(text string) []int32 {
	ids := make([]int32, len(text))
	for i := range text {
		ids[i] = int32(text[i])
	}
	return ids
}

func (bytes) DecodePlain(ids []int32) string {
	text := make([]byte, len(ids))
	for i, id := range ids {
		text[i] = byte(id)
	}
	return string(text)
}

// script answers by the prompt and the seed, and remembers what it was asked.
type script struct {
	answer func(prompt string, seed uint64) string
	mu     sync.Mutex
	asked  []gpu.Sampling
}

func (s *script) Sample(_ context.Context, requests []gpu.Sampling) ([]gpu.Sampled, error) {
	all := make([]gpu.Sampled, len(requests))
	for i, r := range requests {
		s.mu.Lock()
		s.asked = append(s.asked, r)
		s.mu.Unlock()
		text := s.answer(coder.DecodePlain(r.Prompt), r.Seed)
		if text == "fail" {
			return nil, errors.New("the device is lost")
		}
		ids := append(coder.EncodePlain(text), end)
		if len(ids) > r.MaxTokens {
			ids = ids[:r.MaxTokens]
		}
		all[i] = gpu.Sampled{Tokens: ids, Drawn: make([]float32, len(ids)), Stopped: ids[len(ids)-1] == end}
		for k := range ids {
			all[i].Drawn[k] = -float32(k)
		}
	}
	return all, nil
}

func (*script) Choose(context.Context, []gpu.Choice) ([]gpu.Chosen, error) {
	return nil, errors.New("not asked for here")
}
func (*script) Close() error { return nil }

const lesson = `{"subtasks":[],"task_success":true,"action_lesson":"Take the mug.","navigation_lesson":null,"description_head":"Mugs."}`

// mover knows where the mug is from the skill that it is shown, and else looks on shelf 1.
func mover(prompt string, _ uint64) string {
	last := prompt[strings.LastIndex(prompt, "now: "):]
	say := func(command string) string { return "<think>so</think><action>" + command + "</action>" }
	switch first, _, _ := strings.Cut(prompt, "\n"); {
	case first == "query":
		return "where mugs are</query>"
	case first == "rank":
		return "<rank>2</rank>"
	case first == "learn", strings.HasSuffix(prompt, "\nlearn\n"):
		return lesson
	case strings.Contains(last, "see a mug 1"):
		if strings.Contains(last, "shelf 2") {
			return say("take mug 1 from shelf 2")
		}
		return say("take mug 1 from shelf 1")
	case strings.Contains(last, "pick up"):
		return say("go to desk 1")
	case strings.Contains(last, "arrive at desk"):
		return say("move mug 1 to desk 1")
	case strings.Contains(prompt, "shelf two"):
		return say("go to shelf 2")
	}
	return say("go to shelf 1")
}

// shelf is a library of two skills, of which only a query about mugs finds the second.
type shelf struct{}

func (shelf) Find(_ context.Context, query string, _ uint64) ([]rollout.Found, error) {
	first := rollout.Found{ID: "a", Utility: 0.5, Relevance: 0.9, Head: "Anything.", Strategy: "look around"}
	switch query {
	case "where mugs are":
		return []rollout.Found{first, {ID: "b", Utility: 0.75, Relevance: 0.8, Head: "Mugs.", Strategy: "they are on shelf two"}}, nil
	case "put a mug on desk":
		return []rollout.Found{first}, nil
	}
	return nil, nil
}

func config(p gpu.Policy) rollout.Config {
	return rollout.Config{
		Policy: p, Form: rollout.Plain{Tokens: bytes{}}, Decoder: bytes{}, Prompts: ask.Brief, Skills: shelf{}, Query: true, Rank: true, Distil: true,
		Projection: reply.Projection{Tail: 30}, History: 50, Positions: 4000, Stop: []int32{end}, Draw: rollout.Draw{Temperature: 1},
		Answer: map[rollout.Phase]int{rollout.Query: 100, rollout.Rank: 100, rollout.Act: 100, rollout.Distil: 400},
	}
}

func task(at int) rollout.Task {
	return rollout.Task{Game: shelves.Game{Name: fmt.Sprintf("g/%d", at), Kind: "pick", At: at}, Seed: 7}
}

func play(t testing.TB, cfg rollout.Config, tasks ...rollout.Task) []rollout.Episode {
	t.Helper()
	var all []rollout.Episode
	if err := rollout.Play(t.Context(), cfg, tasks, func(e rollout.Episode) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b rollout.Episode) int {
		return strings.Compare(fmt.Sprint(a.Game, a.Rollout), fmt.Sprint(b.Game, b.Rollout))
	})
	return all
}

func commands(e rollout.Episode) []string {
	var all []string
	for _, s := range e.Steps {
		all = append(all, s.Command)
	}
	return all
}

func phases(e rollout.Episode) string {
	var all []string
	for _, s := range e.Said {
		all = append(all, string(s.Phase))
	}
	return strings.Join(all, " ")
}

// An episode with all phases, by hand: the query finds a second skill, which the order puts first, and only that is shown.
func TestEpisode(t *testing.T) {
	p := &script{answer: mover}
	e := play(t, config(p), task(2))[0]
	if want := []string{"go to shelf 2", "take mug 1 from shelf 2", "go to desk 1", "move mug 1 to desk 1"}; !slices.Equal(commands(e), want) {
		t.Errorf("commands %q, want %q", commands(e), want)
	}
	if !e.Outcome.Won || e.Outcome.Steps != 4 || phases(e) != "query rank act act act act distil" {
		t.Errorf("outcome %+v by %s", e.Outcome, phases(e))
	}
	if !slices.Equal(e.Order, []int{1, 0}) || !e.Ranked || !slices.Equal(e.Shown, []string{"b"}) || len(e.Found) != 2 || e.Found[1].Utility != 0.75 {
		t.Errorf("found %+v, order %v, shown %q", e.Found, e.Order, e.Shown)
	}
	if e.Lesson == nil || e.Lesson.Head != "Mugs." {
		t.Errorf("lesson %+v", e.Lesson)
	}
	for i, s := range e.Said {
		if s.Fault != "" || !s.Stopped || len(s.LogProbs) != len(s.Tokens) || s.Tokens[len(s.Tokens)-1] != end {
			t.Errorf("answer %d: %+v", i, s)
		}
	}
	// What was asked comes back from the record, token by token.
	for i, ids := range e.Prompts() {
		if !slices.Equal(ids, p.asked[i].Prompt) {
			t.Errorf("prompt %d: got %q, want %q", i, coder.DecodePlain(ids), coder.DecodePlain(p.asked[i].Prompt))
		}
	}
	if got := e.Said[3].Same; got != len(p.asked[2].Prompt) {
		t.Errorf("the second prompt for a command begins with %d tokens of the first, want all %d", got, len(p.asked[2].Prompt))
	}
	if err := agent.Replay(t.Context(), task(2).Game, e.Trajectory, env.Limits{}); err != nil {
		t.Error(err)
	}
}

// A query that finds nothing, or says nothing, leaves what the task's text found; with one skill there is nothing to rank.
func TestQueryFindsNothing(t *testing.T) {
	for query, fault := range map[string]string{"where spoons are</query>": "", " </query>": "empty query"} {
		e := play(t, config(&script{answer: func(prompt string, seed uint64) string {
			if strings.HasPrefix(prompt, "query\n") {
				return query
			}
			return mover(prompt, seed)
		}}), task(1))[0]
		if len(e.Found) != 1 || !slices.Equal(e.Shown, []string{"a"}) || e.Said[0].Fault != fault || e.Ranked || !strings.HasPrefix(phases(e), "query act ") {
			t.Errorf("%q: found %+v, shown %q, fault %q by %s", query, e.Found, e.Shown, e.Said[0].Fault, phases(e))
		}
	}
}

// What is switched off is not asked for, and the task's text finds the skills.
func TestEpisodeParts(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*rollout.Config)
		bare   bool
		phases string
		shown  []string
	}{
		"no query":   {func(c *rollout.Config) { c.Query = false }, false, "act act act act distil", []string{"a"}},
		"no rank":    {func(c *rollout.Config) { c.Rank = false }, false, "query act act act act distil", []string{"a"}},
		"show both":  {func(c *rollout.Config) { c.Show = 5 }, false, "query rank act act act act distil", []string{"b", "a"}},
		"no lesson":  {func(c *rollout.Config) { c.Distil = false }, false, "query rank act act act act", []string{"b"}},
		"no library": {func(c *rollout.Config) { c.Skills = nil }, false, "act act act act distil", nil},
		"bare":       {func(*rollout.Config) {}, true, "act act act act distil", nil},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, task := config(&script{answer: mover}), task(1)
			if slices.Contains(tt.shown, "b") {
				task.Game = shelves.Game{Name: "g/2", Kind: "pick", At: 2}
			}
			task.Bare = tt.bare
			tt.change(&cfg)
			if e := play(t, cfg, task)[0]; phases(e) != tt.phases || !slices.Equal(e.Shown, tt.shown) || !e.Outcome.Won {
				t.Errorf("phases %s, shown %q, outcome %+v, want %s, %q", phases(e), e.Shown, e.Outcome, tt.phases, tt.shown)
			}
		})
	}
}

// What a model says out of form is kept, done as the rules say, and told.
func TestEpisodeFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		phase string
		says  string
		fault string
	}{
		"no order":      {"rank", "<rank>none</rank>", "no order"},
		"empty query":   {"query", "</query>", "empty query"},
		"no action":     {"act", "look", "no action"},
		"no thought":    {"act", "<action>look</action>", "no think"},
		"no lesson":     {"learn", "none", "lesson: expected a JSON object in the reply"},
		"never stopped": {"act", strings.Repeat("x", 100), "no action"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(&script{answer: func(prompt string, seed uint64) string {
				if strings.HasPrefix(prompt, tt.phase+"\n") {
					return tt.says
				}
				return mover(prompt, seed)
			}})
			cfg.MaxSteps = 6
			e := play(t, cfg, task(2))[0]
			found := 0
			for _, s := range e.Said {
				if s.Fault == tt.fault {
					found++
				} else if s.Fault != "" {
					t.Errorf("fault %q, want %q", s.Fault, tt.fault)
				}
			}
			want := 1
			if tt.phase == "act" {
				want = 6
			}
			if found != want {
				t.Errorf("%d faults %q, want %d", found, tt.fault, want)
			}
			if err := agent.Replay(t.Context(), task(2).Game, e.Trajectory, env.Limits{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Turns that do not fit are left out, the oldest first and whole; what fits with none of them ends the episode.
func TestFitting(t *testing.T) {
	looker := func(prompt string, _ uint64) string { return "<think>a</think><action>look</action>" }
	p := &script{answer: looker}
	cfg := config(p)
	cfg.Skills, cfg.Distil, cfg.MaxSteps, cfg.Positions = nil, false, 9, 320
	e := play(t, cfg, task(1))[0]
	if e.Outcome.Reason != agent.ReasonSteps || len(e.Said) != 9 {
		t.Fatalf("outcome %+v after %d answers", e.Outcome, len(e.Said))
	}
	for i, r := range p.asked {
		text := coder.DecodePlain(r.Prompt)
		if len(r.Prompt)+100 > 320 || !strings.HasPrefix(text, "act\ngoal: put a mug on desk\nnow: You ") || !strings.HasSuffix(text, "\n") {
			t.Errorf("prompt %d: %q", i, text)
		}
	}
	// The first turn has 103 tokens and each further one 24: of 192 behind the head, the last seven and what is seen now.
	if text := coder.DecodePlain(p.asked[8].Prompt); strings.Contains(text, "middle of a room") || strings.Count(text, "do: look\n") != 7 {
		t.Errorf("last prompt %q", text)
	}
	cfg.Positions = 120
	if e := play(t, cfg, task(1))[0]; e.Outcome.Reason != "positions: 221 tokens of prompt and answer, the model reads 120" || len(e.Said) != 0 {
		t.Errorf("outcome %+v", e.Outcome)
	}
}

// In a conversation a prompt is the one before with its answer, thoughts and all, and what is seen now; the oldest turns
// are left out first, whole.
func TestConversation(t *testing.T) {
	p := &script{answer: mover}
	cfg := config(p)
	cfg.Prompts, cfg.Skills, cfg.Distil = ask.Turns, nil, false
	e := play(t, cfg, task(1))[0]
	if !e.Outcome.Won || len(p.asked) != 4 {
		t.Fatalf("outcome %+v after %d answers", e.Outcome, len(p.asked))
	}
	end := string(coder.DecodePlain([]int32{end}))
	want := "act\ngoal: put a mug on desk\nnow: You are in the middle of a room. You see a desk 1, a shelf 3, a shelf 2, and a shelf 1.\n" +
		"<think>so</think><action>go to shelf 1</action>" + end + "now: You arrive at shelf 1. On it, you see a mug 1.\n"
	if got := coder.DecodePlain(p.asked[1].Prompt); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for i := 1; i < len(e.Said); i++ {
		if before := e.Said[i-1]; e.Said[i].Same != len(p.asked[i-1].Prompt)+len(before.Tokens) {
			t.Errorf("prompt %d begins with %d tokens of what was before, want all %d", i, e.Said[i].Same, len(p.asked[i-1].Prompt)+len(before.Tokens))
		}
	}
	for i, ids := range e.Prompts() {
		if !slices.Equal(ids, p.asked[i].Prompt) {
			t.Errorf("prompt %d: got %q", i, coder.DecodePlain(ids))
		}
	}
	// The lesson is asked for behind the last command.
	p.asked, cfg.Distil = nil, true
	e = play(t, cfg, task(1))[0]
	before := coder.DecodePlain(p.asked[3].Prompt) + coder.DecodePlain(e.Said[3].Tokens)
	want = before + "now: You move the mug 1.\ngame: won\nlearn\n"
	if got := coder.DecodePlain(p.asked[4].Prompt); got != want || e.Said[4].Phase != rollout.Distil || e.Lesson == nil {
		t.Errorf("lesson %v of\n%s\nwant\n%s", e.Lesson, got, want)
	}
	p.asked, cfg.Distil = nil, false
	cfg.Positions = 350 // 100 of them for the answer: the second prompt has 221, the third would have 307
	play(t, cfg, task(1))
	if got := coder.DecodePlain(p.asked[2].Prompt); !strings.HasPrefix(got, "act\ngoal: put a mug on desk\nnow: You arrive at shelf 1.") || !strings.HasSuffix(got, "now: You pick up the mug 1.\n") {
		t.Errorf("got\n%s", got)
	}
}

// Samples have each answer once, behind its own prompt; a conversation is one of them as far as it was shown whole.
func TestSamples(t *testing.T) {
	for name, tt := range map[string]struct {
		set       ask.Set
		positions int
		said      [][]int
		bare      bool
	}{
		"windows":      {ask.Brief, 4000, [][]int{{0}, {1}, {2}, {3}, {4}, {5}, {6}}, false},
		"conversation": {ask.Turns, 4000, [][]int{{0}, {1}, {2, 3, 4, 5, 6}}, false},
		"alone":        {ask.Turns, 4000, [][]int{{0, 1, 2, 3, 4}}, true},               // from the first answer on
		"cut":          {ask.Turns, 420, [][]int{{0}, {1}, {2, 3}, {4, 5}, {6}}, false}, // with 320 for prompts; the third would have 344, from its second turn on 203
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(&script{answer: mover})
			cfg.Prompts, cfg.Positions, cfg.Answer[rollout.Distil] = tt.set, tt.positions, 200
			one := task(2)
			if one.Bare = tt.bare; one.Bare {
				cfg.MaxSteps = 4 // without skills it is lost
			}
			e := play(t, cfg, one)[0]
			prompts := e.Prompts()
			samples := e.Samples()
			var said [][]int
			for _, s := range samples {
				said = append(said, s.Said)
				if err := s.Check(); err != nil {
					t.Fatal(err)
				}
				k := 0
				for a := range s.Answers() {
					i := s.Said[k]
					if !slices.Equal(s.Tokens[a.From:a.To], e.Said[i].Tokens) || !slices.Equal(s.Tokens[:a.From], prompts[i]) {
						t.Errorf("answer %d is %q behind %q", i, coder.DecodePlain(s.Tokens[a.From:a.To]), coder.DecodePlain(s.Tokens[:a.From]))
					}
					k++
				}
			}
			if fmt.Sprint(said) != fmt.Sprint(tt.said) {
				t.Errorf("answers %v, want %v", said, tt.said)
			}
		})
	}
}

// Episodes do not depend on each other, on the batch or on the order of tasks; each draw of an episode has its own seed.
func TestSeeds(t *testing.T) {
	chance := func(prompt string, seed uint64) string {
		if strings.HasPrefix(prompt, "act\n") {
			return fmt.Sprintf("<think>%d</think><action>go to shelf %d</action>", seed, 1+seed%3)
		}
		return mover(prompt, seed)
	}
	var tasks []rollout.Task
	for i := range 12 {
		next := task(1 + i%3)
		next.Rollout, next.Seed = i, uint64(i)
		tasks = append(tasks, next)
	}
	cfg := config(&script{answer: chance})
	cfg.MaxSteps = 5
	want := play(t, cfg, tasks...)
	slices.Reverse(tasks)
	cfg.Batch = 1
	got := play(t, cfg, tasks...)
	seeds := map[string]bool{}
	for i := range want {
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) && fmt.Sprintf("%+v", got[i].Said) != fmt.Sprintf("%+v", want[i].Said) {
			t.Errorf("episode %d differs:\n%+v\n%+v", i, got[i], want[i])
		}
		for _, s := range want[i].Said {
			if s.Phase == rollout.Act {
				text := coder.DecodePlain(s.Tokens[:len(s.Tokens)-1])
				if seeds[text] {
					t.Errorf("a seed is used twice: %q", text)
				}
				seeds[text] = true
			}
		}
	}
}

// stillborn is a game that does not start, and gives a nil that is not one.
type stillborn struct{ shelves.Game }

type neverEpisode struct{ env.Episode }

func (e *neverEpisode) Now() env.Observation { return e.Episode.Now() }

func (stillborn) Start(context.Context, env.Limits) (env.Episode, error) {
	return (*neverEpisode)(nil), &env.BudgetError{What: "objects", Limit: 3}
}

// What the game does wrong is its episode's end and no other's; what the policy does ends all.
func TestFailures(t *testing.T) {
	broken := shelves.Game{Name: "g/0", Kind: "pick", At: 1, Fault: func(step int) error {
		if step == 2 {
			return errors.New("the file ends")
		}
		return nil
	}}
	got := play(t, config(&script{answer: mover}), rollout.Task{Game: broken}, task(2))
	if got[0].Outcome.Reason != "error: the file ends" || len(got[0].Steps) != 2 || phases(got[0]) != "query rank act act" || !got[1].Outcome.Won {
		t.Errorf("outcomes %+v by %s, %+v", got[0].Outcome, phases(got[0]), got[1].Outcome)
	}
	for _, clock := range []time.Duration{0, time.Minute} { // with a net the game runs on a goroutine of its own
		falls := broken
		falls.Fault = func(step int) error {
			if step == 2 {
				panic("the floor is gone")
			}
			return nil
		}
		cfg := config(&script{answer: mover})
		cfg.Clock = clock
		got := play(t, cfg, rollout.Task{Game: falls}, task(2))
		if got[0].Outcome.Reason != "error: the game panicked: the floor is gone" || len(got[0].Steps) != 2 || !got[1].Outcome.Won {
			t.Errorf("clock %s: outcomes %+v, %+v", clock, got[0].Outcome, got[1].Outcome)
		}
		if err := agent.Replay(t.Context(), falls, got[0].Trajectory, env.Limits{}); err != nil {
			t.Errorf("clock %s: %v", clock, err)
		}
	}
	unborn := play(t, config(&script{answer: mover}), rollout.Task{Game: stillborn{shelves.Game{Name: "g"}}})[0]
	if unborn.Outcome.Reason != "limit: objects" || len(unborn.Said) != 0 || unborn.Last != nil {
		t.Errorf("outcome %+v", unborn.Outcome)
	}
	failing := config(&script{answer: func(prompt string, seed uint64) string {
		if strings.HasPrefix(prompt, "rank\n") {
			return "fail"
		}
		return mover(prompt, seed)
	}})
	err := rollout.Play(t.Context(), failing, []rollout.Task{task(1), task(2)}, func(rollout.Episode) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "rank of rollout 0 of g/") || !strings.Contains(err.Error(), "the device is lost") {
		t.Errorf("error %v", err)
	}
	full := errors.New("the disk is full")
	if err := rollout.Play(t.Context(), config(&script{answer: mover}), []rollout.Task{task(1)}, func(rollout.Episode) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := rollout.Play(ctx, config(&script{answer: mover}), []rollout.Task{task(1)}, func(rollout.Episode) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The lesson is drawn beside the last episode of the task that ended the other way.
func TestOther(t *testing.T) {
	p := &script{answer: mover}
	with := task(2)
	with.Other = []ask.Episode{{Won: false, Last: "older"}, {Won: false, Last: "newer"}, {Won: true, Last: "won too"}}
	play(t, config(p), with)
	text := coder.DecodePlain(p.asked[len(p.asked)-1].Prompt)
	if !strings.Contains(text, "other: lost\nnow: newer\ngame: won\n") || strings.Contains(text, "older") || strings.Contains(text, "won too") {
		t.Errorf("prompt %q", text)
	}
}

func TestRefuses(t *testing.T) {
	for want, change := range map[string]func(*rollout.Config){
		"expected a policy":                       func(c *rollout.Config) { c.Policy = nil },
		"positions above 0":                       func(c *rollout.Config) { c.Positions = 0 },
		"answers to distil of 0 tokens":           func(c *rollout.Config) { delete(c.Answer, rollout.Distil) },
		"answers to act of 4000 tokens":           func(c *rollout.Config) { c.Answer[rollout.Act] = 4000 },
		`prompts "none": expected skill/1, skill`: func(c *rollout.Config) { c.Prompts = "none" },
	} {
		cfg := config(&script{answer: mover})
		change(&cfg)
		if err := rollout.Play(t.Context(), cfg, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

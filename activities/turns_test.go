package activities_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/gputest"
)

// listener is a runner that hears what its policies are asked.
type listener struct {
	*gputest.Runner
	prompts [][]int32
}

type heard struct {
	gpu.Policy
	by *listener
}

func (l *listener) Policy(ctx context.Context, config gpu.PolicyConfig) (gpu.Policy, error) {
	p, err := l.Runner.Policy(ctx, config)
	return heard{p, l}, err
}

func (h heard) Choose(ctx context.Context, requests []gpu.Choice) ([]gpu.Chosen, error) {
	for _, r := range requests {
		h.by.prompts = append(h.by.prompts, r.Prompt)
	}
	return h.Policy.Choose(ctx, requests)
}

// TestRenameNeedsWords: things that are no tokens of their own cannot be exchanged.
func TestRenameNeedsWords(t *testing.T) {
	w := newWorld(t, newStore(), &gputest.Runner{})
	lesson := w.school(t).lesson("teacher")
	lesson.Rename = 0.5
	_, err := call[activities.ModelResult](w, do.TrainSFT, lesson)
	final(t, err, activities.ErrTypeBadInput, "rename 0.5", "split word")
}

// TestTurns: with prompts that grow, a game is one example with an answer for each of its records, and a game that is
// played is read on turn by turn.
func TestTurns(t *testing.T) {
	var examples, answers int
	var read [][]int32
	runner := &listener{Runner: &gputest.Runner{OnMicro: func(micro [][]gpu.Example) {
		for _, batch := range micro {
			for _, x := range batch {
				examples++
				read = append(read, x.Tokens)
				answers += len(slices.Collect(x.Answers()))
			}
		}
	}}}
	w := newWorld(t, newStore(), runner)
	hinted := params()
	hinted.History = 60
	games := w.list(t, train(t))
	ds := w.hinted(t, activities.HintChunkInput{Games: games, HintParameters: hinted}, 100)
	model := must[activities.ModelResult](t, w, do.InitModel, activities.InitInput{
		Key: key("init"), Dataset: ds.Digest, InitParameters: activities.InitParameters{
			Qwen2: gpu.ModelConfig{Positions: 4096}, Seed: 1, Vocabulary: 2000, Split: "word", Prompt: agent.Turns,
		},
	})
	s := school{ds.Digest, model.Digest}
	lesson := s.lesson("teacher")
	lesson.Prompt, lesson.Batch, lesson.Accumulate, lesson.Train.Steps, lesson.Epochs = agent.Turns, 1, 1, 0, 1
	must[activities.ModelResult](t, w, do.TrainSFT, lesson)
	if examples == 0 || answers < 3*examples {
		t.Errorf("%d answers in %d examples, want those of a game in one", answers, examples)
	}

	// Renamed, the same examples come in the same order, with other things in them and again the same ones.
	plain := read
	for i, name := range []string{"renamed", "again"} {
		before := read
		read = nil
		lesson.Key, lesson.Name, lesson.Rename = key(name), name, 1
		must[activities.ModelResult](t, w, do.TrainSFT, lesson)
		other := 0
		for n, tokens := range read {
			if len(tokens) != len(plain[n]) {
				t.Fatalf("%s: example %d has %d tokens, want %d", name, n, len(tokens), len(plain[n]))
			}
			if !slices.Equal(tokens, before[n]) {
				other++
			}
		}
		if want := [...]bool{true, false}[i]; (other > len(read)/2) != want || !want && other > 0 {
			t.Errorf("%s: %d of %d examples differ from those before", name, other, len(read))
		}
	}

	// With a loss on prompts in half of the steps, these learn whole examples and the others what they did before.
	examples, answers = 0, 0
	var whole int
	runner.OnMicro = func(micro [][]gpu.Example) {
		for _, batch := range micro {
			for _, x := range batch {
				examples++
				if x.Answer == 1 && len(x.Read) == 0 {
					whole++
				} else if answers++; whole != (len(plain)+1)/2 {
					t.Errorf("example %d learns answers only after %d whole ones, want %d", examples, whole, (len(plain)+1)/2)
				}
			}
		}
	}
	lesson.Key, lesson.Name, lesson.Rename, lesson.PromptLoss = key("prompts"), "prompts", 0, 0.5
	must[activities.ModelResult](t, w, do.TrainSFT, lesson)
	if whole+answers != len(plain) || answers != len(plain)/2 {
		t.Errorf("%d whole examples and %d with answers, want half of %d each", whole, answers, len(plain))
	}

	in := activities.PlayInput{
		Games: games, Model: model.Digest, To: 1,
		PlayParameters: activities.PlayParameters{
			WithHint: true, MaxSteps: 5, History: 60, Oracle: env.Search, HintPlans: []env.PlanKind{env.Search}, Prompt: agent.Turns,
		},
	}
	runner.prompts = nil
	must[activities.PlayResult](t, w, do.PlayShard, in)
	if len(runner.prompts) != in.MaxSteps {
		t.Fatalf("%d choices, want %d", len(runner.prompts), in.MaxSteps)
	}
	for i, p := range runner.prompts[1:] {
		if before := runner.prompts[i]; len(p) <= len(before) || !slices.Equal(before, p[:len(before)]) {
			t.Errorf("prompt %d does not begin with the one before it", i+2)
		}
	}
}

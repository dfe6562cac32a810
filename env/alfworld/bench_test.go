package alfworld_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
	"github.com/hone-rl/hone/internal/outside"
)

func benchData(b *testing.B) []byte {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(outside.Shared(b, "alfworld-golden"),
		"json_2.1.1/train/look_at_obj_in_light-AlarmClock-None-DeskLamp-328/trial_T20190908_175801_507648/game.tw-pddl"))
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func benchGame(b *testing.B) *alfworld.Game {
	b.Helper()
	game, err := alfworld.Parse("bench", benchData(b))
	if err != nil {
		b.Fatal(err)
	}
	return game
}

// BenchmarkLoad reads a real game file.
func BenchmarkLoad(b *testing.B) {
	data := benchData(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := alfworld.Parse("bench", data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReset starts an episode.
func BenchmarkReset(b *testing.B) {
	game := benchGame(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := game.Start(b.Context(), env.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStep plays commands with all admissible commands worked out after each.
func BenchmarkStep(b *testing.B) {
	ep, err := benchGame(b).Start(b.Context(), env.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		commands := ep.Now().Actions.Commands
		if _, err := ep.Step(b.Context(), commands[i*7%len(commands)]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlan plans straight, the replay that checks it included.
func BenchmarkPlan(b *testing.B) {
	ep, err := benchGame(b).Start(b.Context(), env.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ep.(env.Expert).Plan(b.Context(), env.Straight); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoadAgain reads a game file whose domain and grammar have been met in another.
func BenchmarkLoadAgain(b *testing.B) {
	data, library := benchData(b), &alfworld.Library{}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := library.Parse("bench", data); err != nil {
			b.Fatal(err)
		}
	}
}

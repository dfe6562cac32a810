package credit_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-rl/hone/agent/credit"
)

// turns are n turns of a game.
func turns(n int) []credit.Sample {
	all := make([]credit.Sample, n)
	for i := range all {
		all[i].Phase = credit.Act
	}
	return all
}

func group(episodes ...credit.Episode) credit.Group {
	return credit.Group{Task: "t", Episodes: episodes}
}

func won(samples ...credit.Sample) credit.Episode  { return credit.Episode{Samples: samples, Won: true} }
func lost(samples ...credit.Sample) credit.Episode { return credit.Episode{Samples: samples} }

func with(c credit.Config, change func(*credit.Config)) credit.Config {
	change(&c)
	return c
}

func named(t *testing.T, name string) credit.Config {
	t.Helper()
	c, err := credit.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// at is a turn in a state.
func at(anchor string) credit.Sample { return credit.Sample{Phase: credit.Act, Anchor: anchor} }

// fault is a turn that could not be read.
func fault(s credit.Sample) credit.Sample {
	s.Invalid = true
	return s
}

func own(phase credit.Phase, reward float64) credit.Sample {
	return credit.Sample{Phase: phase, Reward: reward}
}

// bonus is the episode with a bonus.
func bonus(b float64, e credit.Episode) credit.Episode {
	e.Bonus = b
	return e
}

func TestAdvantages(t *testing.T) {
	grpo, gigpo := named(t, "grpo"), named(t, "gigpo")
	paper, released, retro := named(t, "skill1-paper"), named(t, "skill1-released"), named(t, "retroagent")
	perRollout := with(named(t, "grpo"), func(c *credit.Config) { c.Parts[0].Baseline = credit.OfRollouts })
	meanOnly := func(c *credit.Config) { c.Parts[0].Scale = credit.Unscaled }
	root := math.Sqrt(0.5) // of the unbiased variance of 0 and 1
	for name, c := range map[string]struct {
		config   credit.Config
		episodes []credit.Episode
		want     [][]float64 // advantages
		within   float64     // 0: 1e-6
	}{
		"one turn each": { // mean 2.5, deviation 5
			config: grpo, episodes: []credit.Episode{won(turns(1)...), lost(turns(1)...), lost(turns(1)...), lost(turns(1)...)},
			want: [][]float64{{1.5}, {-0.5}, {-0.5}, {-0.5}},
		},
		"across steps": { // 10 10 0 0 0: mean 4, deviation 5.477226
			config: grpo, episodes: []credit.Episode{won(turns(2)...), lost(turns(1)...), lost(turns(1)...), lost(turns(1)...)},
			want: [][]float64{{1.095445, 1.095445}, {-0.730297}, {-0.730297}, {-0.730297}},
		},
		"the same per rollout": {
			config: perRollout, episodes: []credit.Episode{won(turns(2)...), lost(turns(1)...), lost(turns(1)...), lost(turns(1)...)},
			want: [][]float64{{1.5, 1.5}, {-0.5}, {-0.5}, {-0.5}},
		},
		"mean only": {
			config: with(named(t, "grpo"), meanOnly), episodes: []credit.Episode{won(turns(2)...), lost(turns(1)...), lost(turns(1)...), lost(turns(1)...)},
			want: [][]float64{{6, 6}, {-4}, {-4}, {-4}},
		},
		"all lost": {
			config: grpo, episodes: []credit.Episode{lost(turns(3)...), lost(turns(1)...)}, want: [][]float64{{0, 0, 0}, {0}},
		},
		"all won": {
			config: perRollout, episodes: []credit.Episode{won(turns(1)...), won(turns(1)...), won(turns(1)...)}, want: [][]float64{{0}, {0}, {0}},
		},
		"a penalty tells losses apart": { // 0 -0.1: mean -0.05, deviation 0.0707107
			config: grpo, episodes: []credit.Episode{lost(turns(1)...), lost(fault(at("")))}, want: [][]float64{{root}, {-root}}, within: 2e-5,
		},
		"a penalty concerns its own step": { // 10 9.9 0: mean 6.633333, deviation 5.744853
			config: grpo, episodes: []credit.Episode{won(at(""), fault(at(""))), lost(at(""))}, want: [][]float64{{0.586032, 0.568625}, {-1.154657}},
		},
		"per rollout the first step counts": { // statistics over 10 and 0, the value of the second step is 9.9
			config: perRollout, episodes: []credit.Episode{won(at(""), fault(at(""))), lost(at(""))}, want: [][]float64{{root, 4.9 / 7.0710678}, {-root}},
		},
		"a rollout alone keeps its score": {config: perRollout, episodes: []credit.Episode{won(turns(2)...)}, want: [][]float64{{10, 10}}},
		"or has none": {
			config:   with(named(t, "grpo"), func(c *credit.Config) { c.Parts[0].Baseline, c.Single = credit.OfRollouts, credit.ZeroSingle }),
			episodes: []credit.Episode{won(turns(2)...)}, want: [][]float64{{0, 0}},
		},
		"a rollout alone across its steps": {config: grpo, episodes: []credit.Episode{won(turns(2)...)}, want: [][]float64{{0, 0}}},
		"a step alone":                     {config: grpo, episodes: []credit.Episode{won(turns(1)...)}, want: [][]float64{{10}}},
		"the environment's own rewards": { // 3 and 1: mean 2, deviation sqrt 2
			config: grpo, episodes: []credit.Episode{lost(own(credit.Act, 1), own(credit.Act, 2)), lost(own(credit.Act, 1), own(credit.Act, 0))},
			want: [][]float64{{0.866025, 0.866025}, {-0.866025, -0.866025}}, // across steps 3 3 1 1: deviation 1.154701
		},
		"discounted": { // returns 9.025 9.5 10 0 0: mean 5.705, deviation 5.219328
			config: retro, episodes: []credit.Episode{won(turns(3)...), lost(turns(2)...)},
			want: [][]float64{{0.636097, 0.727105, 0.822903}, {-1.093053, -1.093053}},
		},
		"a penalty is not discounted backwards": { // 9.5 9.9 0: mean only, 6.466667
			config: with(named(t, "retroagent"), meanOnly), episodes: []credit.Episode{won(at(""), fault(at(""))), lost(at(""))},
			want: [][]float64{{3.033333, 3.433333}, {-6.466667}},
		},
		"a bonus at the end": { // the first: 0 + 10 + 0.5, before it 9.975; the second 0.25: mean only, 6.908333
			config: with(named(t, "retroagent"), meanOnly), episodes: []credit.Episode{bonus(0.5, won(turns(2)...)), bonus(0.25, lost(turns(1)...))},
			want: [][]float64{{3.066667, 3.591667}, {-6.658333}},
		},
		"half a bonus of the whole episode": { // 10.25 and 0: mean 5.125
			config: with(named(t, "grpo"), func(c *credit.Config) { meanOnly(c); c.Intrinsic = 0.5 }), episodes: []credit.Episode{bonus(0.5, won(turns(1)...)), lost(turns(1)...)},
			want: [][]float64{{5.125}, {-5.125}},
		},
		"a bonus that does not count": {
			config: with(named(t, "grpo"), meanOnly), episodes: []credit.Episode{bonus(0.5, won(turns(1)...)), lost(turns(1)...)},
			want: [][]float64{{5}, {-5}},
		},
		"anchors": { // episode: 10 10 0 0, mean 5. step returns a: 9.5 0, mean 4.75; b: 10 alone; c: 0 alone
			config: with(named(t, "gigpo"), meanOnly), episodes: []credit.Episode{won(at("a"), at("b")), lost(at("a"), at("c"))},
			want: [][]float64{{5 + 4.75, 5}, {-5 - 4.75, -5}},
		},
		"anchors by deviation": { // episode 5/5.773503; step 4.75/6.717514 = sqrt 1/2
			config: gigpo, episodes: []credit.Episode{won(at("a"), at("b")), lost(at("a"), at("c"))},
			want: [][]float64{{0.866025 + root, 0.866025}, {-0.866025 - root, -0.866025}},
		},
		"anchors with half the weight": {
			config:   with(named(t, "gigpo"), func(c *credit.Config) { meanOnly(c); c.StepWeight = 0.5 }),
			episodes: []credit.Episode{won(at("a"), at("b")), lost(at("a"), at("c"))},
			want:     [][]float64{{7.375, 5}, {-7.375, -5}},
		},
		"an anchor met twice": { // returns 9.025 9.5 10: a 9.025 and 10, mean 9.5125
			config: with(named(t, "gigpo"), meanOnly), episodes: []credit.Episode{won(at("a"), at("b"), at("a"))},
			want: [][]float64{{-0.4875, 0, 0.4875}},
		},
		"an anchor alone, its episode too": { // the episode keeps 10, the step adds 0
			config: with(named(t, "gigpo"), func(c *credit.Config) { c.Parts[0].Baseline = credit.OfRollouts }), episodes: []credit.Episode{won(at("a"))},
			want: [][]float64{{10}},
		},
		"a penalty within anchors": { // episode -0.1 0, mean -0.05; step the same
			config: with(named(t, "gigpo"), meanOnly), episodes: []credit.Episode{lost(fault(at("a"))), lost(at("a"))},
			want: [][]float64{{-0.1}, {0.1}},
		},
		"anchors that are much alike": { // 39 of 40 characters: ratio 0.975
			config:   with(named(t, "gigpo"), func(c *credit.Config) { meanOnly(c); c.Similarity = 0.95 }),
			episodes: []credit.Episode{won(at("you are in the middle of a large room 1.")), lost(at("you are in the middle of a large room 2."))},
			want:     [][]float64{{10}, {-10}},
		},
		"anchors that are not": {
			config:   with(named(t, "gigpo"), func(c *credit.Config) { meanOnly(c); c.Similarity = 0.98 }),
			episodes: []credit.Episode{won(at("you are in the middle of a large room 1.")), lost(at("you are in the middle of a large room 2."))},
			want:     [][]float64{{5}, {-5}},
		},
		"the paper's three parts": { // r 1 0: ±root of query and turns; ranks as they are; distil .4 -.6
			config: paper,
			episodes: []credit.Episode{
				won(own(credit.Query, 0), own(credit.Rank, 0.725296), at(""), at(""), own(credit.Distil, 0.4)),
				lost(own(credit.Query, 0), own(credit.Rank, 1), at(""), own(credit.Distil, -0.6)),
			},
			want: [][]float64{{root, 0.725296, root, root, root}, {-root, 1, -root, -root}}, within: 3e-6,
		},
		"the paper's distillation has a baseline of its own": { // won all, yet .4 .8 .9: mean .7, deviation .264575
			config:   paper,
			episodes: []credit.Episode{won(at(""), own(credit.Distil, 0.4)), won(at(""), own(credit.Distil, 0.8)), won(at(""), own(credit.Distil, 0.9))},
			want:     [][]float64{{0, -1.133893}, {0, 0.377964}, {0, 0.755929}}, within: 5e-6,
		},
		"the released chain": { // 10·.95³+.3·.5+.95·.3·.7, 10·.95²+.3·.7, 9.5, 10; mean only
			config: with(named(t, "skill1-released"), meanOnly),
			episodes: []credit.Episode{
				won(own(credit.Query, 0.5), own(credit.Rank, 0.7), at(""), at(""), own(credit.Distil, 0.4)),
			},
			want: [][]float64{{8.92325 - 9.414562, 9.235 - 9.414562, 9.5 - 9.414562, 10 - 9.414562, 0}},
		},
		"skill-only ends with the distillation": { // .12, then 10.114, 9.6083, 9.337885, 9.020991: mean 7.640235
			config:   with(named(t, "skill-only"), meanOnly),
			episodes: []credit.Episode{won(own(credit.Query, 0.5), own(credit.Rank, 0.7), at(""), at(""), own(credit.Distil, 0.4))},
			want:     [][]float64{{1.380756, 1.697650, 1.968065, 2.473765, -7.520235}},
		},
		"a reflection is not discounted": { // REINFORCE on the reward itself
			config: retro, episodes: []credit.Episode{lost(at(""), own(credit.Distil, 10)), lost(at(""), own(credit.Distil, 0))},
			want: [][]float64{{0, 10}, {0, 0}},
		},
		"the released loop punishes an early step of a long success": { // 10·.95^49 is below the mean of this group
			config: released, episodes: []credit.Episode{won(turns(50)...), won(turns(1)...)}, want: nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := credit.Assign(c.config, []credit.Group{group(c.episodes...)})
			if err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				if a := r.Credits[0][0][0].Advantage; a >= 0 {
					t.Errorf("advantage %v, want below 0", a)
				}
				return
			}
			within := c.within
			if within == 0 {
				within = 1e-6
			}
			for i, row := range c.want {
				for j, want := range row {
					if got := r.Credits[0][i][j].Advantage; !(math.Abs(got-want) <= within*max(1, math.Abs(want))) {
						t.Errorf("episode %d: sample %d: advantage %v, want %v", i, j, got, want)
					}
				}
			}
		})
	}
}

// What learns, and what only counts: phases, weights of 0, and parts that a phase has none of.
func TestLearn(t *testing.T) {
	episode := won(own(credit.Query, 0), own(credit.Rank, 1), at(""), own(credit.Distil, 0.5))
	for name, c := range map[string]struct {
		config credit.Config
		want   []bool
	}{
		"skill1-paper":    {named(t, "skill1-paper"), []bool{true, true, true, true}},
		"skill1-released": {named(t, "skill1-released"), []bool{true, true, true, false}},
		"skill-only":      {named(t, "skill-only"), []bool{true, true, false, false}},
		"grpo":            {named(t, "grpo"), []bool{false, false, true, false}},
		"gigpo":           {named(t, "gigpo"), []bool{false, false, true, false}},
		"skillrl":         {named(t, "skillrl"), []bool{false, false, true, false}},
		"retroagent":      {named(t, "retroagent"), []bool{false, false, true, true}},
		"no lambda 1":     {with(named(t, "skill1-paper"), func(c *credit.Config) { c.Parts[1].Weight = 0 }), []bool{true, false, true, true}},
		"no lambda 2":     {with(named(t, "skill1-paper"), func(c *credit.Config) { c.Parts[2].Weight = 0 }), []bool{true, true, true, false}},
		"in context":      {with(named(t, "retroagent"), func(c *credit.Config) { c.Train = []credit.Phase{credit.Act} }), []bool{false, false, true, false}},
	} {
		r, err := credit.Assign(c.config, []credit.Group{group(episode, lost(at("")))})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []bool
		for _, credit := range r.Credits[0][0] {
			got = append(got, credit.Learn)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: learns %v, want %v", name, got, c.want)
		}
	}
	if names := credit.Names(); len(names) != 7 {
		t.Errorf("names %v", names)
	}
	if _, err := credit.Named("ppo"); err == nil || !strings.Contains(err.Error(), "skill1-paper") {
		t.Errorf("ppo: %v", err)
	}
}

// Groups that have lost episodes go on with those that are there and are listed; empty ones are dropped.
func TestLostEpisodes(t *testing.T) {
	c := named(t, "skill1-paper")
	whole := []credit.Episode{won(at("")), lost(at("")), lost(at(""))}
	left, err := credit.Assign(c, []credit.Group{{Task: "a", Size: 4, Episodes: whole}, {Task: "b", Size: 4}})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := credit.Assign(c, []credit.Group{{Task: "a", Size: 3, Episodes: whole}})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(left.Credits[0], asked.Credits[0]) {
		t.Errorf("three of four %v, three of three %v", left.Credits[0], asked.Credits[0])
	}
	if want := []credit.Short{{Group: 0, Task: "a", Size: 4, Have: 3}}; !reflect.DeepEqual(left.Short, want) {
		t.Errorf("short %v, want %v", left.Short, want)
	}
	if want := []credit.Dropped{{Group: 1, Task: "b", Reason: "empty"}}; !reflect.DeepEqual(left.Dropped, want) {
		t.Errorf("dropped %v, want %v", left.Dropped, want)
	}
	if asked.Short != nil || asked.Dropped != nil {
		t.Errorf("a whole group: %v, %v", asked.Short, asked.Dropped)
	}
}

func TestDrop(t *testing.T) {
	flat := []credit.Episode{lost(at(""), own(credit.Distil, 0.1)), lost(fault(at("")), own(credit.Distil, 0.2))}
	mixed := []credit.Episode{won(at(""), own(credit.Distil, 0.1)), lost(at(""), own(credit.Distil, 0.1))}
	groups := []credit.Group{{Task: "flat", Episodes: flat}, {Task: "mixed", Episodes: mixed}}
	for name, c := range map[string]struct {
		drop    credit.Drop
		penalty float64
		want    []credit.Dropped
		zero    [3]int // groups without an advantage: util, rank, distil
	}{
		"none":                   {credit.DropNone, 0, nil, [3]int{1, 0, 1}},
		"outcomes":               {credit.DropOutcomes, 0, []credit.Dropped{{0, "flat", "util", "outcomes", 0}}, [3]int{1, 0, 1}},
		"outcomes, penalised":    {credit.DropOutcomes, 0.1, []credit.Dropped{{0, "flat", "util", "outcomes", 0}}, [3]int{0, 0, 1}},
		"zeros":                  {credit.DropZeros, 0, []credit.Dropped{{0, "flat", "util", "zeros", 0}, {1, "mixed", "distil", "zeros", 0.1}}, [3]int{1, 0, 1}},
		"zeros, not if punished": {credit.DropZeros, 0.1, []credit.Dropped{{1, "mixed", "distil", "zeros", 0.1}}, [3]int{0, 0, 1}},
	} {
		config := named(t, "skill1-paper")
		config.Drop, config.Penalty = c.drop, c.penalty
		r, err := credit.Assign(config, groups)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(r.Dropped, c.want) {
			t.Errorf("%s: dropped %v, want %v", name, r.Dropped, c.want)
		}
		for i, p := range r.Parts {
			if p.ZeroGroups != c.zero[i] {
				t.Errorf("%s: %s: %d groups without an advantage, want %d", name, p.Name, p.ZeroGroups, c.zero[i])
			}
		}
		for g := range groups {
			out := map[string]bool{}
			for _, d := range c.want {
				out[d.Part] = out[d.Part] || d.Group == g
			}
			for _, row := range r.Credits[g] {
				if row[0].Learn == out["util"] || row[1].Learn == out["distil"] {
					t.Errorf("%s: group %d learns %v", name, g, row)
				}
			}
		}
	}
}

func TestSpreads(t *testing.T) {
	r, err := credit.Assign(named(t, "skill1-paper"), []credit.Group{group(
		won(own(credit.Rank, 1), at(""), own(credit.Distil, 0.5)), lost(own(credit.Rank, 0.5), at(""), own(credit.Distil, -0.5)))})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]credit.Spread{
		"episode": {2, 0.5, math.Sqrt(0.5), 0, 1},
		"rank":    {2, 0.75, math.Sqrt(0.125), 0.5, 1},
		"distil":  {2, 0, math.Sqrt(0.5), -0.5, 0.5},
		"act":     {2, 0, 0, 0, 0},
	} {
		got := r.Rewards[kind]
		if got.Count != want.Count || got.Min != want.Min || got.Max != want.Max {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
		near(t, kind, got.Mean, want.Mean)
		near(t, kind, got.Std, want.Std)
	}
	if len(r.Rewards) != 4 || r.Parts[1].Values.Mean != 0.75 || r.Parts[0].Advantages.Count != 2 {
		t.Errorf("rewards %v, parts %v", r.Rewards, r.Parts)
	}
}

func TestAssignRefuses(t *testing.T) {
	paper := named(t, "skill1-paper")
	for says, c := range map[string]struct {
		config credit.Config
		group  credit.Group
	}{
		`episode 1: sample 0: reward NaN`:    {paper, group(lost(at("")), lost(own(credit.Act, math.NaN())))},
		`sample 1: query after act`:          {paper, group(lost(at(""), own(credit.Query, 0)))},
		`phase "think"`:                      {paper, group(lost(credit.Sample{Phase: "think"}))},
		`won without a turn`:                 {paper, group(won(own(credit.Query, 0)))},
		`3 episodes of 2`:                    {paper, credit.Group{Size: 2, Episodes: make([]credit.Episode, 3)}},
		`parts: expected at least one`:       {credit.Config{}, group()},
		`act is in two`:                      {with(named(t, "skill1-paper"), func(c *credit.Config) { c.Parts[1].Phases = []credit.Phase{credit.Act} }), group()},
		`gamma 1.5`:                          {with(named(t, "gigpo"), func(c *credit.Config) { c.Gamma = 1.5 }), group()},
		`parts[0].signal "reward"`:           {with(named(t, "grpo"), func(c *credit.Config) { c.Parts[0].Signal = "reward" }), group()},
		`train: "query" is in no part`:       {with(named(t, "grpo"), func(c *credit.Config) { c.Train = []credit.Phase{credit.Query} }), group()},
		`drop "flat"`:                        {with(named(t, "grpo"), func(c *credit.Config) { c.Drop = "flat" }), group()},
		`own: "act"`:                         {with(named(t, "grpo"), func(c *credit.Config) { c.Own = map[credit.Phase]float64{credit.Act: 1} }), group()},
		`parts[0].baseline none`:             {with(named(t, "grpo"), func(c *credit.Config) { c.Parts[0].Baseline = credit.NoBaseline }), group()},
		`similarity -1: expected 0 to 1`:     {with(named(t, "gigpo"), func(c *credit.Config) { c.Similarity = -1 }), group()},
		`single "none": expected keep or ze`: {with(named(t, "gigpo"), func(c *credit.Config) { c.Single = "none" }), group()},
		`episode 0: sample 0: advantage`: {
			with(named(t, "grpo"), func(c *credit.Config) { c.Parts[0].Scale = credit.Unscaled }),
			group(lost(own(credit.Act, math.MaxFloat64)), lost(own(credit.Act, -math.MaxFloat64), own(credit.Act, -math.MaxFloat64))),
		},
	} {
		if _, err := credit.Assign(c.config, []credit.Group{c.group}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want an error with %q", err, says)
		}
	}
}

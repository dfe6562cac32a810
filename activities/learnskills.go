package activities

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

// SkillsInput asks for the library after a step's episodes; without episodes for one to begin with.
type SkillsInput struct {
	Library  artifacts.Digest       `json:"library,omitempty"` // before; "" begins one by Rules
	Bank     artifacts.Digest       `json:"bank,omitempty"`    // that it begins with: from outside, or a stored library; "": with nothing
	Rules    skills.Rules           `json:"rules"`
	Purpose  string                 `json:"purpose"`
	Episodes []artifacts.Descriptor `json:"episodes,omitempty"` // shards, in the order of tasks
	// Trajectories takes what was done in place of what was learnt: the commands of each episode are its strategy, and
	// its task the key (Skill1's ablation without distillation).
	Trajectories bool `json:"trajectories,omitempty"`
}

// LibraryParameters are what a library depends on beside its inputs.
type LibraryParameters struct {
	skills.Rules
	Trajectories bool `json:"trajectories,omitempty"`
}

// SkillsResult is the library after it.
type SkillsResult struct {
	Library artifacts.Digest `json:"library"`
	Size    int              `json:"size"`
	Utility float64          `json:"utility"` // mean
	Changes skills.Figures   `json:"changes"`
	Work    Work             `json:"work"`
}

// vectorSize is the length of all-MiniLM-L6-v2's vectors.
const vectorSize = 384

// LearnSkills takes a step's episodes into a library (Skill1, algorithm 1, lines 12 to 17) and stores it as a snapshot
// with the changes that led to it and the episodes that these follow from.
func (a *Activities) LearnSkills(ctx context.Context, in SkillsInput) (*SkillsResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	res, err := a.learnSkills(ctx, in)
	if err != nil {
		return nil, classify(err)
	}
	res.Work = beat.work()
	return res, nil
}

func (a *Activities) learnSkills(ctx context.Context, in SkillsInput) (*SkillsResult, error) {
	if in.Library == "" {
		return a.begin(ctx, in)
	}
	before, err := ReadLibrary(ctx, a.Store, in.Library)
	if err != nil {
		return nil, err
	}
	lived, lines, err := a.lived(ctx, in, before.Step()+1)
	if err != nil {
		return nil, err
	}
	changes, err := before.Next(lived)
	if err != nil {
		return nil, final(ErrTypeBadInput, err)
	}
	after, err := before.Apply(changes)
	if err != nil {
		return nil, final(ErrTypeBadInput, err)
	}
	files, err := changes.Encode()
	if err != nil {
		return nil, err
	}
	d, err := a.storeLibrary(ctx, after, LibraryParameters{after.Rules(), in.Trajectories}, []artifacts.Input{{Role: "library", Digest: in.Library}},
		libraryFile{skills.ChangesName, mediaJSONL, files.Changes}, libraryFile{skills.BornName, mediaVectors, files.Born},
		libraryFile{EpisodesFile, mediaJSONL, lines})
	if err != nil {
		return nil, err
	}
	return &SkillsResult{Library: d, Size: after.Len(), Utility: after.MeanUtility(), Changes: changes.Figures()}, nil
}

// lived is what the episodes did with the library and give it, and their lines.
func (a *Activities) lived(ctx context.Context, in SkillsInput, step int) (all []skills.Episode, lines []byte, err error) {
	episodes, lines, err := a.readEpisodes(ctx, in.Episodes...)
	if err != nil {
		return nil, nil, err
	}
	from := Lived{Purpose: in.Purpose, Step: step, Source: artifacts.Of(lines), Trajectories: in.Trajectories}
	for task, g := range Groups(episodes, 0) {
		for _, e := range g.Episodes {
			one := from.Episode(task, e)
			for i := range one.Births {
				if one.Births[i].Vector, err = a.embed(ctx, one.Births[i].Key()); err != nil {
					return nil, nil, err
				}
			}
			all = append(all, one)
		}
	}
	return all, lines, nil
}

// Lived is the step of a library that episodes live in.
type Lived struct {
	Purpose      string
	Step         int
	Source       artifacts.Digest // of the lines of all its episodes
	Trajectories bool             // as in SkillsInput
}

// Episode is what an episode of a task did with the library and gives it. The vectors of births are for the caller to add.
func (l Lived) Episode(task int, e rollout.Episode) skills.Episode {
	id := fmt.Sprintf("%s/%d/%s/%d", l.Purpose, l.Step, e.Game, e.Rollout)
	one := e.Lived(skills.Place{Task: task, Rollout: e.Rollout}, id, l.Source)
	if l.Trajectories {
		one.Births = e.Kept(id, l.Source)
	}
	return one
}

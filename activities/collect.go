package activities

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
)

// CollectInput asks for the shards of a cell as one artifact.
type CollectInput struct {
	Key    artifacts.Digest       `json:"key"`
	Play   PlayInput              `json:"play"`
	Shards []artifacts.Descriptor `json:"shards"`
}

// TrajectoriesFile is the output of a trajectories artifact.
const TrajectoriesFile = "trajectories.jsonl"

// CollectTrajectories puts shards together, replays every trajectory on its game anew and publishes them. A
// replay that does not give what the trajectory says fails the run.
func (a *Activities) CollectTrajectories(ctx context.Context, in CollectInput) (*ModelResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	lines, err := a.readShards(ctx, in.Shards...)
	if err != nil {
		return nil, classify(err)
	}
	positions, err := a.positions(ctx, in.Play.Model)
	if err != nil {
		return nil, classify(err)
	}
	cell, err := a.replayAll(ctx, in.Play, lines, beat)
	if err != nil {
		return nil, err
	}
	d, err := artifacts.PutBytes(ctx, a.Store, mediaJSONL, lines)
	if err != nil {
		return nil, classify(fmt.Errorf("store trajectories: %w", err))
	}
	m := artifacts.Manifest{
		Kind:    artifacts.KindTrajectories,
		Inputs:  []artifacts.Input{{Role: "games", Digest: in.Play.Games}, {Role: "model", Digest: in.Play.Model}},
		Outputs: []artifacts.Output{{Name: TrajectoriesFile, Descriptor: d}},
	}
	conditions := agent.ConditionsOf(in.Play.config(positions), string(in.Play.Games))
	conditions.DType = in.Play.DType
	if m.Parameters, err = json.Marshal(playManifest{PlayParameters: in.Play.PlayParameters, Conditions: conditions}); err != nil {
		return nil, err
	}
	if m.Summary, err = json.Marshal(cell.All); err != nil {
		return nil, err
	}
	digest, err := a.publish(ctx, in.Key, m)
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("%d of %d games won", cell.All.Won, cell.All.Games)
	return &ModelResult{Digest: digest, Note: note, Work: beat.work()}, nil
}

// replayAll replays each trajectory and counts them.
func (a *Activities) replayAll(ctx context.Context, play PlayInput, lines []byte, beat *beater) (*agent.Cell, error) {
	listed, err := ReadGameList(ctx, a.Store, play.Games)
	if err != nil {
		return nil, classify(err)
	}
	n := 0
	for t, err := range agent.Trajectories(bytes.NewReader(lines)) {
		if err != nil {
			return nil, final(ErrTypeAudit, err)
		}
		if n >= len(listed) || listed[n].ID != t.Game {
			return nil, final(ErrTypeAudit, fmt.Errorf("trajectory %d is of %s, expected the panel's games in order", n+1, t.Game))
		}
		game, err := a.openGame(ctx, listed[n])
		if err != nil {
			return nil, classify(err)
		}
		if err := cmp.Or(agent.Replay(ctx, game, t, play.Limits), play.Offer.Audit(t)); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			return nil, final(ErrTypeAudit, err)
		}
		n++
		beat.report(Beat{Done: n, Of: len(listed), Unit: "replays"})
	}
	if n != len(listed) {
		return nil, final(ErrTypeAudit, fmt.Errorf("%d trajectories of %d games", n, len(listed)))
	}
	cell, err := agent.NewCell(agent.Row{WithHint: play.WithHint}, agent.Trajectories(bytes.NewReader(lines)))
	if err != nil {
		return nil, final(ErrTypeAudit, err)
	}
	if cell.All.HintDigits+cell.All.HintCommands > 0 {
		return nil, final(ErrTypeAudit, fmt.Errorf("hints leak: %d hold a digit, %d a whole command", cell.All.HintDigits, cell.All.HintCommands))
	}
	return &cell, nil
}

// positions is how many tokens the model d can read, by its config.json alone: the worker that counts trajectories
// has no need of the weights. An adapter reads what the model it belongs to reads, an update what its start does, an outcome what its best.
func (a *Activities) positions(ctx context.Context, d artifacts.Digest) (int, error) {
	m, err := artifacts.GetManifest(ctx, a.Store, d)
	if err != nil {
		return 0, fmt.Errorf("read model %s: %w", d.Short(), err)
	}
	from := map[artifacts.Kind]string{artifacts.KindAdapter: "model", artifacts.KindUpdate: "start", artifacts.KindPolicy: "best"}[m.Kind]
	for _, in := range m.Inputs {
		if in.Role == from {
			return a.positions(ctx, in.Digest)
		}
	}
	raw, err := a.readOutput(ctx, d, artifacts.KindModel, configFile)
	if err != nil {
		return 0, err
	}
	var config struct {
		Positions int `json:"max_position_embeddings"`
	}
	if err := json.Unmarshal(raw, &config); err != nil {
		return 0, final(ErrTypeBadInput, fmt.Errorf("model %s: %s: %w", d.Short(), configFile, err))
	}
	return config.Positions, nil
}

const configFile = "config.json"

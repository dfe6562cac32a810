package lineage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/hints"
)

// games compares the list with the files that stand beside it.
func (a *Auditor) games(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest) error {
	list, err := activities.ReadGameList(ctx, a.Store, d)
	if err != nil {
		return err
	}
	files := map[string]artifacts.Digest{}
	for _, out := range m.Outputs {
		files[out.Name] = out.Digest
	}
	var said struct {
		Games int `json:"games"`
	}
	if err := json.Unmarshal(m.Summary, &said); err != nil {
		return fmt.Errorf("its summary: %w", err)
	}
	if said.Games != len(list) {
		return fmt.Errorf("it says %d games, its list has %d", said.Games, len(list))
	}
	if len(files) != len(list)+1 {
		return fmt.Errorf("its list has %d games, its files are of %d", len(list), len(files)-1)
	}
	for _, g := range list {
		if files[g.ID+"/"+g.FileName()] != g.Digest {
			return fmt.Errorf("game %s is another file than its list says", g.ID)
		}
		if g.FileName() == activities.GoalFileName {
			if err := a.goal(ctx, g, inputOf(m, activities.CatalogueRole)); err != nil {
				return err
			}
		}
	}
	return nil
}

// goal opens a goal of a shop. A list names the catalogue that the files of its games name; a part of a list has it from
// there.
func (a *Auditor) goal(ctx context.Context, g activities.ListedGame, catalogue artifacts.Digest) error {
	data, err := artifacts.ReadAll(ctx, a.Store, g.Digest, g.Size)
	if err != nil {
		return err
	}
	if !bytes.Contains(data, []byte(catalogue)) {
		return fmt.Errorf("game %s is of another catalogue than its list, %s", g.ID, catalogue)
	}
	game, err := a.OpenGame(ctx, g.ID, data)
	if err != nil {
		return fmt.Errorf("game %s: %w", g.ID, err)
	}
	if game.Family() != g.Family {
		return fmt.Errorf("game %s is of %s, its list says %s", g.ID, game.Family(), g.Family)
	}
	return nil
}

// dataset repeats the leak audit, compares figures and plays the records again.
func (a *Auditor) dataset(ctx context.Context, m *artifacts.Manifest) error {
	records, err := a.output(ctx, m, activities.DatasetName+hints.RecordsSuffix)
	if err != nil {
		return err
	}
	audit, err := hints.RunAudit(hints.Records(bytes.NewReader(records)))
	if err != nil {
		return err
	}
	a.result.Records += audit.Records
	if err := audit.Err(); err != nil {
		return err
	}
	description, err := a.output(ctx, m, activities.DatasetName+hints.ManifestSuffix)
	if err != nil {
		return err
	}
	var said hints.Manifest
	if err := json.Unmarshal(description, &said); err != nil {
		return err
	}
	if said.Records != audit.Records || said.Games != audit.Games {
		return fmt.Errorf("it says %d records of %d games, it has %d of %d", said.Records, said.Games, audit.Records, audit.Games)
	}
	raw, err := a.output(ctx, m, activities.DatasetName+hints.ExcludedSuffix)
	if err != nil {
		return err
	}
	excluded, err := hints.ReadExcluded(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := described(records, description, said, excluded); err != nil {
		return err
	}
	return a.played(ctx, m, records, said.Generate)
}

// described writes a dataset's description anew from its records and compares: split, coverage, lengths.
func described(records, description []byte, said hints.Manifest, excluded []hints.Excluded) error {
	cfg := hints.DatasetConfig{Name: said.Name, Generate: said.Generate, Split: said.Split.SplitConfig}
	again, err := hints.WriteDataset(cfg, io.Discard, []io.Reader{bytes.NewReader(records)}, excluded)
	if err != nil {
		return err
	}
	if said.ExpertRecords == nil {
		again.ExpertRecords = nil // it was made before these were counted
	}
	want, err := again.JSON()
	if err != nil {
		return err
	}
	if !bytes.Equal(description, want) {
		return fmt.Errorf("%s is not what its records come to", activities.DatasetName+hints.ManifestSuffix)
	}
	return nil
}

// trajectories plays every one of them again.
func (a *Auditor) trajectories(ctx context.Context, m *artifacts.Manifest) error {
	var params activities.PlayParameters
	if err := json.Unmarshal(m.Parameters, &params); err != nil {
		return err
	}
	raw, err := a.output(ctx, m, activities.TrajectoriesFile)
	if err != nil {
		return err
	}
	games, err := a.listed(ctx, m)
	if err != nil {
		return err
	}
	for t, err := range agent.Trajectories(bytes.NewReader(raw)) {
		if err != nil {
			return err
		}
		if err := a.replay(ctx, games, t, params); err != nil {
			return err
		}
		delete(games, t.Game)
		a.result.Replays++
		a.Tick("replay of " + t.Game)
	}
	if len(games) > 0 {
		return fmt.Errorf("%d games of its panel have no trajectory", len(games))
	}
	return counted(raw, m.Summary, params.WithHint)
}

// counted compares a summary with what its trajectories come to.
func counted(trajectories []byte, summary json.RawMessage, withHint bool) error {
	cell, err := agent.NewCell(agent.Row{WithHint: withHint}, agent.Trajectories(bytes.NewReader(trajectories)))
	if err != nil {
		return err
	}
	var said agent.Score
	if err := json.Unmarshal(summary, &said); err != nil {
		return fmt.Errorf("its summary: %w", err)
	}
	if !reflect.DeepEqual(said, cell.All) {
		return fmt.Errorf("it says %d of %d games won, its trajectories come to %d of %d, or differ in another figure",
			said.Won, said.Games, cell.All.Won, cell.All.Games)
	}
	return nil
}

// listed are the games of m's panel by id.
func (a *Auditor) listed(ctx context.Context, m *artifacts.Manifest) (map[string]activities.ListedGame, error) {
	for _, in := range m.Inputs {
		if in.Role != "games" {
			continue
		}
		list, err := activities.ReadGameList(ctx, a.Store, in.Digest)
		if err != nil {
			return nil, err
		}
		byID := map[string]activities.ListedGame{}
		for _, g := range list {
			byID[g.ID] = g
		}
		return byID, nil
	}
	return nil, fmt.Errorf("it names no games")
}

func (a *Auditor) replay(ctx context.Context, games map[string]activities.ListedGame, t agent.Trajectory, params activities.PlayParameters) error {
	listed, ok := games[t.Game]
	if !ok {
		return fmt.Errorf("game %s is not in its panel, or stands there twice", t.Game)
	}
	data, err := artifacts.ReadAll(ctx, a.Store, listed.Digest, listed.Size)
	if err != nil {
		return err
	}
	game, err := a.OpenGame(ctx, listed.ID, data)
	if err != nil {
		if t.Outcome.Cause() == agent.ReasonError && len(t.Steps) == 0 {
			return nil // it could not be read then either
		}
		return fmt.Errorf("game %s: %w", t.Game, err)
	}
	return cmp.Or(agent.Replay(ctx, game, t, params.Limits), params.Offer.Audit(t))
}

// report counts its trajectories again.
func (a *Auditor) report(ctx context.Context, m *artifacts.Manifest) error {
	var params struct {
		Cells []activities.ReportCell `json:"cells"`
	}
	if err := json.Unmarshal(m.Parameters, &params); err != nil {
		return err
	}
	report, err := activities.BuildReport(ctx, a.Store, params.Cells)
	if err != nil {
		return err
	}
	want, err := report.JSON()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{activities.ReportJSONFile: want, activities.ReportFile: []byte(report.Markdown())} {
		got, err := a.output(ctx, m, name)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, content) {
			return fmt.Errorf("%s is not what its trajectories come to", name)
		}
	}
	a.result.Reports++
	return nil
}

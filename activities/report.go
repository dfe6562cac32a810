package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/artifacts"
)

// ReportCell is one row of one panel.
type ReportCell struct {
	Panel        string           `json:"panel"`
	Role         string           `json:"role"`
	WithHint     bool             `json:"withHint"`
	Trajectories artifacts.Digest `json:"trajectories"`
	Seed         uint64           `json:"seed,omitempty"` // that the model was trained with, where there are several
}

// SeedName stands for a seed in names.
func SeedName(seed uint64) string { return fmt.Sprintf("seed-%d", seed) }

// ReportInput asks for a report of cells, in the order given.
type ReportInput struct {
	Key   artifacts.Digest `json:"key"`
	Cells []ReportCell     `json:"cells"`
}

// The outputs of a report artifact.
const (
	ReportFile     = "report.md"
	ReportJSONFile = "report.json"
)

// WriteReport counts the trajectories of all cells and writes one report. Rows that were not made under the same
// conditions are refused.
func (a *Activities) WriteReport(ctx context.Context, in ReportInput) (*ModelResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	report, err := BuildReport(ctx, a.Store, in.Cells)
	if err != nil {
		return nil, classify(err)
	}
	raw, err := report.JSON()
	if err != nil {
		return nil, err
	}
	m := artifacts.Manifest{Kind: artifacts.KindReport}
	for _, c := range in.Cells {
		role := c.Panel + "/" + c.Role
		if c.WithHint {
			role += "-hint"
		}
		if c.Seed != 0 {
			role += "/" + SeedName(c.Seed)
		}
		m.Inputs = append(m.Inputs, artifacts.Input{Role: role, Digest: c.Trajectories})
	}
	for name, content := range map[string][]byte{ReportFile: []byte(report.Markdown()), ReportJSONFile: raw} {
		d, err := artifacts.PutBytes(ctx, a.Store, artifacts.MediaTypeOf(name), content)
		if err != nil {
			return nil, classify(fmt.Errorf("store %s: %w", name, err))
		}
		m.Outputs = append(m.Outputs, artifacts.Output{Name: name, Descriptor: d})
	}
	if m.Parameters, err = json.Marshal(map[string]any{"cells": in.Cells}); err != nil {
		return nil, err
	}
	d, err := a.publish(ctx, in.Key, m)
	if err != nil {
		return nil, err
	}
	return &ModelResult{Digest: d, Note: fmt.Sprintf("panels: %d", len(report.Panels)), Work: beat.work()}, nil
}

// BuildReport counts the cells' trajectories anew from the store; hone audit compares the outcome with what is
// stored.
func BuildReport(ctx context.Context, store artifacts.Store, cells []ReportCell) (*agent.Report, error) {
	var names []string
	rows := map[string][]agent.Cell{}
	for _, c := range cells {
		cell, err := readCell(ctx, store, c)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, c.Panel) {
			names = append(names, c.Panel)
		}
		rows[c.Panel] = append(rows[c.Panel], *cell)
	}
	var panels []agent.Panel
	for _, name := range names {
		panel, err := agent.NewPanel(name, rows[name]...)
		if err != nil {
			return nil, wrong{err, ErrTypeBadInput}
		}
		panels = append(panels, panel)
	}
	report, err := agent.NewReport(panels...)
	if err != nil {
		return nil, wrong{err, ErrTypeBadInput}
	}
	return &report, nil
}

func readCell(ctx context.Context, store artifacts.Store, c ReportCell) (*agent.Cell, error) {
	m, err := artifacts.GetManifest(ctx, store, c.Trajectories)
	if err != nil {
		return nil, fmt.Errorf("read trajectories %s: %w", c.Trajectories.Short(), err)
	}
	if m.Kind != artifacts.KindTrajectories || len(m.Outputs) != 1 {
		return nil, wrong{fmt.Errorf("artifact %s is a %s, expected trajectories", c.Trajectories.Short(), m.Kind), ErrTypeBadInput}
	}
	params, err := decodePlay(m.Parameters)
	if err != nil {
		return nil, wrong{fmt.Errorf("parameters of trajectories %s: %w", c.Trajectories.Short(), err), ErrTypeBadInput}
	}
	raw, err := artifacts.ReadAll(ctx, store, m.Outputs[0].Digest, m.Outputs[0].Size)
	if err != nil {
		return nil, fmt.Errorf("read trajectories %s: %w", c.Trajectories.Short(), err)
	}
	row := agent.Row{Model: c.Role, Seed: c.Seed, WithHint: c.WithHint, Trajectories: string(c.Trajectories), Conditions: params.Conditions}
	for _, in := range m.Inputs {
		if in.Role == "model" {
			row.Weights = append(row.Weights, string(in.Digest))
		}
	}
	cell, err := agent.NewCell(row, agent.Trajectories(bytes.NewReader(raw)))
	if err != nil {
		return nil, wrong{err, ErrTypeAudit}
	}
	return &cell, nil
}

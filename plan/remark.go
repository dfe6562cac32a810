package plan

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/hone-rl/hone/skills"
)

// remark adds what the tables cannot say.
func (p *planner) remark() {
	said := map[string]bool{}
	note := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !said[text] {
			said[text] = true
			p.Notes = append(p.Notes, text)
		}
	}
	for _, one := range p.trained() {
		stage := p.first(one.step)
		if stage == nil {
			continue
		}
		role, s := one.step, one.spec
		if t := stage.Training; s.Devices > 1 {
			note("%s: a step is %d records × %d micro-batches × %d devices = %d records. Hone trains on one device, which takes all %d micro-batches "+
				"one after the other: the gradient is the same.", role, t.Batch, s.Accumulate, s.Devices, t.StepRecords, t.Micro)
		} else if t.Micro > 1 {
			note("%s: a step is %d records × %d micro-batches = %d records.", role, t.Batch, t.Micro, t.StepRecords)
		}
		if s.Pad != "" {
			note("%s: pad %s changes nothing: sequences are packed, no padding is computed.", role, s.Pad)
		}
	}
	for _, one := range p.trained() {
		if l := p.lengths[kindOf(one.step)]; l != nil && !l.exact {
			if kindOf(one.step).cold {
				note("Lengths in tokens of cold_start are estimates, %s.", l.from)
				continue
			}
			note("Lengths in tokens are estimates, %s: they are counted once the dataset and the model's tokenizer are stored.", l.from)
		}
	}
	for _, s := range p.Stages {
		if c := s.Course; c != nil {
			note("%s: at most %s optimiser steps; its tokens are those of answers, at most, and what episodes take in the store is told from that.", s.Name, humanize.Comma(int64(c.Updates)))
			if c.Panels > 0 {
				note("%s: its panel is played %d times, %s episodes.", s.Name, c.Panels, humanize.Comma(int64(c.Validated)))
			}
		}
	}
	if g := p.Spec.GRPO; p.first("grpo") != nil && g.Library != nil && g.Library.Admit == skills.AdmitNone && g.Bank == "" {
		p.Warnings = append(p.Warnings, "grpo.bank: there is none, and grpo.library.admit none takes no skill in: the library stays empty and no skill is ever shown. "+
			"hone skill import stores a bank.")
	}
	if err := p.Spec.Runnable(); err != nil {
		note("%s", err)
	}
	if p.Store == nil {
		note("There is no store to look into: what is done already is not known.")
	}
	if p.CUDA {
		note("Memory is what tensors take; CUDA itself and its matrix library take about 0.6 GB more.")
	}
}

package workflows

import (
	"fmt"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// Planned is a stage that a run of a spec would go through.
type Planned struct {
	Step  string // one of Steps
	Name  string
	Stage activities.Stage
	// Known says that all that the stage is made from is there already: then its key is the one that a run comes to.
	Known bool
	Panel string // of a stage that plays one
	Model RoleModel
}

// Walk goes through the stages of a run in its order, up to the step until ("": all), without running them. visit
// answers with the digest of the stage's result if it has been done, so that what comes after it is known.
func (s *Spec) Walk(until string, visit func(Planned) (artifacts.Digest, error)) error {
	w := walker{Spec: s, visit: visit, done: map[string]artifacts.Digest{}}
	for _, step := range s.steps() {
		w.step = step
		if err := w.walk(); err != nil {
			return err
		}
		if step == until {
			break
		}
	}
	return nil
}

type walker struct {
	*Spec
	visit func(Planned) (artifacts.Digest, error)
	step  string
	done  map[string]artifacts.Digest // by stage name
}

func (w *walker) walk() error {
	switch w.step {
	case "games":
		return w.see(Planned{Name: "games"}, w.gamesDraft(), true)
	case "hints":
		return w.see(Planned{Name: "hints"}, w.hintsDraft(w.done["games"]), w.Hints.Dataset != "" || w.has("games"))
	case "panels":
		for _, panel := range w.panels() {
			p := Planned{Name: panelStage(panel.Name), Panel: panel.Name}
			if err := w.see(p, panelDraft(panel, w.done["games"]), w.has("games")); err != nil {
				return err
			}
		}
	case "untrained":
		for _, seed := range w.starts() {
			p := Planned{Name: seeded(w.step, seed), Model: RoleModel{Role: w.step, Seed: seed}}
			known := w.Model.Qwen2 == nil && w.Model.Base != "" || w.Model.Qwen2 != nil && w.has("hints")
			if err := w.see(p, w.startDraft(seed, w.done["hints"]), known); err != nil {
				return err
			}
		}
	case "teacher", "student", "cold_start":
		return w.training()
	case "distilled":
		return w.distilled()
	case "grpo":
		return w.grpo()
	case "report":
		return w.report()
	}
	return nil
}

func (w *walker) has(stages ...string) bool {
	for _, name := range stages {
		if w.done[name] == "" {
			return false
		}
	}
	return true
}

func (w *walker) see(p Planned, d draft, known bool) (err error) {
	p.Step, p.Known = w.step, known
	if p.Stage, err = d.stage(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if w.done[p.Name], err = w.visit(p); err != nil {
		if strings.HasPrefix(err.Error(), w.step+".") { // it names a field of the step's
			return err
		}
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

func (w *walker) training() error {
	for _, t := range w.trainings() {
		if t.Step != w.step {
			continue
		}
		for _, seed := range w.each() {
			start, in := w.start(seed), t.input(w.Spec, seed)
			in.Model, in.Dataset = w.done[start], w.done["hints"]
			p := Planned{Name: in.Name, Model: RoleModel{Role: w.step, Seed: seed}}
			if err := w.see(p, in.draft(), w.has(start, "hints")); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walker) distilled() error {
	for _, seed := range w.each() {
		in := w.distilledInput(seed, w.done)
		p := Planned{Name: in.Name, Model: RoleModel{Role: w.step, Seed: seed}}
		if err := w.see(p, in.draft(), in.Start != "" && in.Teacher != "" && in.Games.Games != ""); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) grpo() error {
	games, panel := panelStage(trainPanel), panelStage(w.GRPO.Validate.Panel)
	for _, seed := range w.each() {
		start := w.grpoStart(seed)
		p := Planned{Name: seeded(w.step, seed), Panel: w.GRPO.Validate.Panel, Model: RoleModel{Role: w.step, Seed: seed}}
		d := w.GRPO.under(seed).draft(w.Evaluation, w.done[start], w.done[games], w.done[panel])
		if err := w.see(p, d, w.has(start, games, panel)); err != nil {
			return err
		}
	}
	return nil
}

// report goes through the cells, and then the report.
func (w *walker) report() error {
	var cells []activities.ReportCell
	known := true
	err := eachCell(w.Evaluation.Panels, w.models(), func(panel activities.Panel, model RoleModel, withHint bool) error {
		games, made := panelStage(panel.Name), seeded(model.Role, model.Seed)
		model.Model = w.done[made]
		name := cellStage(panel.Name, model, withHint)
		d := w.Evaluation.draft(w.Hints, withHint, w.done[games], model.Model)
		if err := w.see(Planned{Name: name, Panel: panel.Name, Model: model}, d, w.has(games, made)); err != nil {
			return err
		}
		known = known && w.has(name)
		cells = append(cells, cellOf(panel.Name, model, withHint, w.done[name]))
		return nil
	})
	if err != nil {
		return err
	}
	return w.see(Planned{Name: "report"}, reportDraft(cells), known)
}

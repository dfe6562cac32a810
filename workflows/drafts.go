package workflows

import (
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// draft is a stage whose parameters are not yet JSON. Runs and plans begin from the same drafts, so that a plan knows
// what a run will find done.
type draft struct {
	kind   string
	params any
	inputs []artifacts.Input
}

func (d draft) stage() (activities.Stage, error) {
	raw, err := parameters(d.params)
	return activities.Stage{Kind: d.kind, Parameters: raw, Inputs: d.inputs}, err
}

func (s *Spec) gamesDraft() draft {
	if list := s.Games.List; list != "" {
		return draft{"list", list, inputs("games", list)}
	}
	if shop := s.Games.Shop; shop != nil {
		return draft{"shop", *shop, inputs(activities.CatalogueRole, shop.Catalogue)}
	}
	return draft{"household", *s.Games.Household, nil}
}

func panelDraft(panel activities.Panel, games artifacts.Digest) draft {
	return draft{"panel", panel, inputs("games", games)}
}

func (s *Spec) hintsDraft(games artifacts.Digest) draft {
	if set := s.Hints.Dataset; set != "" {
		return draft{"dataset", set, inputs("dataset", set)}
	}
	return s.Hints.draft(games, "")
}

func (h HintsSpec) draft(games, previous artifacts.Digest) draft {
	return draft{"hints", h.parameters(), inputs("games", games, "previous", previous)}
}

// parameters are what records depend on beside the games.
func (h HintsSpec) parameters() activities.HintParameters {
	return activities.HintParameters{
		Split: h.Split, Plans: h.plans(), History: h.History, Validation: h.Validation, Seed: h.Seed,
		Recovery: h.recovery(), Limits: h.Limits, Deadline: time.Duration(h.Deadline), Attempts: h.Attempts,
	}
}

// startDraft is of the model that training starts from under a seed.
func (s *Spec) startDraft(seed uint64, dataset artifacts.Digest) draft {
	if s.Model.Qwen2 == nil {
		return draft{"base", s.Model.Base, inputs("model", s.Model.Base)}
	}
	return draft{"init", s.initial(seed), inputs("dataset", dataset)}
}

// parameters are what the fine-tuned model depends on beside its inputs.
func (in SFTInput) parameters() activities.TrainParameters {
	p := in.SFT.parameters(in.WithHint, in.Prompt)
	p.ColdStart = in.ColdStart
	return p
}

func (in SFTInput) draft() draft {
	return draft{"sft", in.parameters(), inputs("model", in.Model, "dataset", in.Dataset)}
}

// parameters are what trajectories depend on beside games and model.
func (e EvaluationSpec) parameters(h HintsSpec, withHint bool) activities.PlayParameters {
	return activities.PlayParameters{
		WithHint: withHint, MaxSteps: e.MaxSteps, History: h.History, Oracle: e.Oracle, HintPlans: h.plans(), Prompt: h.Prompt,
		StopCycles: e.Cycle, Limits: e.Limits, Deadline: time.Duration(e.Deadline), DType: e.DType,
		Decoding: e.Decoding, Offer: e.Offer, Temperature: e.Temperature, Seed: e.Seed,
	}
}

func (e EvaluationSpec) draft(h HintsSpec, withHint bool, games, model artifacts.Digest) draft {
	return draft{"play", e.parameters(h, withHint), inputs("games", games, "model", model)}
}

func reportDraft(cells []activities.ReportCell) draft { return draft{kind: "report", params: cells} }

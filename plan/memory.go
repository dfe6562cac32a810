package plan

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/memory"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/workflows"
)

// Memory is what some work takes of a device.
type Memory struct {
	Name  string `json:"name"`  // "teacher", "play"
	Batch string `json:"batch"` // what is computed at once
	memory.Use
}

func (p *planner) memory() error {
	for _, t := range p.trained() {
		if p.first(t.step) == nil {
			continue
		}
		if err := p.trainingMemory(t.step, t.spec); err != nil {
			return err
		}
	}
	if err := p.courseMemory(); err != nil {
		return err
	}
	if p.first("report") == nil {
		return nil
	}
	return p.playMemory()
}

func (p *planner) trainingMemory(name string, s workflows.SFTSpec) error {
	l := p.lengths[kindOf(name)]
	t, err := p.pass(s.TrainConfig)
	if err != nil {
		return err
	}
	if err := p.countable(name, float64(s.Batch), float64(s.MaxTokens), s.Eager()); err != nil {
		return err
	}
	rows := int64(0)
	for _, one := range l.largest { // the last token of an example is only a target
		n := one.tokens - 1
		wanted := min(one.answers, n)
		if s.PromptLoss > 0 {
			wanted = n
		}
		t.Batch.Tokens, t.Batch.Wanted = append(t.Batch.Tokens, n), append(t.Batch.Wanted, wanted)
		rows += n
	}
	use, err := t.Use()
	if err != nil {
		return err
	}
	what := "the most that max_tokens allows"
	if l.exact {
		what = "the longest records"
	}
	p.Memory = append(p.Memory, Memory{Name: name, Batch: fmt.Sprintf("%d records, %s tokens: %s", len(l.largest), humanize.Comma(rows), what), Use: use})
	return nil
}

// pass is a training's, without what it computes at once.
func (p *planner) pass(s gpu.TrainConfig) (memory.Training, error) {
	t := memory.Training{
		Model: p.model, BFloat16: s.DType == "bfloat16", Eager: s.Eager(), Recompute: s.Recompute, CUDA: p.CUDA,
	}
	lora := s.LoRA
	if lora == nil {
		return t, nil
	}
	var err error
	t.Adapter, err = checkpoint.Targets(p.model, lora.Targets)
	t.Rank, t.Dropout = int64(lora.Rank), lora.Dropout > 0
	return t, err
}

// trainable is how many parameters a training changes.
func (p *planner) trainable(lora *gpu.LoRA) (int64, error) {
	if lora == nil {
		return p.Model.Parameters, nil
	}
	layers, err := checkpoint.Targets(p.model, lora.Targets)
	return memory.Rank(layers, int64(lora.Rank)), err
}

func (p *planner) playMemory() error {
	e := p.Spec.Evaluation
	l := p.lengths[kind{hint: true}]
	longest := p.Spec.Teacher.MaxTokens
	if l != nil && l.exact {
		longest = l.longest
	}
	n := min(e.Shard, agent.DefaultBatch)
	if err := p.countable("teacher", float64(2*n), float64(longest), false); err != nil {
		return err
	}
	d := memory.Decoding{Model: p.model, BFloat16: e.DType == "bfloat16", CUDA: p.CUDA, Prompt: int64(longest), Lanes: int64(2 * n)}
	use, err := d.Use()
	if err != nil {
		return err
	}
	p.Memory = append(p.Memory, Memory{Name: "play", Batch: fmt.Sprintf("%d games, prompts of %s tokens", n, humanize.Comma(int64(longest))), Use: use})
	return nil
}

// countable refuses passes of so many sequences whose bytes might not fit into 64 bits. It counts more than there is: of
// each linear layer 64 bytes for all that its output goes through, and with eager attention a head for each of its outputs.
func (p *planner) countable(field string, sequences, tokens float64, eager bool) error {
	vocabulary, _ := p.model.Limits()
	wide := float64(vocabulary)
	for _, l := range p.model.Linears() {
		wide += float64(l.In + l.Out)
	}
	bytes := 64 * sequences * tokens * wide
	if eager {
		bytes *= tokens
	}
	if bytes > 1<<62 {
		return fmt.Errorf("%s.max_tokens %.0f: %.0f sequences at once, expected fewer or shorter ones: the memory of a pass would be above %.1e bytes",
			field, tokens, sequences, float64(1<<62))
	}
	return nil
}

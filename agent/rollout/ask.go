package rollout

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/hone-rl/hone/agent"
	"github.com/hone-rl/hone/gpu"
)

// ask samples an answer and records it. The prompt is written with as many of its parts (turns, whole) as the model can
// read with the answer; false means that it cannot be read with none of them, which ends an episode that still goes on.
func (e *episode) ask(ctx context.Context, phase Phase, parts int, prompt builder) (string, bool, error) {
	ids, need, err := e.fitting(ctx, phase, parts, prompt)
	if err != nil {
		return "", false, fmt.Errorf("%s of rollout %d of %s: %w", phase, e.task.Rollout, e.task.Game.ID(), err)
	}
	if ids == nil {
		if !e.over() {
			e.end(fmt.Sprintf("%s: %d tokens of prompt and answer, the model reads %d", agent.ReasonPositions, need, e.cfg.Positions))
		}
		return "", false, nil
	}
	draw := e.cfg.Draw
	answered := e.cfg.Times.begin(timeOf[phase])
	sampled, err := e.cfg.Policy.Sample(ctx, []gpu.Sampling{{
		Prompt: ids, MaxTokens: e.cfg.Answer[phase], Stop: e.cfg.Stop, Temperature: draw.Temperature, TopK: draw.TopK, TopP: draw.TopP,
		Seed: seed(e.task.Seed, "sample", uint64(len(e.record.Said))),
	}})
	answered()
	if err == nil && len(sampled) != 1 {
		err = fmt.Errorf("the policy gave %d answers, expected 1", len(sampled))
	}
	if err != nil {
		return "", false, fmt.Errorf("%s of rollout %d of %s: %w", phase, e.task.Rollout, e.task.Game.ID(), err)
	}
	s := sampled[0]
	same := alike(e.last, ids)
	e.record.Said = append(e.record.Said, Said{
		Phase: phase, Same: same, Prompt: slices.Clone(ids[same:]), Tokens: s.Tokens, LogProbs: s.Drawn, Stopped: s.Stopped,
	})
	e.last = append(ids[:len(ids):len(ids)], s.Tokens...)
	text := s.Tokens
	if s.Stopped {
		text = text[:len(text)-1]
	}
	return e.cfg.Decoder.DecodePlain(text), true, nil
}

// builder writes a prompt with the last left of its parts.
type builder func(ctx context.Context, left int) ([]int32, error)

// text writes a prompt that is one text.
func (e *episode) text(write func(left int) string) builder {
	return func(ctx context.Context, left int) ([]int32, error) { return e.cfg.Form.Prompt(ctx, write(left)) }
}

// fitting is the longest prompt that leaves room for the answer, or nil and what the shortest would need.
func (e *episode) fitting(ctx context.Context, phase Phase, parts int, prompt builder) (ids []int32, need int, err error) {
	for left := parts; left >= 0; left-- {
		if ids, err = prompt(ctx, left); err != nil {
			return nil, 0, err
		}
		if need = len(ids) + e.cfg.Answer[phase]; need <= e.cfg.Positions {
			return ids, need, nil
		}
	}
	return nil, need, nil
}

// fault notes what is wrong with the last answer; "" is nothing.
func (e *episode) fault(what string) { e.record.Said[len(e.record.Said)-1].Fault = what }

// alike is how many tokens a and b begin with in common.
func alike(a, b []int32) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// seed is that of the n-th draw of a kind in an episode.
func seed(episode uint64, kind string, n uint64) uint64 {
	b := binary.LittleEndian.AppendUint64([]byte(kind+"\x00"), episode)
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64(b, n))
	return binary.LittleEndian.Uint64(sum[:])
}

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/internal/regular"
)

// modelCommand holds what can be done with a model's folder alone, without any server.
func modelCommand(cfg *config) *cobra.Command {
	cmd := &cobra.Command{Use: "model", Short: "Use a model's folder"}
	cmd.AddCommand(greedyCommand(cfg), newCommand())
	return cmd
}

// maxPrompts bounds a file of prompts, in bytes.
const maxPrompts = 64 << 20

func greedyCommand(cfg *config) *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use:   "greedy MODEL[,ADAPTER] PROMPTS",
		Short: "Print what a model decodes greedily from token ids",
		Long: `greedy loads the Hugging Face folder MODEL, and the PEFT adapter ADAPTER if one is given, and goes on from each prompt
in PROMPTS, a JSON file with a list of lists of token ids. It prints a JSON list with the ids that follow each prompt,
as scripts/parity/peft_greedy.py does with Python's transformers and peft.`,
		Args: wanting(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := regular.Read(args[1], maxPrompts)
			if err != nil {
				return err
			}
			var prompts [][]int32
			if err := json.Unmarshal(raw, &prompts); err != nil {
				return fmt.Errorf("%s: expected a list of lists of token ids: %w", args[1], err)
			}
			runner, err := openRunner(*cfg)
			if err != nil {
				return err
			}
			model, adapter, _ := strings.Cut(args[0], ",")
			policy, err := runner.Policy(cmd.Context(), gpu.PolicyConfig{Model: model, Adapter: adapter})
			if err != nil {
				return err
			}
			requests := make([]gpu.Sampling, len(prompts))
			for i, p := range prompts {
				requests[i] = gpu.Sampling{Prompt: p, MaxTokens: n}
			}
			sampled, err := policy.Sample(cmd.Context(), requests)
			if err != nil {
				return err
			}
			tokens := make([][]int32, len(sampled))
			for i, s := range sampled {
				tokens[i] = s.Tokens
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(tokens)
		},
	}
	cmd.Flags().IntVar(&n, "tokens", 24, "ids after each prompt")
	return cmd
}

func newCommand() *cobra.Command {
	var seed uint64
	cmd := &cobra.Command{
		Use:   "new CONFIG.json DIR",
		Short: "Write a model with random weights into a folder",
		Long: `new writes config.json and model.safetensors (fp32) of any configuration of an architecture that there is into the
folder DIR, which is there. The same configuration and seed give the same bytes. "hone model new" adds a tokenizer and
stores it.`,
		Args: wanting(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := checkpoint.ReadText(args[0])
			if err != nil {
				return err
			}
			return nn.CreateContext(cmd.Context(), text, seed, args[1])
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 0, "of the weights")
	return cmd
}

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
)

// exactly is cobra.ExactArgs with a message that says what is missing.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage(fmt.Errorf("%s: expected %s, got %d arguments: see %s --help", cmd.CommandPath(), what, len(args), cmd.CommandPath()))
		}
		return named(cmd, args, what)
	}
}

// optional takes one argument or none.
func optional(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage(fmt.Errorf("%s: expected at most %s, got %d arguments: see %[1]s --help", cmd.CommandPath(), what, len(args)))
		}
		return named(cmd, args, what)
	}
}

// named refuses an argument without a letter, such as a shell's unset variable: as a folder it would mean another one.
func named(cmd *cobra.Command, args []string, what string) error {
	if slices.Contains(args, "") {
		return usage(fmt.Errorf("%s: expected %s, got an empty argument: see %[1]s --help", cmd.CommandPath(), what))
	}
	return nil
}

// artifactArg is exactly, where the first argument names an artifact. Its form is looked at before any server is asked.
func artifactArg(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := exactly(n, what)(cmd, args); err != nil {
			return err
		}
		return usage(lineage.Check(args[0]))
	}
}

// runArg is exactly, where the first argument names a run.
func runArg(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := exactly(n, what)(cmd, args); err != nil {
			return err
		}
		return checkRun(args[0])
	}
}

func checkRun(id string) error {
	if artifacts.ValidateName(activities.RunName(id, "run")) != nil {
		return usage(fmt.Errorf("%q: expected a run, such as demo-1a2b3c4d5e; hone list shows the runs", id))
	}
	return nil
}

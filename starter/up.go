package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

func (a *app) upCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "up [-- HONE-STACK FLAGS]",
		Short: "Start the local stack: Temporal, its web page, S3 and one worker",
		Long: `up starts hone-stack in the background, on loopback only, with all its state in the data folder. It may be
killed at any time and started again: runs go on where they were.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.stackCommand(cmd, append([]string{"up", "--data", a.DataDir()}, args...)...)
		},
	}
}

func (a *app) downCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop the local stack",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.stackCommand(cmd, "down", "--data", a.DataDir())
		},
	}
}

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say whether the local stack is up, and its addresses",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			args := []string{"status", "--data", a.DataDir()}
			if a.json {
				args = append(args, "--json")
			}
			return a.stackCommand(cmd, args...)
		},
	}
}

// stackCommand hands over to hone-stack.
func (a *app) stackCommand(cmd *cobra.Command, args ...string) error {
	return handOver(cmd, "hone-stack", args...)
}

// handOver runs one of our other programs, which lie beside this one or on the path.
func handOver(cmd *cobra.Command, program string, args ...string) error {
	path, err := beside(program)
	if err != nil {
		return err
	}
	sub := exec.CommandContext(cmd.Context(), path, args...)
	sub.Stdin, sub.Stdout, sub.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = sub.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return coded{fmt.Errorf("%s %s did not succeed", program, args[0]), max(exit.ExitCode(), exitFailed)}
	}
	return err
}

func beside(program string) (string, error) {
	self, err := os.Executable()
	if err == nil {
		path := filepath.Join(filepath.Dir(self), program)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside hone nor on the path: make build puts them together in bin", program)
	}
	return path, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) upCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "up [-- HONE-STACK FLAGS]",
		Short: "Start the local stack: Temporal, its web page, S3 and one worker",
		Long: `up starts hone-stack in the background, on loopback only, with all its state in the data folder. It may be
killed at any time and started again: runs go on where they were.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.stackCommand(cmd, append([]string{"up", "--data", a.DataDir()}, args...)...); err != nil {
				return err
			}
			return a.workerLives(cmd.Context())
		},
	}
}

// workerLives waits a moment for the worker: one that cannot even start (a library that is missing, a device that is
// not there) ends at once, and again and again.
func (a *app) workerLives(ctx context.Context) error {
	restarts := -1
	for i := range 12 {
		local, err := a.Local()
		if err != nil || local.Worker == nil {
			return nil //nolint:nilerr // it has been stopped again, or asked not to have a worker
		}
		if restarts < 0 {
			restarts = local.Worker.Restarts
		}
		if local.Worker.Restarts > restarts || i == 11 && local.Worker.PID == 0 {
			return fmt.Errorf("the local stack is up, but its worker ends at once: %s\n(whole log: %s)", lastLine(local.Worker.Log), local.Worker.Log)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

func lastLine(file string) string {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	return lines[len(lines)-1]
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
	sub.Cancel = func() error { return sub.Process.Signal(syscall.SIGTERM) } // it clears away what is not finished
	sub.WaitDelay = 20 * time.Second
	err = sub.Run()
	if cmd.Context().Err() != nil {
		return cmd.Context().Err()
	}
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

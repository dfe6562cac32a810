package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/devserver/internal/temporal"
	"github.com/hone-rl/hone/devserver/stackfile"
)

// startWait bounds the wait for a stack to become ready; a busy machine takes some seconds.
const startWait = 3 * time.Minute

// background starts this program again with the same arguments, out of reach of the terminal, and returns when the
// stack is ready.
func background(cmd *cobra.Command, data string) error {
	dir := stackfile.Dir(data)
	pid, err := dir.Holder()
	if err != nil {
		return err
	}
	if pid != 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "the stack is running already (process %d)\n", pid)
		return awaitReady(cmd, dir, pid, nil)
	}
	if err := os.MkdirAll(dir.Logs(), 0o755); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	for try := 1; ; try++ {
		if err = launch(cmd, dir); try == launches || !portTaken(err) {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "a port was taken at the last moment: trying once more")
	}
}

// launches is how often a stack that lost a port is begun: another one that starts at the same time may win all three.
const launches = 4

// portTaken says whether a stack did not start since a port was taken after it had been found free. The web page ends
// the process by itself and leaves nothing but its line in the log.
func portTaken(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && (exit.ExitCode() == temporal.ExitPortTaken || strings.Contains(err.Error(), "bind: address already in use"))
}

func launch(cmd *cobra.Command, dir stackfile.Dir) error {
	log, err := os.OpenFile(dir.StackLog(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // only read from here
	begin, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, append(os.Args[1:], "--foreground")...)
	child.Stdout, child.Stderr = log, log
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return err
	}
	exit := make(chan error, 1)
	go func() { exit <- child.Wait() }()
	err = awaitReady(cmd, dir, child.Process.Pid, exit)
	// What a person should know stands in the log's new lines, and so does the reason when it fails.
	lines, rerr := io.ReadAll(io.NewSectionReader(log, begin, 1<<20))
	if rerr != nil {
		return errors.Join(err, rerr)
	}
	if err != nil {
		return fmt.Errorf("%w; the end of %s:\n%s", err, dir.StackLog(), tail(string(lines), 20))
	}
	for line := range strings.Lines(string(lines)) {
		if strings.HasPrefix(line, "port ") {
			fmt.Fprint(cmd.OutOrStdout(), line)
		}
	}
	return nil
}

// awaitReady waits until the stack of process pid is ready, and prints where it is. exit, if not nil, tells of its
// end.
func awaitReady(cmd *cobra.Command, dir stackfile.Dir, pid int, exit <-chan error) error {
	deadline := time.After(startWait)
	for {
		if s, err := dir.Read(); err == nil && s.PID == pid {
			fmt.Fprintf(cmd.OutOrStdout(), "local stack of %s (process %d)\n  Temporal  %s\n  web page  %s\n  S3        %s\n",
				s.Data, s.PID, s.Temporal.Address, s.UI.URL, s.S3.Endpoint)
			return nil
		}
		select {
		case err := <-exit:
			if err == nil {
				err = errors.New("it ended without an error")
			}
			return fmt.Errorf("the stack did not start: %w", err)
		case <-cmd.Context().Done():
			return cmd.Context().Err()
		case <-deadline:
			return fmt.Errorf("the stack (process %d) is not ready after %s", pid, startWait)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func tail(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

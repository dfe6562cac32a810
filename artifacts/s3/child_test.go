package s3_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/s3"
	"github.com/hone-rl/hone/devserver/gateway"
)

// childJob names the environment variable that makes this test program do one job, be it to be killed at it: a store
// that puts a file, or a gateway over another folder.
const childJob = "HONE_S3_TEST_JOB"

type job struct {
	Gateway string // its folder
	Address string

	Put   string // a file
	Store s3.Config
}

func child(text string) int {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if err := j.do(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (j job) do(ctx context.Context) error {
	if j.Gateway != "" {
		g, err := gateway.Start(ctx, gatewayConfig(j.Gateway, j.Address))
		if err != nil {
			return err
		}
		fmt.Println("ready")
		<-g.Done()
		return g.Stop()
	}
	store, err := s3.Open(ctx, j.Store)
	if err != nil {
		return err
	}
	_, err = artifacts.PutFile(ctx, store, artifacts.MediaTypeOctets, j.Put)
	return err
}

// start starts a job. Its process is killed at the test's end at the latest.
func (j job) start(t *testing.T) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childJob+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { killed(t, cmd) })
	if j.Gateway != "" {
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || strings.TrimSpace(line) != "ready" {
			t.Fatalf("gateway: got %q, %v, want that it is ready", line, err)
		}
	}
	return cmd
}

// killed kills the process and waits until it is gone.
func killed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if cmd.ProcessState != nil {
		return
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Log(err) // ended by itself
	}
	_ = cmd.Wait() // says that it was killed
}

package train_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-rl/hone/gpu"
	"github.com/hone-rl/hone/gpu/models/qwen2"
	"github.com/hone-rl/hone/gpu/nn"
	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/train"
	"github.com/hone-rl/hone/scripts/bench"
)

// memoryOf names a model's folder, in the environment of a process of its own that only measures memory.
const memoryOf = "HONE_MEMORY_OF"

func TestMain(m *testing.M) {
	if dir := os.Getenv(memoryOf); dir != "" {
		most, err := memoryOfSteps(dir, os.Getenv(memoryOf+"_BATCHES"), os.Getenv(memoryOf+"_AGAIN") != "")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(most)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// BenchmarkPythonMemory is the most memory resident during three training steps on 8 records of 512 tokens, beyond
// what was there before the model was loaded: weights, gradients, moments, and what is kept for the way back. Each side
// is a process of its own.
func BenchmarkPythonMemory(b *testing.B) {
	config := recipe
	batches := [][]gpu.Example{batch(1, 8, wide.Vocabulary, 512, 512)}
	dir := b.TempDir()
	if err := qwen2.Init(wide, 3, dir); err != nil {
		b.Fatal(err)
	}
	input := bench.WriteJSON(b, map[string]any{"config": config, "batches": batches})
	figures := map[string]float64{"ours": ours(b, dir, input, ""), "ours-recomputed": ours(b, dir, input, "yes")}
	for name, round := range map[string]string{"torch": "lean", "transformers": "transformers"} {
		peer := bench.Start(b, bench.Program{Environment: ".venv", Script: "train.py", Args: []string{dir, input, "1", "memory"}})
		_, result := peer.Round(b, round)
		figures[name] = result.(float64)
	}
	for b.Loop() { // it is measured once
	}
	b.ReportMetric(0, "ns/op")
	for name, bytes := range figures {
		b.ReportMetric(bytes/1e6, name+"-MB")
	}
	b.ReportMetric(figures["ours"]/figures["torch"], "of-torch")
}

func ours(b *testing.B, dir, input, again string) float64 {
	b.Helper()
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	command := exec.Command(program)
	command.Env = append(os.Environ(), memoryOf+"="+dir, memoryOf+"_BATCHES="+input, memoryOf+"_AGAIN="+again)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		b.Fatal(err)
	}
	most, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return most
}

func memoryOfSteps(dir, input string, again bool) (most int, err error) {
	var data struct {
		Config  gpu.TrainConfig
		Batches [][]gpu.Example
	}
	text, err := os.ReadFile(input)
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal(text, &data); err != nil {
		return 0, err
	}
	data.Config.Recompute = again
	e, err := torch.New(torch.Config{Device: "cpu", Threads: 1})
	if err != nil {
		return 0, err
	}
	err = e.Do(context.Background(), func() error {
		e.Zeros(torch.Float32, 64, 64).MatMul(e.Zeros(torch.Float32, 64, 64)) // what the library itself takes
		debug.FreeOSMemory()
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil { // the peak begins again
			return err
		}
		before, err := status("VmRSS")
		if err != nil {
			return err
		}
		m, err := qwen2.Load(e, dir, nn.Options{})
		if err != nil {
			return err
		}
		trainer, err := train.New(e, m, data.Config)
		if err != nil {
			return err
		}
		for range 3 {
			if _, err := trainer.Step(context.Background(), [][]gpu.Example{data.Batches[0]}); err != nil {
				return err
			}
		}
		peak, err := status("VmHWM")
		most = peak - before
		return err
	})
	return most, err
}

// status is a figure of /proc/self/status, in bytes.
func status(key string) (int, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), key+":")
	var kilobytes int
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		return 0, fmt.Errorf("%s in /proc/self/status: %w", key, err)
	}
	return 1024 * kilobytes, nil
}

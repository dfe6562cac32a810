package main

import "testing"

// Flags that mean nothing are refused before anything is looked for.
func TestServeRefuses(t *testing.T) {
	for flag, want := range map[string]string{
		"--threads=0":   "--threads 0: expected 1 or more",
		"--parallel=-1": "--parallel -1: expected 1 or more",
		"--queues=":     "--queues: expected cpu, gpu or both",
		"--queues=tpu":  "--queues tpu: expected cpu, gpu or both",
		"--pool=A":      `--pool: pool "A": expected lower-case letters, digits and dashes`,
	} {
		cmd := command()
		cmd.SetArgs([]string{"--data", t.TempDir(), flag})
		if err := cmd.ExecuteContext(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", flag, err, want)
		}
	}
}

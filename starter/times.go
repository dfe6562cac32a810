package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hone-rl/hone/runs"
)

// writeTimes writes what a mean step took.
func writeTimes(out io.Writer, steps int, parts []runs.PartTime) error {
	if steps == 0 {
		return nil
	}
	var all time.Duration
	text := make([]string, len(parts))
	for i, p := range parts {
		all += p.Mean
		text[i] = fmt.Sprintf("%s %.1f s (%.0f %%)", p.Part, p.Mean.Seconds(), 100*p.Share)
	}
	_, err := fmt.Fprintf(out, "a step's work took %.1f s, mean of %s: %s\n", all.Seconds(), counted(steps, "step"), strings.Join(text, ", "))
	return err
}

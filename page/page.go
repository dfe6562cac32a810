// Package page writes runs as one HTML file that needs nothing else: no network, no other file, and no JavaScript but for
// stepping through games, searching skills and clicking through the lineage. What games, policies and specs say stands in it
// as text, whatever it is. The file follows from the store alone, byte for byte.
package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hone-rl/hone/artifacts"
)

// Config says what a page is of.
type Config struct {
	Store artifacts.Store
	Runs  []string // 1 to MostRuns; several are compared, the first with each other
	// Episodes is how many are there to step through, of all runs together; 0 is DefaultEpisodes, below 0 is none.
	Episodes int
}

// MostRuns is how many runs a page may have, DefaultEpisodes how many episodes it has.
const (
	MostRuns        = 6
	DefaultEpisodes = 24
)

// What a page holds of each run at most. What is left out is counted in the page.
const (
	mostBytes      = 6 << 20  // of all episodes' texts in a page, together
	mostTurns      = 60       // of an episode
	mostText       = 12 << 10 // bytes of a text
	mostCommands   = 100      // admissible ones in a turn
	mostSkills     = 200      // in the library
	mostRetired    = 100
	mostExcluded   = 200
	mostSteps      = 200 // rows of a training's figures
	mostArtifacts  = 50  // of a chain that is left out of the graph
	mostInputs     = 60  // of an artifact
	mostOutputs    = 20
	mostParameters = 8 << 10 // bytes
)

// Check says what is wrong with what is asked for, nil if nothing is.
func (c Config) Check() error {
	switch n := len(c.Runs); {
	case n == 0:
		return errors.New("expected a run")
	case n > MostRuns:
		return fmt.Errorf("%d runs: expected at most %d on one page", n, MostRuns)
	}
	for i, run := range c.Runs {
		if slices.Contains(c.Runs[:i], run) {
			return fmt.Errorf("run %s stands twice, expected each once", run)
		}
	}
	return nil
}

// Write writes the page. An error of a run that is not there is a *runs.AskedError, and nothing has been written then.
func Write(ctx context.Context, w io.Writer, c Config) error {
	if err := c.Check(); err != nil {
		return err
	}
	if c.Episodes == 0 {
		c.Episodes = DefaultEpisodes
	}
	doc, err := gather(ctx, c)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := templates.Execute(&text, doc); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err = w.Write(append(bytes.TrimSpace(text.Bytes()), '\n'))
	return err
}

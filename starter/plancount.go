package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hone-rl/hone/env"
)

// planCount is what the plans of one expert in the games of one task type come to.
type planCount struct {
	Expert  env.PlanKind `json:"expert"`
	Family  string       `json:"family"` // "all" for all together
	Games   int          `json:"games"`
	NoPlan  int          `json:"noPlan"`     // games in which the expert finds none
	Budget  int          `json:"overBudget"` // games that exceed the default limits
	Plans   int          `json:"plans"`
	Records int          `json:"records"` // commands
	Mean    float64      `json:"mean"`
	Median  int          `json:"median"` // of the sorted lengths that at n/2, counted from 0
	Longest int          `json:"longest"`
	lengths []int
}

// saysOfPlan reports whether an expert's error, or that of the game's start, says that there is no plan.
func saysOfPlan(err error) bool {
	var budget *env.BudgetError
	return err == nil || errors.As(err, &budget) || errors.Is(err, env.ErrNoPlan)
}

// add counts one game. Errors that say nothing about the plan come back.
func (c *planCount) add(length int, err error) error {
	var budget *env.BudgetError
	switch {
	case errors.As(err, &budget):
		c.Budget++
	case errors.Is(err, env.ErrNoPlan):
		c.NoPlan++
	case err != nil:
		return err
	default:
		c.lengths = append(c.lengths, length)
	}
	c.Games++
	return nil
}

func (c *planCount) sum() {
	slices.Sort(c.lengths)
	for _, n := range c.lengths {
		c.Records += n
	}
	if c.Plans = len(c.lengths); c.Plans > 0 {
		c.Mean = float64(c.Records) / float64(c.Plans)
		c.Median, c.Longest = c.lengths[c.Plans/2], c.lengths[c.Plans-1]
	}
}

// publishedGames are the training games that were published about.
const publishedGames = 3553

// writePlans writes a table, below that of as many training games as ALFWorld has with what was published about them:
// the records of a privileged teacher, for which 15 games ran out of time.
func writePlans(out io.Writer, list []*planCount, train bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(cells ...any) {
		line := strings.Repeat("%v\t", len(cells)-1) + "%v\n"
		fmt.Fprintf(w, line, cells...)
	}
	row("expert", "task type", "games", "plans", "no plan", "over budget", "records", "mean", "median", "longest")
	for _, c := range list {
		row(c.Expert, c.Family, c.Games, c.Plans, c.NoPlan, c.Budget, c.Records, fmt.Sprintf("%.2f", c.Mean), c.Median, c.Longest)
	}
	if train && slices.ContainsFunc(list, func(c *planCount) bool { return c.Family == "all" && c.Games == publishedGames }) {
		row("published", "all", publishedGames, 3538, 15, 0, 21194, "5.99", "–", "–")
	}
	return w.Flush()
}

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/runs"
)

// trainingArg checks the form of RUN or RUN/grpo/seed-N.
func trainingArg(ref string) error {
	run, stage, of := strings.Cut(ref, "/")
	if err := checkRun(run); err != nil {
		return err
	}
	if of && (!runs.IsGRPO(stage) || artifacts.ValidateName(activities.RunName(run, stage)) != nil) {
		return usage(fmt.Errorf("%q: expected a run, or RUN/%s/seed-N where it trained with several seeds", ref, runs.GRPO))
	}
	return nil
}

// refused is an error of runs with the exit code that it has: what was asked for is wrong usage.
func refused(err error) error {
	if asked := (*runs.AskedError)(nil); errors.As(err, &asked) {
		return usage(err)
	}
	return err
}

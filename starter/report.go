package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage/retention"
	"github.com/hone-rl/hone/page"
)

func (a *app) reportCommand() *cobra.Command {
	var file string
	episodes := page.DefaultEpisodes
	cmd := &cobra.Command{
		Use:   "report RUN [RUN...]",
		Short: "Print a run's report, or write one or several as a page (HTML)",
		Long: fmt.Sprintf(`report prints the table of a run's evaluation. Of a run that learns from rewards and has no evaluation, it prints what the
policies won of the validation panel, step by step, with 95 %% intervals (Wilson), and in a shop the mean score beside it.

With -o FILE.html it writes all that the store knows of a run, finished or under way, as one page that a browser opens without
a network: curves of loss and success, tables by task family, with retrieval and without, games to step through turn by
turn, the skill library with every skill's life, excluded games with the reasons, the lineage to click through, and what it
all took. Of up to %d runs it says besides what differs in their specs, and how much more the first has learnt than each
other, as hone compare has it. The page follows from the store alone, byte for byte, and says what it leaves out.`, page.MostRuns),
		Example: `  hone report demo-1a2b3c4d5e
  hone report demo-1a2b3c4d5e -o demo.html
  hone report skill1-1a2b3c4d5e ablation-5e4d3c2b1a -o both.html --episodes 40`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(fmt.Errorf("%s: expected a run: see %[1]s --help", cmd.CommandPath()))
			}
			for _, run := range args {
				if err := checkRun(run); err != nil {
					return err
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			asked := page.Config{Runs: args, Episodes: episodes}
			if err := a.checkReport(file, asked); err != nil {
				return usage(err)
			}
			if episodes == 0 {
				asked.Episodes = -1 // none
			}
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			if file == "" {
				return a.writeReport(cmd.Context(), store, args[0])
			}
			asked.Store = store
			return writePage(cmd.Context(), file, asked)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "page to write, FILE.html (default: the tables, to standard output)")
	cmd.Flags().IntVar(&episodes, "episodes", episodes, "games that the page has to step through, of all runs together")
	return cmd
}

// checkReport refuses what cannot be written.
func (a *app) checkReport(file string, asked page.Config) error {
	switch {
	case file != "" && !strings.HasSuffix(file, ".html"):
		return fmt.Errorf("-o %s: expected FILE.html", file)
	case file != "" && a.json:
		return errors.New("--json and -o: expected one of them")
	case file == "" && len(asked.Runs) > 1:
		return fmt.Errorf("%d runs: expected -o FILE.html; hone compare prints how much more one has learnt than another", len(asked.Runs))
	case asked.Episodes < 0:
		return fmt.Errorf("--episodes %d: expected 0 or more", asked.Episodes)
	}
	return asked.Check()
}

// writePage writes the page, whole or not at all.
func writePage(ctx context.Context, file string, asked page.Config) error {
	var text bytes.Buffer
	if err := page.Write(ctx, &text, asked); err != nil {
		return refused(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		return usage(err)
	}
	fmt.Printf("%s: %s, %s\n", file, counted(len(asked.Runs), "run"), size(int64(text.Len())))
	return nil
}

// errNoReport is of a run that has not come to its report, or asks for none.
var errNoReport = errors.New("no report")

func (a *app) printReport(ctx context.Context, run string) error {
	store, err := a.Store(ctx)
	if err != nil {
		return err
	}
	return a.writeReport(ctx, store, run)
}

func (a *app) writeReport(ctx context.Context, store artifacts.Store, run string) error {
	d, err := store.Resolve(ctx, activities.RunName(run, "report"))
	if errors.Is(err, artifacts.ErrNotFound) {
		if there, err := a.printTrainings(ctx, store, run); there || err != nil {
			return err
		}
		if err := retention.Gone(ctx, store, run); err != nil {
			return usage(err)
		}
		return usage(fmt.Errorf("run %s has %w here yet: hone list shows the runs and their stages", run, errNoReport))
	}
	if err != nil {
		return fmt.Errorf("report of run %s: %w", run, err)
	}
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return fmt.Errorf("report of run %s: %w", run, err)
	}
	want := activities.ReportFile
	if a.json {
		want = activities.ReportJSONFile
	}
	for _, out := range m.Outputs {
		if out.Name != want {
			continue
		}
		raw, err := artifacts.ReadAll(ctx, store, out.Digest, out.Size)
		if err != nil {
			return fmt.Errorf("report of run %s: %w", run, err)
		}
		fmt.Println(string(raw))
	}
	return nil
}

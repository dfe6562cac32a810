package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/runs"
	"github.com/hone-rl/hone/skills"
)

// skillAsked is which library hone skill is about.
type skillAsked struct {
	library, run string
	step         int // -1: the newest
	all          bool
}

func (a *app) skillCommand() *cobra.Command {
	asked := skillAsked{step: -1}
	cmd := &cobra.Command{
		Use:     "skill [ID] --library DIGEST | --run RUN",
		Aliases: []string{"skills"},
		Short:   "Tell a skill's whole life, or list a library's skills",
		Long: `skill tells the life of a skill: which episode it was born of, when it was retrieved and selected, how its utility went,
what merged into it, and why it retired. It is told from the changes of every step, each held against the snapshots on
both sides of it, so it is there for skills that are in no library any more. The beginning of an id is enough, with or
without "skill-".

Without an ID it lists a library's skills by utility. With --at it is about the library at the end of an earlier step; a
list is then made anew from the first library and all changes since, and compared with the snapshot that was stored.

A library is named by the digest of its artifact. Of a run it is the newest, while the run is under way, too.

hone skill import stores skills from outside, which a training may begin with.`,
		Example: `  hone skill --run skill1-1a2b3c4d5e                    its skills, the most useful first
  hone skill 0a1b2c --run skill1-1a2b3c4d5e             the life of one
  hone skill --library sha256:… --at 12 --all           a library as it was after step 12
  hone skill import bank.json                           skills from outside, for a training to begin with`,
		Args: optional("a skill's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := asked.check(cmd, args); err != nil {
				return err
			}
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			return a.tellSkills(cmd.Context(), store, asked, args)
		},
	}
	cmd.Flags().StringVar(&asked.library, "library", "", "the library, by the digest of its artifact or its first 6 digits")
	cmd.Flags().StringVar(&asked.run, "run", "", "a run, whose newest library is meant; RUN/grpo/seed-N with several seeds")
	cmd.Flags().IntVar(&asked.step, "at", -1, "step at whose end the library is meant (default: its last)")
	cmd.Flags().BoolVar(&asked.all, "all", false, "list all skills, not only the most useful ones")
	cmd.AddCommand(a.importSkillsCommand())
	return cmd
}

func (s skillAsked) check(cmd *cobra.Command, args []string) error {
	if (s.library == "") == (s.run == "") {
		return usage(fmt.Errorf("%s: expected --library DIGEST or --run RUN", cmd.CommandPath()))
	}
	if cmd.Flags().Changed("at") && s.step < 0 {
		return usage(fmt.Errorf("--at %d: expected a step, 0 or above", s.step))
	}
	if len(args) == 1 {
		if err := lineage.CheckSkill(args[0]); err != nil {
			return usage(err)
		}
	}
	if s.run != "" {
		return trainingArg(s.run)
	}
	return usage(lineage.Check(s.library))
}

// open finds the chain of libraries that is meant.
func (s skillAsked) open(ctx context.Context, store artifacts.Store) (*lineage.Libraries, error) {
	var d artifacts.Digest
	if s.run != "" {
		name, training, err := runs.Training(ctx, store, s.run)
		if err != nil {
			return nil, refused(err)
		}
		if d = training.Library; d == "" {
			return nil, usage(fmt.Errorf("%s has no skill library", name))
		}
	} else {
		var err error
		if d, err = lineage.Find(ctx, store, s.library); err != nil {
			return nil, usage(err)
		}
		m, err := artifacts.GetManifest(ctx, store, d)
		if err != nil {
			return nil, fmt.Errorf("--library %s: %w", s.library, err)
		}
		if m.Kind != artifacts.KindSkills {
			return nil, usage(fmt.Errorf("--library %s is of kind %s, expected a skill library", s.library, m.Kind))
		}
	}
	chain, err := lineage.OpenLibraries(ctx, store, d)
	if err != nil || s.step < 0 {
		return chain, err
	}
	earlier, err := chain.At(s.step)
	if err != nil {
		return nil, usage(fmt.Errorf("--at: %w", err))
	}
	return earlier, nil
}

func (a *app) tellSkills(ctx context.Context, store artifacts.Store, asked skillAsked, args []string) error {
	chain, err := asked.open(ctx, store)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		story, err := chain.Life(ctx, args[0])
		if errors.Is(err, skills.ErrUnknown) || errors.Is(err, lineage.ErrAmbiguous) {
			return usage(err)
		}
		if err != nil {
			return err
		}
		if a.json {
			return printJSON(story)
		}
		return story.Print(os.Stdout)
	}
	read := chain.Last
	if asked.step >= 0 {
		read = chain.Rebuild
	}
	library, err := read(ctx)
	if err != nil {
		return err
	}
	listed := newListedLibrary(chain, library)
	if a.json {
		return printJSON(listed)
	}
	return listed.print(os.Stdout, asked.all)
}

// listedLibrary is a library with its skills by utility.
type listedLibrary struct {
	Library artifacts.Digest `json:"library"`
	Step    int              `json:"step"`
	Utility float64          `json:"utility"` // mean
	Rules   skills.Rules     `json:"rules"`
	Skills  []skills.Skill   `json:"skills"`
}

func newListedLibrary(chain *lineage.Libraries, l *skills.Library) *listedLibrary {
	list := &listedLibrary{Library: chain.Digest(), Step: l.Step(), Utility: l.MeanUtility(), Rules: l.Rules(), Skills: l.Skills()}
	if list.Skills == nil {
		list.Skills = []skills.Skill{}
	}
	slices.SortFunc(list.Skills, func(a, b skills.Skill) int {
		return cmp.Or(cmp.Compare(b.Utility, a.Utility), cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// headWidth is how much of a head a list shows.
const headWidth = 72

// print writes a table of the first skills, or of all.
func (l *listedLibrary) print(w io.Writer, all bool) error {
	fmt.Fprintf(w, "library %s after step %d: %s, mean utility %.4f\n", l.Library, l.Step, counted(len(l.Skills), "skill"), l.Utility)
	if len(l.Skills) == 0 {
		return nil
	}
	shown := l.Skills
	if !all {
		shown = shown[:min(len(shown), listed)]
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "id\tutility\tcount\tselected\tborn\thead")
	for _, s := range shown {
		head := s.Head
		if head == "" {
			head = "(" + s.Task + ")"
		}
		fmt.Fprintf(table, "%s\t%.4f\t%d\t%d\t%d\t%s\n", s.ID, s.Utility, s.Count, s.Selected, s.Born, shorten(skills.Plain(head), headWidth))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := len(l.Skills) - len(shown); more > 0 {
		fmt.Fprintf(w, "… and %d more: --all lists them\n", more)
	}
	return nil
}

// shorten is a text of at most so many characters.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

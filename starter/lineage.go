package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/picture"
)

// lineageAsked is what is asked of an artifact's lineage.
type lineageAsked struct {
	forward bool
	format  string // of formats, "" for that of the file
	file    string // "" for standard output
}

// lineageFormats are the forms that a lineage is written in.
var lineageFormats = []string{"text", "json", "svg", "openlineage", "intoto"}

func (a *app) lineageCommand() *cobra.Command {
	var asked lineageAsked
	cmd := &cobra.Command{
		Use:   "lineage RUN | RUN/STAGE | DIGEST",
		Short: "Show what an artifact was made from, or what was made from it",
		Long: `lineage draws what an artifact was made from as a tree, back to the games and models that it began with.

With --forward it draws what was made from the artifact: all that a name in the store leads to and that comes to the artifact by
its inputs, with what runs call it. For that it reads every manifest in the store; those that cannot be read are named below
the tree.

Each artifact stands there once in full. Of a chain of more than four updates or skill libraries the first three and the last are drawn;
--json has all of them.

With -o FILE.svg it draws the same as a picture, from left to right. The picture follows from the lineage alone, byte for byte, and
has colours for light and dark pages.

--format openlineage prints a run event of OpenLineage for each artifact, --format intoto an in-toto Statement with SLSA provenance, a
line each, behind those of all that it was made from. Their times are the run records'; docs/lineage.md says what stands where.`,
		Example: `  hone lineage demo-1a2b3c4d5e                  the whole run
  hone lineage demo-1a2b3c4d5e/report           the numbers, and what each was counted from
  hone lineage 9f86d081                         an artifact by the start of its digest
  hone lineage demo-1a2b3c4d5e/hints --forward  what was made from this dataset, in all runs
  hone lineage demo-1a2b3c4d5e -o demo.svg      as a picture
  hone lineage demo-1a2b3c4d5e --format intoto  as in-toto Statements`,
		Args: artifactArg(1, "a run, RUN/STAGE or a digest"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := asked.settle(a.json); err != nil {
				return usage(err)
			}
			store, err := a.Store(cmd.Context())
			if err != nil {
				return err
			}
			return tellLineage(cmd.Context(), store, args[0], asked)
		},
	}
	cmd.Flags().BoolVar(&asked.forward, "forward", false, "what was made from it, in place of what it was made from")
	cmd.Flags().StringVar(&asked.format, "format", "", fmt.Sprintf("one of %s (default: svg for a FILE.svg, else text)", strings.Join(lineageFormats, ", ")))
	cmd.Flags().StringVarP(&asked.file, "output", "o", "", "file to write (default: standard output)")
	return cmd
}

// settle fills in the format, and refuses one that is unknown or that is asked for in two ways.
func (l *lineageAsked) settle(asJSON bool) error {
	switch {
	case l.format != "" && !slices.Contains(lineageFormats, l.format):
		return fmt.Errorf("--format %s: expected one of %s", l.format, strings.Join(lineageFormats, ", "))
	case asJSON && l.format != "" && l.format != "json":
		return fmt.Errorf("--json and --format %s: expected one of them", l.format)
	case asJSON:
		l.format = "json"
	case l.format == "" && strings.HasSuffix(l.file, ".svg"):
		l.format = "svg"
	case l.format == "":
		l.format = "text"
	}
	return nil
}

func tellLineage(ctx context.Context, store artifacts.Store, ref string, asked lineageAsked) error {
	d, err := lineage.Find(ctx, store, ref)
	if err != nil {
		return usage(err)
	}
	read := lineage.Trace
	if asked.forward {
		read = lineage.Follow
	}
	g, err := read(ctx, store, d)
	if err != nil {
		return fmt.Errorf("lineage of %s: %w", ref, err)
	}
	text, err := asked.text(ctx, store, ref, g)
	if err != nil {
		return err
	}
	if asked.file == "" {
		_, err := io.WriteString(os.Stdout, text)
		return err
	}
	if err := os.WriteFile(asked.file, []byte(text), 0o644); err != nil {
		return usage(err)
	}
	fmt.Printf("%s: %s\n", asked.file, counted(len(g.Nodes), "artifact"))
	return nil
}

// text is the graph in the format asked for.
func (l lineageAsked) text(ctx context.Context, store artifacts.Store, ref string, g *lineage.Graph) (string, error) {
	switch l.format {
	case "json":
		raw, err := json.MarshalIndent(g, "", "  ")
		return string(raw) + "\n", err
	case "svg":
		return picture.Graph(ref, g, "").SVG(), nil
	case "openlineage":
		raw, err := g.OpenLineage(ctx, store)
		return string(raw), err
	case "intoto":
		raw, err := g.Statements(ctx, store)
		return string(raw), err
	}
	return g.Text(), nil
}

// artifactFor finds the manifest that a person names.
func artifactFor(ctx context.Context, store artifacts.Store, ref string) (artifacts.Digest, *artifacts.Manifest, error) {
	d, err := lineage.Find(ctx, store, ref)
	if err != nil {
		return "", nil, usage(err)
	}
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", ref, err)
	}
	return d, m, nil
}

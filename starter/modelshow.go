package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/checkpoint"
	"github.com/hone-rl/hone/checkpoint/folder"
	"github.com/hone-rl/hone/checkpoint/safetensors"
)

// shownModel is a stored model as its files describe it.
type shownModel struct {
	Digest   artifacts.Digest    `json:"digest"`
	Figures  folder.Figures      `json:"figures"`
	Producer artifacts.Producer  `json:"producer"`
	Sources  []activities.Source `json:"sources"`
	Inputs   []artifacts.Input   `json:"inputs"`
	Files    []artifacts.Output  `json:"files"`
}

func (a *app) showModelCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show RUN/STAGE|DIGEST",
		Short: "Show a stored model: architecture, parameters, types, files and where it came from",
		Long: `show reads a model's configuration and the headers of its weights from the store, nothing more, and tells what they say.
hone audit checks every byte.`,
		Example: `  hone model show demo-1a2b3c4d5e/teacher`,
		Args:    artifactArg(1, "a model"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			store, err := a.Store(ctx)
			if err != nil {
				return err
			}
			d, m, err := artifactFor(ctx, store, args[0])
			if err != nil {
				return err
			}
			if m.Kind != artifacts.KindModel {
				return usage(fmt.Errorf("%s is a %s, expected a model", args[0], m.Kind))
			}
			shown, err := showModel(ctx, store, d, m)
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(shown)
			}
			return shown.print(os.Stdout)
		},
	}
}

func showModel(ctx context.Context, store artifacts.Store, d artifacts.Digest, m *artifacts.Manifest) (*shownModel, error) {
	figures, err := describeModel(ctx, store, m)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", d.Short(), err)
	}
	sources, err := activities.Sources(ctx, store, d)
	if err != nil {
		return nil, err
	}
	return &shownModel{Digest: d, Figures: figures, Producer: m.Producer, Sources: sources, Inputs: m.Inputs, Files: m.Outputs}, nil
}

// maxJSON bounds a config or an index that is read from the store, in bytes.
const maxJSON = 64 << 20

// describeModel reads a stored model's config and the headers of its weights.
func describeModel(ctx context.Context, store artifacts.Store, m *artifacts.Manifest) (folder.Figures, error) {
	outputs := map[string]artifacts.Output{}
	bytes := int64(0)
	for _, out := range m.Outputs {
		outputs[out.Name] = out
		bytes += out.Size
	}
	read := func(name string) ([]byte, error) {
		out, ok := outputs[name]
		if !ok {
			return nil, fmt.Errorf("it has no %s", name)
		}
		return artifacts.ReadAll(ctx, store, out.Digest, maxJSON)
	}
	text, err := read(checkpoint.ConfigName)
	if err != nil {
		return folder.Figures{}, err
	}
	described, err := checkpoint.Parse(text)
	if err != nil {
		return folder.Figures{}, fmt.Errorf("%s: %w", checkpoint.ConfigName, err)
	}
	names, err := folder.Select(slices.Collect(maps.Keys(outputs)), read)
	if err != nil {
		return folder.Figures{}, err
	}
	var tensors []safetensors.Tensor
	for _, name := range names {
		if folder.Weights(name) {
			some, err := header(ctx, store, outputs[name])
			if err != nil {
				return folder.Figures{}, fmt.Errorf("%s: %w", name, err)
			}
			tensors = append(tensors, some...)
		}
	}
	figures, err := folder.Describe(described, tensors)
	figures.Bytes = bytes
	return figures, err
}

// header reads the tensors that a stored file of weights has, not the weights.
func header(ctx context.Context, store artifacts.Store, out artifacts.Output) (tensors []safetensors.Tensor, err error) {
	r, err := store.Open(ctx, out.Digest)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	tensors, _, err = safetensors.Describe(r, out.Size)
	return tensors, err
}

func (m *shownModel) print(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(label, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", label, fmt.Sprintf(format, args...))
	}
	f := m.Figures
	row("digest", "%s", m.Digest)
	row("architecture", "%s", f.Architecture)
	row("parameters", "%s", humanize.Comma(f.Parameters))
	if f.Carried > 0 {
		row("carried along", "%s elements that the language model does not use", humanize.Comma(f.Carried))
	}
	row("types", "%s", typesOf(f))
	row("vocabulary", "%s tokens, %s positions", humanize.Comma(int64(f.Vocabulary)), humanize.Comma(int64(f.Positions)))
	row("size", "%s in %s", size(f.Bytes), counted(len(m.Files), "file"))
	for _, s := range m.Sources {
		row("source", "%s", s)
	}
	if len(m.Sources) == 0 && len(m.Inputs) == 0 {
		row("source", activities.ImportedSource)
	}
	for _, in := range m.Inputs {
		row("made from", "%s %s by %s %s", in.Role, in.Digest, m.Producer.Name, m.Producer.Version)
	}
	fmt.Fprintln(table)
	for _, out := range m.Files {
		fmt.Fprintf(table, "%s\t%s\t%s\n", out.Name, size(out.Size), out.Digest)
	}
	return table.Flush()
}

// typesOf are the element types of a model's weights, the most frequent first.
func typesOf(f folder.Figures) string {
	types := slices.SortedFunc(maps.Keys(f.Types), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.Types[b], f.Types[a]), cmp.Compare(a, b))
	})
	return strings.Join(types, " ")
}

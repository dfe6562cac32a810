package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop"
)

func (a *app) webshopIndexCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "index PRODUCTS ATTRIBUTES [INSTRUCTIONS] --out DIR",
		Short: "Put WebShop's own catalogue on disk, ready to be searched",
		Long: `index reads WebShop's files, named there items_shuffle.json, items_ins_v2.json and items_human_ins.json, once and product
by product, and writes a folder with the products and their search index, which shops read on demand: a catalogue of 1.18
million products takes well under 2 GiB of memory, where its files have gigabytes. docs/webshop.md says where they come from.

What WebShop itself leaves out is left out and counted: products whose asin is "nan", has more than 10 characters or has
come before, and attributes and instructions of products that are not there. Everything else that is wrong ends it with
the file, the line and what was expected; DIR is left as it was.

Exit codes: 0 the folder is written; 1 it could not be; 2 a file is missing or wrong.`,
		Example: `  hone webshop index items_shuffle.json items_ins_v2.json items_human_ins.json --out ./webshop`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 3 {
				return usage(fmt.Errorf("%s: expected a file of products, one of attributes and perhaps one of instructions, got %d arguments", cmd.CommandPath(), len(args)))
			}
			return named(cmd, args, "files")
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usage(errors.New("expected --out with the folder to write"))
			}
			files := webshop.Files{Products: args[0], Attributes: args[1]}
			if len(args) == 3 {
				files.Instructions = args[2]
			}
			return a.index(cmd.Context(), files, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the folder to write")
	return cmd
}

func (a *app) index(ctx context.Context, files webshop.Files, dir string) error {
	sources, closed, err := files.Open()
	if err != nil {
		return usage(err)
	}
	defer closed()
	total := int64(0)
	for _, path := range []string{files.Products, files.Attributes, files.Instructions} {
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
	}
	line := newProgressLine()
	err = webshop.Store(ctx, dir, sources, webshop.StoreOptions{Progress: func(p webshop.StoreProgress) {
		if p.Written == 0 {
			line.show("%d products, %s of %s read", p.Products, size(p.Read), size(total))
		} else {
			line.show("%d products, %d %% of the index written", p.Products, 100*p.Written/max(1, p.Postings))
		}
	}})
	line.end()
	if errors.Is(err, env.ErrBadGame) {
		return usage(err)
	}
	if err != nil {
		return err
	}
	return a.printIndex(dir)
}

// indexed is what index says of a folder.
type indexed struct {
	Products int            `json:"products"`
	Terms    int            `json:"terms"`
	Postings int64          `json:"postings"`
	Passed   webshop.Passed `json:"passed"`
}

func (a *app) printIndex(dir string) (err error) {
	s, err := webshop.OpenStored(dir) // which reads all of it but the products
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	stats, passed := s.Index.Stats(), s.Catalogue.Passed()
	if a.json {
		return printJSON(indexed{stats.Documents, stats.Terms, stats.Postings, passed})
	}
	fmt.Printf("%s with %s of %d distinct terms in %s\n", counted(stats.Documents, "product"), counted(int(stats.Postings), "posting"), stats.Terms, dir)
	fmt.Println("left out, as WebShop does:", cmp.Or(passedOver(passed), "nothing"))
	return nil
}

// passedOver says what was left out, "" for nothing.
func passedOver(p webshop.Passed) string {
	var list []string
	for _, one := range []struct {
		n          int
		what, more string
	}{
		{p.Unnamed, "product", ` of the asin "nan"`},
		{p.Long, "product", " with an asin of more than 10 characters"},
		{p.Repeated, "product", " whose asin had come before"},
		{p.Unknown, "entry", " of products that are not there"},
	} {
		if one.n == 1 || one.n > 1 && one.what == "product" {
			list = append(list, counted(one.n, one.what)+one.more)
		} else if one.n > 1 {
			list = append(list, fmt.Sprintf("%d entries%s", one.n, one.more))
		}
	}
	return strings.Join(list, ", ")
}

package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hone-rl/hone/agent/reply"
	"github.com/hone-rl/hone/env/webshop/check"
	"github.com/hone-rl/hone/env/webshop/golden"
)

func (a *app) webshopCheckCommand() *cobra.Command {
	var onDisk bool
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "Compare the shop with recordings of WebShop's own environment",
		Long: `check reads the catalogue in DIR/data and compares everything that was recorded of WebShop's own environment in DIR with
what the shop does:

  episodes.jsonl         the goal, and every page, in plain and rich text, with URL, actions, reward and its parts
  reward_cases.jsonl     rewards part by part, nouns of titles, scores of options and attributes
  token_set_ratio.jsonl  token-set scores
  search.jsonl           what is found, in which order and with which scores
  analyzer.jsonl         index terms
  goals/*.json.gz        lists of goals, prices drawn, random sessions
  projection.json        what is made of a model's reply
  python_random.json     draws of Python's generator
  numpy_choice.json      draws of NumPy's
  data/                  the words of colours and the sizes of the index, beside the catalogue

It tells up to five differences of each kind, with file, line, case and both values; of an episode the first page that
differs. A case that cannot be compared is told of, and those after it are compared. Its last line on standard output is
the count of each kind.

Exit codes: 0 nothing differs; 1 something does; 2 nothing does, but a file is missing or could not be read (what could
be was compared and counted).`,
		Example: `  hone webshop check ./webshop-golden
  hone webshop check --on-disk ./webshop-golden`,
		Args: exactly(1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			line := newProgressLine()
			cfg := check.Config{
				Folder: golden.Folder(args[0]), Project: projected,
				Progress: func(kind check.Kind) { line.show("comparing %s", kind) },
			}
			if onDisk {
				dir, err := os.MkdirTemp("", "hone-webshop-*")
				if err != nil {
					return err
				}
				defer func() { _ = os.RemoveAll(dir) }() // in the system's folder for such
				cfg.Open = check.OnDisk(dir)
			}
			res, err := check.Run(cmd.Context(), cfg)
			line.end()
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			return a.printCheck(&res, err)
		},
	}
	cmd.Flags().BoolVar(&onDisk, "on-disk", false, "compare a catalogue as index writes it, in the place of one in memory")
	return cmd
}

// projected is what is made of a reply in the shop.
func projected(text string) (string, bool) {
	action := reply.Shop.Action(text)
	return action.Command, action.Valid()
}

func (a *app) printCheck(res *check.Result, faults error) error {
	if a.json {
		if res.First == nil {
			res.First = []check.Difference{} // a list in JSON
		}
		if res.Counts == nil {
			res.Counts = []check.Count{}
		}
		if err := printJSON(res); err != nil {
			return err
		}
	} else {
		for _, d := range res.First {
			fmt.Println(d)
		}
		fmt.Println(res)
	}
	if n := res.Differ(); n > 0 {
		return errors.Join(faults, fmt.Errorf("differences from the recordings: %s", counted(n, "case")))
	}
	return usage(faults)
}

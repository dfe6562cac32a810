package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// docsCommand writes the pages of docs/cli from the commands themselves.
func docsCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "docs DIR",
		Short:  "Write a page for each command",
		Hidden: true,
		Args:   exactly(1, "a folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root.DisableAutoGenTag = true
			return doc.GenMarkdownTree(root, args[0])
		},
	}
}

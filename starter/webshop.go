package main

import (
	"github.com/spf13/cobra"
)

func (a *app) webshopCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webshop COMMAND",
		Short: "Compare the shop with WebShop's, bring WebShop's own catalogue",
		Long: `webshop is about the shop that policies may be trained in: WebShop's text environment. A catalogue of our own ships
with Hone; WebShop's own files are brought by index. docs/webshop.md says how.`,
		Example: `  hone webshop check ./webshop-golden   compare the engine with recordings of WebShop's
  hone webshop index items_shuffle.json items_ins_v2.json --out ./webshop`,
	}
	cmd.RunE, cmd.DisableFlagsInUseLine = needsCommand, true
	cmd.AddCommand(a.webshopCheckCommand(), a.webshopIndexCommand())
	return cmd
}

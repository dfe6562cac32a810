package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// checkCommand says whether libtorch and the device can be used, without any server.
func checkCommand(cfg *config) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Say what models would run on",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			r, err := openRunner(*cfg)
			if err != nil {
				return err
			}
			info := r.Info()
			fmt.Printf("%s, %s on %s, %d threads (%s)\n", info.Library, info.Device, info.Name, info.Threads, info.Class)
			return nil
		},
	}
}

//go:build linux

package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"dyno.example/internal/build"
)

func newVersion(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show what the program was built from",
		Long: `Prints the version and the commit that the program was built from, Go's version and the
platform. --version prints the same; nanogate_build_info is it as a metric.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", p.name, build.Read())
			return err
		},
	}
}

//go:build linux

package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/snapshot"
)

func newCheck(prog *program) *cobra.Command {
	var file fileArgument
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Check a configuration",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := file.must(cmd, args)
			if err != nil {
				return err
			}
			c, err := open(cmd.ErrOrStderr(), name)
			if err != nil {
				return err
			}
			if err := (admin.Options{Token: c.Admin.Token}).Check(); err != nil {
				return configError{err}
			}
			if problems := snapshot.Check(c, prog.options.Middleware); len(problems) > 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), problems)
				return mistakes(name, len(problems))
			}
			for _, hint := range c.Hints() {
				fmt.Fprintln(cmd.ErrOrStderr(), "hint:", hint)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: OK: %s, %s\n", name, counted(len(c.Routes), "route"), counted(len(c.Upstreams), "upstream"))
			return nil
		},
	}
	file.add(cmd)
	return cmd
}

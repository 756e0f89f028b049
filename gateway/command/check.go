//go:build linux

package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dyno/gate/admin"
	"dyno/gate/config"
	"dyno/gate/snapshot"
)

func newCheck(prog *program) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Say what is wrong with a configuration",
		Args:  oneFile,

		ValidArgsFunction: completeFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := open(cmd.ErrOrStderr(), args[0])
			if err != nil {
				return err
			}
			if err := (admin.Options{Token: c.Admin.Token}).Check(); err != nil {
				return configError{err}
			}
			if problems := snapshot.Check(c, prog.options.Middleware); len(problems) > 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), problems)
				return configError{fmt.Errorf("%s: %d wrong", args[0], len(problems))}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: fine: %d routes, %d upstreams\n", args[0], len(c.Routes), len(c.Upstreams))
			return nil
		},
	}
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("expected one file, got %d", len(args))}
	}
	return nil
}

func newRoutes() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "routes -c FILE",
		Short: "List a configuration's routes in the order they are tried",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return usageError{fmt.Errorf("which file? -c nanogate.yaml")}
			}
			c, err := open(cmd.ErrOrStderr(), file)
			if err != nil {
				return err
			}
			return printRoutes(cmd.OutOrStdout(), c)
		},
	}
	cmd.Flags().StringVarP(&file, "config", "c", "", "the configuration file")
	configFiles(cmd, "config")
	return cmd
}

// printRoutes writes a table of the routes, those of a higher priority first. Of the
// same priority the more specific path is tried first, whatever the order here.
func printRoutes(w io.Writer, c *config.Config) error {
	routes := slices.Clone(c.Routes)
	slices.SortStableFunc(routes, func(a, b *config.Route) int { return cmp.Compare(b.Priority, a.Priority) })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ROUTE\tPRIORITY\tHOST\tPATH\tMETHODS\tIF\tTO")
	for _, r := range routes {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", r.Name, r.Priority, orAny(r.Match.Hosts), r.Match.Path.Text, orAny(r.Match.Methods), conditions(&r.Match), destination(r))
	}
	return t.Flush()
}

func orAny(list []string) string {
	if len(list) == 0 {
		return "*"
	}
	return strings.Join(list, ",")
}

func conditions(m *config.Match) string {
	var all []string
	for _, list := range []struct {
		of   []config.Condition
		mark string
	}{{m.Headers, ":"}, {m.Query, "="}, {m.Cookies, " cookie="}} {
		for _, c := range list.of {
			all = append(all, c.Name+list.mark+c.Text())
		}
	}
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, " ")
}

func destination(r *config.Route) string {
	switch {
	case r.Redirect != nil:
		return "redirect " + strconv.Itoa(r.Redirect.Status)
	case r.Respond != nil:
		return "respond " + strconv.Itoa(r.Respond.Status)
	}
	var all []string
	for _, t := range r.To {
		name := t.Upstream
		if t.Direct != nil {
			name = t.Direct.Name
		}
		if len(r.To) > 1 {
			name += "×" + strconv.Itoa(t.Weight)
		}
		all = append(all, name)
	}
	return strings.Join(all, ",")
}

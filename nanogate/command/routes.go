//go:build linux

package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/route"
)

func newRoutes() *cobra.Command {
	var file fileArgument
	cmd := &cobra.Command{
		Use:   "routes FILE",
		Short: "List a configuration's routes in the order they are tried",
		Long: `Lists routes in the order in which they are tried, whatever their order in the file: a higher priority first, then the more specific host, then the more
specific path, then the lower rank, then more conditions, then those that name methods.
A route with several hosts is listed for each. To see which takes a request: route.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := file.must(cmd, args)
			if err != nil {
				return err
			}
			c, err := open(cmd.ErrOrStderr(), name)
			if err != nil {
				return err
			}
			return printRoutes(cmd.OutOrStdout(), c)
		},
	}
	file.add(cmd)
	return cmd
}

// tableOf makes the table of a configuration's routes, as the gateway does.
func tableOf(c *config.Config) *route.Table[config.Route] {
	order := make(map[*config.Route]int, len(c.Routes))
	for i, r := range c.Routes {
		order[r] = i
	}
	e := new(route.Table[config.Route]).Edit(func(r *config.Route) int { return order[r] })
	for _, r := range c.Routes {
		e.Add(&r.Match, r.Priority, r)
	}
	return e.Table()
}

// printRoutes writes a table of the routes.
func printRoutes(w io.Writer, c *config.Config) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ROUTE\tPRIORITY\tHOST\tPATH\tMETHODS\tIF\tTO")
	for host, r := range tableOf(c).Ordered() {
		if host == "" {
			host = "*"
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", r.Name, r.Priority, host, r.Match.Path.Text, methods(&r.Match), conditions(&r.Match), destination(r))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range c.ToHTTPS {
		m := &c.ToHTTPS[i]
		fmt.Fprintf(w, "\nClients of port %d are sent to https (%d) before any route is tried.\n", m.Port, m.Status)
	}
	return nil
}

func methods(m *config.Match) string {
	switch {
	case len(m.Methods) == 0:
		return "*"
	case m.Exactly:
		return "is " + m.Methods[0]
	}
	return strings.Join(m.Methods, ",")
}

// conditions are a match's conditions other than host, path and methods, and its priority
// among routes of the same path.
func conditions(m *config.Match) string {
	var all []string
	if m.Scheme != "" {
		all = append(all, "scheme="+m.Scheme)
	}
	if m.Port != 0 {
		all = append(all, "port="+strconv.Itoa(int(m.Port)))
	}
	for _, list := range []struct {
		of   []config.Condition
		mark string
	}{{m.Headers, ":"}, {m.Query, "="}, {m.Cookies, " cookie="}} {
		for _, c := range list.of {
			all = append(all, c.Name+list.mark+c.Shown())
		}
	}
	if m.Rank != 0 {
		all = append(all, "rank="+strconv.Itoa(m.Rank))
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

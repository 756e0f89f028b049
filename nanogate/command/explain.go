//go:build linux

package command

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/snapshot"
)

func newExplain(p *program) *cobra.Command {
	return aboutRequest(&cobra.Command{
		Use:   "explain -c FILE [METHOD] URL",
		Short: "Show which route takes a request, and the filters that it passes",
		Long: `Shows what nanogate route shows, and then the filters that the request passes, in their
order, with the phase of each and where it acts: "check" is on the head of a request, before
anything else is done with it; the others are slots, which the design page about filters
lists. Middleware that looks at responses is at sending, head and download too. Nothing is sent, and no filter runs: what each decides
about a request, and how long it takes, is in the responses of a running gateway whose
configuration lets you ask ("explain" at its top).`,
		Example: `  nanogate explain -c nanogate.yaml https://api.shop.test/v1/items
  curl -i -H 'Nanogate-Explain: 1' http://127.0.0.1:8080/v1/items   # of one that runs`,
	}, func(w io.Writer, c *config.Config, q *request.Request) error {
		route, err := explain(w, c, q)
		if err != nil || route == nil {
			return err
		}
		return printFilters(w, snapshot.FiltersOf(c, route, p.options.Middleware))
	})
}

// printFilters writes a table of filters.
func printFilters(w io.Writer, all []snapshot.Listed) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "\nThe request is sent on as it is: the route has no filters.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nPHASE\tFILTER\tSLOTS")
	for i := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\n", all[i].Phase, all[i].Name, all[i].Where())
	}
	return t.Flush()
}

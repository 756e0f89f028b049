//go:build linux

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/canary"
)

func newCanaries() *cobra.Command {
	var a adminFlags
	var asJSON bool
	actions := []string{"resume", "roll-back"}
	cmd := &cobra.Command{
		Use:   "canaries [resume ROUTE | roll-back ROUTE]",
		Short: "Show canaries; resume one, or roll one back",
		Long: `Shows the canaries of a running gateway: their shares, the requests that failed or were
slow on either side, and how they compare. A canary that was rolled back stays so until
it is resumed, or its configuration changes.`,
		ValidArgs: actions,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && (len(args) != 2 || !slices.Contains(actions, args[0])) {
				return usageError{fmt.Errorf("expected nothing, resume ROUTE or roll-back ROUTE, got %q", args)}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			if len(args) == 2 {
				body, err := json.Marshal(map[string]string{"route": args[1]})
				if err != nil {
					return err
				}
				status, response, err := client.do(cmd.Context(), http.MethodPost, "/canaries/"+args[0], "application/json", body)
				if err != nil {
					return err
				}
				if status != http.StatusOK {
					return said(status, response)
				}
			}
			var all []admin.Canary
			if err := client.get(cmd.Context(), "/canaries", &all); err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(all)
			}
			return printCanaries(cmd.OutOrStdout(), all)
		},
	}
	a.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print everything as JSON")
	return cmd
}

func printCanaries(out io.Writer, all []admin.Canary) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(out, "no route has a canary")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, canaryHead)
	for _, c := range all {
		fmt.Fprintln(w, canaryCells(&c))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range all {
		if c.Why != "" {
			fmt.Fprintf(out, "\n%s was rolled back at %s: %s\n", c.Route, c.Since.Local().Format("2006-01-02 15:04:05"), c.Why)
		}
	}
	return nil
}

const canaryHead = "ROUTE\tTO\tSTATE\tSHARE\tREQUESTS\tFAILED\tSTABLE'S\tTIMES AS OFTEN\tSLOW\tSTABLE'S\tTIMES AS OFTEN"

// canaryCells are how a canary fares, with tabs between.
func canaryCells(c *admin.Canary) string {
	state := c.State
	if c.Steps > 1 && c.State == canary.Running.String() {
		state = fmt.Sprintf("step %d of %d", c.Step, c.Steps)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s %%\t%d\t%s\t%s\t%s\t%s\t%s\t%s", clip(c.Route), clip(c.To), state, short(100*c.Weight), c.Canary.Requests,
		part(c.Canary.Failed, c.Canary.Requests), part(c.Stable.Failed, c.Stable.Requests), timesAsOften(c.Failed),
		part(c.Canary.Slow, c.Canary.Requests), part(c.Stable.Slow, c.Stable.Requests), timesAsOften(c.Slow))
}

// part is a share of all in percent.
func part(n, of uint64) string {
	if of == 0 {
		return "-"
	}
	return short(100*float64(n)/float64(of)) + " %"
}

// timesAsOften is a ratio with its interval.
func timesAsOften(r *admin.Ratio) string {
	if r == nil {
		return "-"
	}
	bound := func(x *float64) string {
		if x == nil {
			return "∞"
		}
		return short(*x)
	}
	return fmt.Sprintf("%s (%s to %s)", bound(r.Estimate), short(r.Low), bound(r.High))
}

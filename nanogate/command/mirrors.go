//go:build linux

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/mirror"
)

func newMirrors() *cobra.Command {
	var a adminFlags
	var most int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "mirrors",
		Short: "Show what mirroring found, and the latest differences",
		Long: `Shows what a running gateway found by mirroring requests: how many responses were the
same, different or missing, what differed how often, and the latest differences.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most < 0 {
				return usageError{fmt.Errorf("--samples: expected 0 or more, got %d", most)}
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			var mirrors []admin.Mirror
			var samples []admin.Samples
			if err := client.get(cmd.Context(), "/mirrors", &mirrors); err != nil {
				return err
			}
			if most > 0 {
				if err := client.get(cmd.Context(), "/mirrors/samples", &samples); err != nil {
					return err
				}
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]any{"mirrors": mirrors, "samples": samples})
			}
			return printMirrors(cmd.OutOrStdout(), mirrors, samples, most)
		},
	}
	a.add(cmd)
	cmd.Flags().IntVar(&most, "samples", 10, "differences to show for each route")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print everything as JSON")
	return cmd
}

func printMirrors(out io.Writer, mirrors []admin.Mirror, samples []admin.Samples, most int) error {
	if len(mirrors) == 0 {
		_, err := fmt.Fprintln(out, "no route is mirrored")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, mirrorHead)
	for _, m := range mirrors {
		fmt.Fprintln(w, mirrorCells(&m))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, m := range mirrors {
		var parts []string
		for _, d := range m.Differences {
			if d.Count > 0 {
				parts = append(parts, fmt.Sprintf("%s (%d)", strings.TrimSpace(d.Kind+" "+d.Field), d.Count))
			}
		}
		if len(parts) > 0 {
			fmt.Fprintf(out, "\n%s: %s\n", m.Route, strings.Join(parts, ", "))
		}
		at := slices.IndexFunc(samples, func(s admin.Samples) bool { return s.Route == m.Route })
		if at < 0 {
			continue
		}
		for _, s := range samples[at].Samples[:min(most, len(samples[at].Samples))] {
			printSample(out, &s)
		}
	}
	return nil
}

const mirrorHead = "ROUTE\tTO\tSHARE\tSAME\tDIFFERENT\tFAILED\tDROPPED\tMEAN MS\tITS MEAN MS"

// mirrorCells are what a mirror has come to, with tabs between.
func mirrorCells(m *admin.Mirror) string {
	dropped := uint64(0)
	for _, n := range m.Dropped {
		dropped += n
	}
	return fmt.Sprintf("%s\t%s\t%s %%\t%d\t%d\t%d\t%d\t%s\t%s", clip(m.Route), clip(m.To), short(100*m.Share), m.Same, m.Different, m.Failed, dropped, short(m.Mean), short(m.ShadowMean))
}

func printSample(out io.Writer, s *mirror.Sample) {
	target := s.Path
	if s.Query != "" {
		target += "?" + s.Query
	}
	second := "no response"
	if s.Shadow != 0 {
		second = fmt.Sprint(s.Shadow)
	}
	fmt.Fprintf(out, "  %s  %s %s%s  %d, %s\n", s.Time.Local().Format(time.TimeOnly), s.Method, s.Host, target, s.Status, second)
	if s.Failure != "" {
		fmt.Fprintf(out, "    %s\n", s.Failure)
	}
	for _, d := range s.Differences {
		what := d.Field
		if d.At != "" {
			what = d.At
		}
		fmt.Fprintf(out, "    %s: %s, %s\n", strings.TrimSpace(d.Kind+" "+what), orNothing(d.First), orNothing(d.Second))
	}
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

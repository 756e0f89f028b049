package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// Margin reads --margin.
func Margin(text string) (float64, error) {
	margin, err := ParseShare(text)
	if err != nil || margin < 0 || margin > 0.5 {
		return 0, i18n.Errorf("cli.bad-margin", "--margin %q is not a share from 0%% to 50%%", text)
	}
	return margin, nil
}

// AddMetricFlag registers --metric.
func AddMetricFlag(flags *pflag.FlagSet, metrics *[]string) {
	flags.StringArrayVar(metrics, "metric", nil, "metric to show, such as cpu or response.p99, or all (repeatable; default: those that the study's report leads with)")
}

// AddAcrossFlag registers --across-machines.
func AddAcrossFlag(flags *pflag.FlagSet, across *bool) {
	flags.BoolVar(across, "across-machines", false, "also with figures of another machine; the output is marked")
}

// AddFormatFlag registers --format with its values, the usual one first.
func AddFormatFlag(cmd *cobra.Command, format *string, formats ...string) {
	cmd.Flags().StringVar(format, "format", formats[0], strings.Join(formats, ", "))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// CheckFormat refuses a --format that there is not.
func CheckFormat(format string, formats ...string) error {
	if slices.Contains(formats, format) {
		return nil
	}
	return i18n.Errorf("cli.unknown-format", "--format %q is none of %s", format, i18n.Names(formats...))
}

// CheckMetrics refuses names of metrics that there are not.
func CheckMetrics(metrics []string) error {
	known := append(study.Metrics(), "all")
	for _, m := range metrics {
		if !slices.Contains(known, m) {
			if near, ok := spelling.Nearest(m, known); ok {
				return i18n.Errorf("cli.unknown-metric-hint", "--metric: no metric %q; did you mean %s?", m, near)
			}
			return i18n.Errorf("cli.unknown-metric", "--metric: no metric %q; there are %s", m, i18n.Names(known...))
		}
	}
	if len(metrics) > 1 && slices.Contains(metrics, "all") {
		return i18n.Errorf("cli.metric-all-alone", "--metric all goes with no other")
	}
	return nil
}

package studycmd

import (
	"encoding/json"
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/repetitions"
	"dyno.example/internal/i18n"
)

// planFlags are the flags of dyno study plan.
type planFlags struct {
	find    string
	power   string
	metrics []string
	format  string
}

func newStudyPlan(global *cli.Global) *cobra.Command {
	var f planFlags
	cmd := &cobra.Command{
		Use:   "plan RUN",
		Short: "Say how many blocks, and how long trials, a study needs, from a run of it",
		Long: `Take from a run how much its trials, restarts and seconds differ, and say how many
blocks a study like it needs to find a difference of a given size, and which length
of the trials takes least time (Kalibera and Jones, "Rigorous Benchmarking in
Reasonable Time", 2013). A quick run will do.`,
		Example: "  dyno run my-study --quick\n  dyno study plan latest --find 3%",
		Args:    cli.ExactArgs(1, i18n.New("baseline.run", "a run")),
		RunE: func(cmd *cobra.Command, args []string) error {
			goal, err := f.goal()
			if err := errors.Join(err, cli.CheckMetrics(f.metrics), cli.CheckFormat(f.format, "text", "json")); err != nil {
				return cli.UsageError(err)
			}
			a, _, err := library.Analyse(cmd.Context(), global, args[0])
			if err != nil {
				return err
			}
			p := repetitions.Of(a, goal, f.chosen(a))
			if len(p.Needs) == 0 {
				return i18n.Errorf("studycmd.run-too-small-to-plan", "run %s has no metric with a value in two blocks: plan from a run with more blocks", a.Run.ID)
			}
			if f.format == "json" {
				encoder := json.NewEncoder(os.Stdout)
				encoder.SetIndent("", "  ")
				return encoder.Encode(p)
			}
			return p.Text(os.Stdout)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.find, "find", "3%", "the difference to find, from 0.1% to 100%")
	flags.StringVar(&f.power, "power", "90%", "in how many of the studies, from 50% to 99%")
	flags.StringArrayVar(&f.metrics, "metric", nil, "metric to plan for, or all (repeatable; default throughput, cpu, response.p50 and response.p99)")
	cli.AddFormatFlag(cmd, &f.format, "text", "json")
	return cmd
}

func (f *planFlags) goal() (repetitions.Goal, error) {
	find, err := cli.ParseShare(f.find)
	if err != nil || find < 0.001 || find > 1 {
		return repetitions.Goal{}, i18n.Errorf("studycmd.bad-find", "--find %q is not a share from 0.1%% to 100%%", f.find)
	}
	power, err := cli.ParseShare(f.power)
	if err != nil || power < 0.5 || power > 0.99 {
		return repetitions.Goal{}, i18n.Errorf("studycmd.bad-power", "--power %q is not a share from 50%% to 99%%", f.power)
	}
	return repetitions.Goal{Ratio: 1 + find, Power: power, Level: 0.95}, nil
}

// chosen are the metrics to plan for.
func (f *planFlags) chosen(a *analysis.Analysis) []string {
	switch {
	case slices.Contains(f.metrics, "all"):
		var all []string
		for i := range a.Groups {
			for _, m := range a.Groups[i].Metrics {
				if !slices.Contains(all, m.Name) {
					all = append(all, m.Name)
				}
			}
		}
		return all
	case len(f.metrics) > 0:
		return f.metrics
	}
	return []string{"throughput", "cpu", "response.p50", "response.p99"}
}

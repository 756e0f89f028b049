package comparecmd

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/compare"
	"dyno.example/internal/i18n"
)

// compareFlags are the flags of dyno compare.
type compareFlags struct {
	metrics       []string
	margin, level string
	format        string
	across        bool
}

func NewCompare(global *cli.Global) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare two runs: by how much figures differ, and what else was different",
		Long: `Compare two runs cell by cell and metric by metric: the ratio of new to old with
its interval over restarts, in a plain sentence, and what else was different:
machine, kernel, settings, versions, builds, study and load. Of runs that have kept
profiles (keep: [cpu, pprof] in the study) also what each function costs a request.

Two runs are two occasions, so whatever changed on the machine between them is in
the ratios. To compare two versions of a program, measure them in turns: dyno gate
--against does, and so does a study that has both as subjects.`,
		Example: "  dyno compare 20261120 latest\n  dyno compare 20261120 latest --metric cpu --metric response.p99 --format markdown",
		Args:    cli.ExactArgs(2, i18n.New("comparecmd.two-run-args", "two runs, the old one first")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return compareRuns(cmd.Context(), global, &f, args[0], args[1])
		},
		ValidArgsFunction: library.CompleteRuns,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	cli.AddMetricFlag(flags, &f.metrics)
	flags.StringVar(&f.margin, "margin", "2%", "differences within it count as none: \"the same within 2 %\"")
	flags.StringVar(&f.level, "level", "95%", "confidence of the intervals")
	cli.AddFormatFlag(cmd, &f.format, "text", "markdown", "json", "csv")
	cli.AddAcrossFlag(flags, &f.across)
	return cmd
}

func compareRuns(ctx context.Context, global *cli.Global, f *compareFlags, oldRef, newRef string) error {
	o, err := f.options()
	if err != nil {
		return cli.UsageError(err)
	}
	old, oldRun, err := library.Analyse(ctx, global, oldRef)
	if err != nil {
		return err
	}
	new, newRun, err := library.Analyse(ctx, global, newRef)
	if err != nil {
		return err
	}
	if old.Run.ID == new.Run.ID {
		return cli.UsageError(i18n.Errorf("comparecmd.same-run", "OLD and NEW are the same run, %s: it would be held against itself; dyno list shows the others", old.Run.ID))
	}
	c, err := compare.Runs(old, new, o)
	if err != nil {
		return err
	}
	if err := c.AddFunctions(oldRun, newRun); err != nil {
		return err
	}
	switch f.format {
	case "markdown":
		return c.Markdown(os.Stdout, global.Texts())
	case "json":
		return c.JSON(os.Stdout)
	case "csv":
		return c.CSV(os.Stdout)
	}
	return c.Text(os.Stdout, global.Texts(), cli.TableWidth(), cli.Colour())
}

func (f *compareFlags) options() (compare.Options, error) {
	o := compare.Options{Metrics: f.metrics, AcrossMachines: f.across}
	if err := cli.CheckMetrics(f.metrics); err != nil {
		return o, err
	}
	if err := cli.CheckFormat(f.format, "text", "markdown", "json", "csv"); err != nil {
		return o, err
	}
	var err error
	if o.Margin, err = cli.Margin(f.margin); err != nil {
		return o, err
	}
	if o.Level, err = cli.ParseShare(f.level); err != nil || o.Level < 0.5 || o.Level > 0.9999 {
		return o, i18n.Errorf("comparecmd.bad-level", "--level %q is not a confidence from 50%% to 99.99%%", f.level)
	}
	return o, nil
}

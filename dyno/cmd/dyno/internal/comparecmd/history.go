package comparecmd

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/history"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// historyFlags are the flags of dyno history.
type historyFlags struct {
	metrics []string
	last    int
	margin  string
	p       float64
	format  string
	across  bool
}

func NewHistory(global *cli.Global) *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history STUDY | RUN RUN...",
		Short: "Find from which run of a study on something became worse",
		Long: `Look at a series of runs of one study and find the places where the level of a
metric changes, allowing for neighbouring runs that are alike. The first bad run is
named, with the versions before and after it.

Runs of another machine than the newest one's, and cells whose load was another,
are left out and listed.`,
		Example: "  dyno history my-study\n  dyno history my-study --metric cpu --last 30 --format markdown",
		Args:    cli.ArgsBetween(1, 10_000, i18n.New("comparecmd.study-or-runs-args", "a study's name or file, or runs")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return showHistory(cmd.Context(), global, &f, args)
		},
		ValidArgsFunction: cli.CompleteStudies,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	cli.AddMetricFlag(flags, &f.metrics)
	flags.IntVar(&f.last, "last", 100, "how many of the study's runs to look at, the newest")
	flags.StringVar(&f.margin, "margin", "2%", "smaller changes don't count")
	flags.Float64Var(&f.p, "p", history.DefaultP, "which share of the series said to change may not, from 0.002 to 0.2")
	cli.AddFormatFlag(cmd, &f.format, "text", "markdown", "json")
	cli.AddAcrossFlag(flags, &f.across)
	return cmd
}

func (f *historyFlags) options() (history.Options, error) {
	o := history.Options{Metrics: f.metrics, P: f.p, AcrossMachines: f.across}
	if err := errors.Join(cli.CheckMetrics(f.metrics), cli.CheckFormat(f.format, "text", "markdown", "json")); err != nil {
		return o, err
	}
	if !(f.p >= 0.002 && f.p <= 0.2) {
		return o, i18n.Errorf("comparecmd.bad-p", "--p must be from 0.002 to 0.2, not %v", f.p)
	}
	if f.last < 1 {
		return o, i18n.Errorf("comparecmd.bad-last", "--last must be at least 1, not %d", f.last)
	}
	var err error
	o.Margin, err = cli.Margin(f.margin)
	return o, err
}

func showHistory(ctx context.Context, global *cli.Global, f *historyFlags, args []string) error {
	o, err := f.options()
	if err != nil {
		return cli.UsageError(err)
	}
	var runs []*analysis.Analysis
	var damaged []history.LeftOut
	if len(args) > 1 {
		runs, err = analyseAll(ctx, global, args)
	} else {
		runs, damaged, err = f.studyRuns(ctx, global, args[0])
	}
	if err != nil {
		return err
	}
	h, err := history.Of(runs, o)
	if err != nil {
		return err
	}
	h.Left = append(damaged, h.Left...)
	switch f.format {
	case "markdown":
		return h.Markdown(os.Stdout, global.Texts())
	case "json":
		return h.JSON(os.Stdout)
	}
	return h.Text(os.Stdout, global.Texts(), cli.Width())
}

// analyseAll reads the runs that were named; one that can't be read is an error.
func analyseAll(ctx context.Context, global *cli.Global, refs []string) ([]*analysis.Analysis, error) {
	var runs []*analysis.Analysis
	for _, ref := range refs {
		a, _, err := library.Analyse(ctx, global, ref)
		if err != nil {
			return nil, err
		}
		runs = append(runs, a)
	}
	return runs, nil
}

// studyRuns reads the last complete runs of a study. One that is damaged is left
// out, and named.
func (f *historyFlags) studyRuns(ctx context.Context, global *cli.Global, name string) (runs []*analysis.Analysis, damaged []history.LeftOut, err error) {
	if name, err = studyName(name); err != nil {
		return nil, nil, cli.UsageError(err)
	}
	lib, err := library.Open(ctx, global)
	if err != nil {
		return nil, nil, err
	}
	entries, err := lib.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	quick := false
	for _, e := range entries {
		m := &e.Manifest
		if e.Err != nil || m.Study != name || m.Status != archive.Complete || len(runs) == f.last {
			continue
		}
		if len(runs) == 0 {
			quick = m.Quick
		}
		if m.Quick != quick {
			continue // another study in all but name
		}
		a, _, err := library.Analyse(ctx, global, e.ID)
		if err != nil {
			damaged = append(damaged, history.LeftOut{Run: e.ID, Why: i18n.From(err)})
			continue
		}
		runs = append(runs, a)
	}
	if len(runs) == 0 {
		return nil, nil, errors.Join(i18n.Errorf("comparecmd.no-complete-run", "no complete run of a study %q in %s; dyno list shows what there is", name, lib), leftOut(damaged))
	}
	return runs, damaged, nil
}

// leftOut is the error of runs that could not be read, or nil.
func leftOut(damaged []history.LeftOut) error {
	var all []error
	for _, d := range damaged {
		all = append(all, errors.New(d.Why.String()))
	}
	return errors.Join(all...)
}

// studyName is the name of a study that was named by its file, or by itself.
func studyName(word string) (string, error) {
	if !strings.HasSuffix(word, ".yaml") && !strings.HasSuffix(word, ".yml") {
		return word, nil
	}
	c, err := cli.Catalog()
	if err != nil {
		return "", err
	}
	s, err := study.Open(word, c.Names())
	if err != nil {
		return "", err
	}
	return s.Name, nil
}

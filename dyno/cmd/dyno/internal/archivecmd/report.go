package archivecmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// reportFlags choose the form of a report.
type reportFlags struct {
	html, markdown, ranks, csv, claims, sensitivity, json bool
	rankedBy                                              report.RankOptions
	output                                                string
}

func NewReport(global *cli.Global) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write a run's report again from its raw record",
		Long: `Write a run's report again from its raw record. The same run always gives the
same bytes.

RUN is an ID, the beginning of one or of an address, a folder, a URL, or latest.
That a run can't be used is in its report, and no error here.

HTML goes to report.html in the run's folder, the other forms to standard
output; --output chooses a file, or - for standard output.

Ranks are tables for a README: languages by the best of their frameworks, and
frameworks, with speed, cost, memory, start-up time and size, in the order of the
figures; an interval of ranks, such as 2–5, says how sure that order is.`,
		Args: cli.ExactArgs(1, i18n.New("archivecmd.run-arg", "a run's ID, or latest")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.rankedBy != (report.RankOptions{}) && !f.ranks {
				return cli.UsageError(i18n.Errorf("archivecmd.ranks-flag-missing", "--group and --by choose what --ranks writes; say that too"))
			}
			return writeReport(cmd.Context(), &f, global, args[0])
		},
		ValidArgsFunction: library.CompleteRuns,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.html, "html", false, "one self-contained page (the default)")
	flags.BoolVar(&f.markdown, "markdown", false, "Markdown")
	flags.BoolVar(&f.ranks, "ranks", false, "the ranks of languages and frameworks, in Markdown for a README")
	flags.StringVar(&f.rankedBy.Group, "group", "", "of the ranks: only those of this load and levels, as the report titles them")
	flags.StringVar(&f.rankedBy.By, "by", "", "of the ranks: the metric to rank by (default: that of the report)")
	flags.BoolVar(&f.csv, "csv", false, "one row per trial and metric")
	flags.BoolVar(&f.claims, "claims", false, "the verdicts on the study's claims as CSV, one row per comparison")
	flags.BoolVar(&f.sensitivity, "sensitivity", false, "the Sobol indices as CSV, one row per metric and factor")
	flags.BoolVar(&f.json, "json", false, "the whole analysis")
	flags.StringVarP(&f.output, "output", "o", "", "file to write, - for standard output")
	cmd.MarkFlagsMutuallyExclusive("html", "markdown", "ranks", "csv", "claims", "sensitivity", "json")
	return cmd
}

func writeReport(ctx context.Context, f *reportFlags, global *cli.Global, ref string) error {
	a, run, err := library.Analyse(ctx, global, ref)
	if err != nil {
		return err
	}
	if f.output == "" {
		f.output = "-"
		if !f.markdown && !f.ranks && !f.csv && !f.claims && !f.sensitivity && !f.json {
			f.output = filepath.Join(run.Dir, "report.html")
		}
	}
	fill := func(w *bytes.Buffer) error { return f.write(w, a, global.Lang) }
	if f.output == "-" {
		var b bytes.Buffer
		if err := fill(&b); err != nil {
			return err
		}
		_, err := os.Stdout.Write(b.Bytes())
		return err
	}
	if err := cli.WriteFile(f.output, fill); err != nil {
		return err
	}
	fmt.Println(f.output)
	return nil
}

func (f *reportFlags) write(w io.Writer, a *analysis.Analysis, lang string) error {
	switch {
	case f.markdown:
		return report.Markdown(w, a, lang)
	case f.ranks:
		return report.Ranks(w, a, f.rankedBy, lang)
	case f.csv:
		return report.CSV(w, a)
	case f.claims:
		return report.ClaimsCSV(w, a)
	case f.sensitivity:
		return report.SensitivityCSV(w, a)
	case f.json:
		return report.JSON(w, a)
	}
	return report.HTML(w, a, lang)
}

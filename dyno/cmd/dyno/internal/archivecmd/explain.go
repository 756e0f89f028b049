package archivecmd

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// explainFlags choose what of a run is explained.
type explainFlags struct {
	subject, load string
	json          bool
}

func NewExplain(global *cli.Global) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain RUN",
		Short: "Say why a run's slow requests were slow",
		Long: `Say why a run's slow requests were slow: what they had in common that ordinary
ones had not, which share of the tail that accounts for, how sure that is, and
where to look; or "no cause found".

Where single requests were traced, the time of each is divided among stages on
one clock, and the slow ones are held against ordinary ones of the same kind,
connection and second. Of other runs it is what was recorded each second
(collections, quotas, steal, the run queue and others), which is weaker. What it
names is association.

The names of causes, with what each means and what people do about it, are in
dyno/docs/causes.md.

RUN is an ID, the beginning of one or of an address, a folder, a URL, or latest;
or a file that dyno load --explain wrote.
With --json there is one object for each subject and load, one after another.`,
		Args: cli.ExactArgs(1, i18n.New("archivecmd.runs-id-latest", "a run's ID, or latest")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return explainRun(cmd.Context(), &f, global, args[0])
		},
		ValidArgsFunction: library.CompleteRuns,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.subject, "subject", "", "only this subject")
	flags.StringVar(&f.load, "load", "", "only this load")
	flags.BoolVar(&f.json, "json", false, "as JSON")
	return cmd
}

func explainRun(ctx context.Context, f *explainFlags, global *cli.Global, ref string) error {
	if info, err := os.Stat(ref); err == nil && info.Mode().IsRegular() {
		return explainFile(f, global, ref)
	}
	a, _, err := library.Analyse(ctx, global, ref)
	if err != nil {
		return err
	}
	var list []explain.Explanation
	for _, e := range a.Explained {
		if (f.subject == "" || f.subject == e.Subject) && (f.load == "" || f.load == e.Load) {
			list = append(list, e)
		}
	}
	switch {
	case len(a.Explained) == 0:
		return i18n.Errorf("archivecmd.nothing-to-explain", "run %s has no usable trial, so there is nothing to explain; dyno show %s says why", a.Run.ID, a.Run.ID)
	case len(list) == 0:
		return cli.UsageError(i18n.Errorf("archivecmd.no-such-cell", "run %s has no usable trial of --subject %q and --load %q; leave out one of them", a.Run.ID, f.subject, f.load))
	}
	return f.print(list, global)
}

// explainFile explains the evidence of a single load.
func explainFile(f *explainFlags, global *cli.Global, path string) error {
	if f.subject != "" || f.load != "" {
		return cli.UsageError(i18n.Errorf("archivecmd.one-load", "%s has the evidence of one load: leave out --subject and --load", path))
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	header, records, err := evidence.Read(file)
	if err != nil {
		return i18n.Errorf("archivecmd.no-evidence", "%s is neither a run nor evidence that dyno load --explain wrote: %w", path, err)
	}
	return f.print([]explain.Explanation{explain.Records(header, records)}, global)
}

func (f *explainFlags) print(list []explain.Explanation, global *cli.Global) error {
	if f.json {
		return report.ExplainedJSON(os.Stdout, list)
	}
	return report.Explained(os.Stdout, list, global.Lang, cli.Width(), cli.Colour())
}

// Package explaincmd is dyno explain: why a run's slow requests were slow, and what becomes
// of them when a cause is taken away.
package explaincmd

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/dyno/analysis"
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
	out           string // the file for a profile of the requests; empty for none
	test          string // the cause to take away; empty for none
	keepGoing     bool
}

func New(global *cli.Global) *cobra.Command {
	var f explainFlags
	var watched liveFlags
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
With --test CAUSE the subject is measured again, with the same seed and load, as it is
and without the cause, in turns, and the effect on the tail is told. That is possible
of gc and allocation (Go: it only collects near 2 GiB) and of throttled (without its
quota, or with one of half a CPU if it has none).

With --live PID there is no run: it shows what the requests of a process that is up wait
for, now, from what the kernel sees of its sockets and threads, without sending any. It
takes root and Linux with BTF, and leaves nothing in the kernel when it ends.

With --out the time of the slow requests, and of the ordinary ones that they are held
against, goes to a file by request, stage and reason, on and off the CPU, which go tool
pprof opens as a flame graph; "more" among its values is what the slow ones had on top:
  dyno explain latest --subject NAME --load NAME --out slow.pb.gz
  go tool pprof -http=: slow.pb.gz

With --json there is one object for each subject and load, one after another.`,
		Example: "  dyno explain latest\n  dyno explain --live $(pidof shop)",
		Args:    oneRunOrLive,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("live") {
				return watchLive(cmd.Context(), global, &watched)
			}
			return f.run(cmd.Context(), global, args[0])
		},
		ValidArgsFunction: library.CompleteRuns,
	}
	cmd.Flags().SortFlags = false
	f.register(cmd.Flags())
	watched.register(cmd.Flags())
	return cmd
}

// oneRunOrLive takes one run, or none with --live.
func oneRunOrLive(cmd *cobra.Command, args []string) error {
	isLive := cmd.Flags().Changed("live")
	if err := clash(isLive, cmd.Flags().Changed); err != nil {
		return cli.UsageError(err)
	}
	if isLive {
		return cli.ExactArgs(0, i18n.New("explaincmd.no-run-with-live", "none with --live"))(cmd, args)
	}
	return cli.ExactArgs(1, i18n.New("archivecmd.run-arg", "a run's ID, or latest"))(cmd, args)
}

func (f *explainFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.subject, "subject", "", "only this subject")
	flags.StringVar(&f.load, "load", "", "only this load; one of its cells as in \"steady, connections=64\"")
	flags.BoolVar(&f.json, "json", false, "as JSON")
	flags.StringVar(&f.out, "out", "", "write where the time of traced requests went to this file, for go tool pprof")
	flags.StringVar(&f.test, "test", "", "measure again, as it is and without this cause")
	flags.BoolVar(&f.keepGoing, "keep-going", false, "with --test: go on though this machine was disturbed in every trial of the first block")
}

func (f *liveFlags) register(flags *pflag.FlagSet) {
	flags.IntVar(&f.pid, "live", 0, "watch this process as it is, instead of a run")
	flags.IntVar(&f.port, "port", 0, "with --live: the port it listens on (default: its only one)")
	flags.DurationVar(&f.every, "every", 2*time.Second, "with --live: how often to show what went on")
	flags.DurationVar(&f.length, "for", 0, "with --live: for how long (default: until Ctrl-C)")
}

// run does what the flags ask for with a run.
func (f *explainFlags) run(ctx context.Context, global *cli.Global, ref string) error {
	if f.out != "" {
		if err := f.checkOut(); err != nil {
			return cli.UsageError(err)
		}
	}
	if f.test != "" {
		return testCause(ctx, f, global, ref)
	}
	return explainRun(ctx, f, global, ref)
}

func explainRun(ctx context.Context, f *explainFlags, global *cli.Global, ref string) error {
	if info, err := os.Stat(ref); err == nil && info.Mode().IsRegular() {
		return explainFile(f, global, ref)
	}
	list, _, err := f.chosen(ctx, global, ref)
	if err != nil {
		return err
	}
	if f.out != "" {
		return f.writeProfile(ctx, global, ref, list)
	}
	return f.print(list, global)
}

// chosen are the explanations of a run that the flags ask for.
func (f *explainFlags) chosen(ctx context.Context, global *cli.Global, ref string) (list []explain.Explanation, a *analysis.Analysis, err error) {
	if a, _, err = library.Analyse(ctx, global, ref); err != nil {
		return nil, nil, err
	}
	for _, e := range a.Explained {
		if (f.subject == "" || f.subject == e.Subject) && (f.load == "" || f.load == e.Load || f.load == e.Group()) {
			list = append(list, e)
		}
	}
	switch {
	case len(a.Explained) == 0:
		return nil, nil, i18n.Errorf("explaincmd.nothing-to-explain", "run %s has no usable trial, so there is nothing to explain; dyno show %s says why", a.Run.ID, a.Run.ID)
	case len(list) == 0:
		return nil, nil, cli.UsageError(i18n.Errorf("explaincmd.no-such-cell", "run %s has no usable trial of --subject %q and --load %q; leave out one of them", a.Run.ID, f.subject, f.load))
	}
	return list, a, nil
}

// explainFile explains the evidence of a single load.
func explainFile(f *explainFlags, global *cli.Global, path string) error {
	if f.subject != "" || f.load != "" {
		return cli.UsageError(i18n.Errorf("explaincmd.one-load", "%s has the evidence of one load: leave out --subject and --load", path))
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	header, records, err := evidence.Read(file)
	if err != nil {
		return i18n.Errorf("explaincmd.no-evidence", "%s is neither a run nor evidence that dyno load --explain wrote: %w", path, err)
	}
	if f.out != "" {
		return f.write(global, explain.Profile(header, records, nil))
	}
	return f.print([]explain.Explanation{explain.Records(header, records)}, global)
}

func (f *explainFlags) print(list []explain.Explanation, global *cli.Global) error {
	if f.json {
		return report.ExplainedJSON(os.Stdout, list)
	}
	return report.Explained(os.Stdout, list, global.Lang, cli.Width(), cli.Colour())
}

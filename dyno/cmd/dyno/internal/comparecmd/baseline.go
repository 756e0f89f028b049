package comparecmd

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/baseline"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

func NewBaseline(global *cli.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Keep the figures of a run in a small file for git",
		Long: `Keep the figures of a run in a small text file that is meant for git, for dyno
gate --baseline to compare later runs with.

Where the old version can still be built, dyno gate --against is better: it
measures both in turns on the machine as it is now.`,
		Args: cli.ExactArgs(0, i18n.New("comparecmd.subcommand-missing", "a subcommand: set, list, show or remove")),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var store baseline.Store
	addBaselineDir(cmd, &store.Dir)
	cmd.AddCommand(newBaselineSet(global, &store), newBaselineAdd(global, &store), newBaselineList(global, &store), newBaselineShow(global, &store), newBaselineRemove(&store))
	return cmd
}

func addBaselineDir(cmd *cobra.Command, dir *string) {
	cmd.PersistentFlags().StringVar(dir, "dir", baseline.DefaultDir, "folder of the baselines")
}

func newBaselineSet(global *cli.Global, store *baseline.Store) *cobra.Command {
	return &cobra.Command{
		Use:     "set NAME RUN",
		Short:   "Make, or replace, a baseline of a run",
		Example: "  dyno baseline set main latest",
		Args:    cli.ExactArgs(2, i18n.New("comparecmd.name-and-run-args", "a name and a run's ID, or latest")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return setBaseline(cmd.Context(), global, store, args[0], args[1])
		},
		ValidArgsFunction: completeBaselineAndRun(store),
	}
}

func newBaselineAdd(global *cli.Global, store *baseline.Store) *cobra.Command {
	return &cobra.Command{
		Use:   "add NAME RUN",
		Short: "Add a run of another day to a baseline",
		Long: `Add a run of the same study, builds and machine to a baseline, best of another
day. What a machine differs by from day to day moves all restarts of a day alike:
only runs of several days show it, and from two days on it is in the intervals of
dyno gate --baseline. Four or five days are enough.`,
		Example: "  dyno baseline set main latest    # today\n  dyno baseline add main latest    # tomorrow, after another dyno run",
		Args:    cli.ExactArgs(2, i18n.New("comparecmd.baseline-and-run-args", "a baseline's name and a run's ID, or latest")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return addToBaseline(cmd.Context(), global, store, args[0], args[1])
		},
		ValidArgsFunction: completeBaselineAndRun(store),
	}
}

// completeBaselineAndRun completes a baseline's name and then a run.
func completeBaselineAndRun(store *baseline.Store) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return library.CompleteRuns(cmd, args, word)
		}
		return completeBaselines(store)
	}
}

func setBaseline(ctx context.Context, global *cli.Global, store *baseline.Store, name, ref string) error {
	b, err := baselineOf(ctx, global, name, ref)
	if err != nil {
		return err
	}
	return writeBaseline(global, store, b)
}

func addToBaseline(ctx context.Context, global *cli.Global, store *baseline.Store, name, ref string) error {
	old, err := store.Load(name)
	if err != nil {
		return cli.UsageError(err)
	}
	run, err := baselineOf(ctx, global, name, ref)
	if err != nil {
		return err
	}
	both, err := old.Add(run)
	if err != nil {
		return err
	}
	return writeBaseline(global, store, both)
}

// baselineOf makes a baseline of one run.
func baselineOf(ctx context.Context, global *cli.Global, name, ref string) (*baseline.Baseline, error) {
	a, run, err := library.Analyse(ctx, global, ref)
	if err != nil {
		return nil, err
	}
	hash, err := baseline.RunHash(run)
	if err != nil {
		return nil, err
	}
	b, err := baseline.New(name, a, hash)
	if err == nil && a.Validity == finding.Suspect {
		global.Err().Print(i18n.New("comparecmd.run-suspect", "run %s is SUSPECT, and what is held against it is no surer than that: dyno show %s says why", b.Run, b.Run))
	}
	return b, err
}

func writeBaseline(global *cli.Global, store *baseline.Store, b *baseline.Baseline) error {
	content, err := b.Bytes()
	if err != nil {
		return err
	}
	path := store.Path(b.Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err = cli.WriteFile(path, func(w *bytes.Buffer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	of := i18n.New("comparecmd.run", "run %s", b.Run)
	if n := len(b.Earlier); n > 0 {
		of = i18n.New("comparecmd.runs", "%d runs of %s", n+1, daysOf(b))
	}
	global.Out().Print(i18n.New("comparecmd.baseline-written", "wrote %s: %d cells of %s; commit it, and compare with: dyno gate --baseline %s", path, len(b.Cells), of, b.Name))
	return nil
}

func newBaselineList(global *cli.Global, store *baseline.Store) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the baselines",
		Args:  cli.NoArgs(),
		RunE:  func(*cobra.Command, []string) error { return listBaselines(global, store) },
	}
}

func listBaselines(global *cli.Global, store *baseline.Store) error {
	names, err := store.Names()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		global.Out().Print(i18n.New("comparecmd.no-baselines", "no baselines in %s; dyno baseline set NAME RUN makes one", store.Dir))
		return nil
	}
	t := global.Texts()
	var table [][]string
	var head []string
	for _, name := range []string{"name", "study", "measured", "days", "cells", "run"} {
		head = append(head, t.Text("baseline.head."+name))
	}
	table = append(table, head)
	for _, name := range names {
		b, err := store.Load(name)
		if err != nil {
			table = append(table, []string{name, "", "", "", t.Text("baseline.damaged"), t.Say(i18n.From(err))})
			continue
		}
		table = append(table, []string{name, report.TerminalText(b.Study.Name), b.Started.Local().Format(time.DateTime), strconv.Itoa(b.Days()), strconv.Itoa(len(b.Cells)), b.Run})
	}
	const study, measured = 1, 2 // are in the run's name
	return cli.PrintTable(table, study, measured)
}

func newBaselineShow(global *cli.Global, store *baseline.Store) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show a baseline's figures and conditions",
		Args:  cli.ExactArgs(1, i18n.New("comparecmd.baselines-name", "a baseline's name")),
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := store.Load(args[0])
			if err != nil {
				return err
			}
			return showBaseline(global.Texts(), b)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return completeBaselines(store)
		},
	}
}

func showBaseline(t report.Texts, b *baseline.Baseline) error {
	text := report.TerminalText
	table := [][]string{
		{t.Text("baseline.run"), b.Run}, {t.Text("baseline.hash"), b.RunHash}, {t.Text("baseline.measured"), b.Started.Local().Format(time.DateTime)},
		{t.Text("baseline.study"), fmt.Sprintf("%s (%s)", text(b.Study.Name), b.Study.Hash)}, {t.Text("baseline.dyno"), text(b.Dyno)}, {t.Text("baseline.kernel"), text(b.Kernel)},
	}
	for _, e := range b.Earlier {
		table = append(table, []string{t.Text("baseline.before"), fmt.Sprintf("%s, %s", e.Run, e.Started.Local().Format(time.DateTime))})
	}
	for _, p := range b.Machine {
		table = append(table, []string{text(t.Say(p.Name)), text(t.Say(p.Value))})
	}
	var out strings.Builder
	report.TerminalTable(&out, "", table, cli.TableWidth())
	for _, c := range b.Cells {
		fmt.Fprintf(&out, "\n%s\n", text(t.Text("history.cell", "subject", c.Subject, "load", c.Group)))
		table = nil
		for _, name := range slices.Sorted(maps.Keys(c.Metrics)) {
			m := c.Metrics[name]
			interval := t.Text("baseline.interval", "low", report.Quantity(m.Unit, m.Low), "high", report.Quantity(m.Unit, m.High))
			table = append(table, []string{text(name), report.Quantity(m.Unit, m.Median), interval, fmt.Sprintf("n = %d", m.N)})
		}
		report.TerminalTable(&out, "  ", table, cli.TableWidth())
	}
	_, err := os.Stdout.WriteString(out.String())
	return err
}

// daysOf writes of how many days the runs of a baseline are.
func daysOf(b *baseline.Baseline) i18n.Message {
	if b.Days() == 1 {
		return i18n.New("comparecmd.one-day", "one day")
	}
	return i18n.New("comparecmd.days", "%d days", b.Days())
}

func newBaselineRemove(store *baseline.Store) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Aliases: []string{"rm"},
		Short:   "Delete a baseline's file",
		Args:    cli.ExactArgs(1, i18n.New("comparecmd.baselines-name", "a baseline's name")),
		RunE:    func(_ *cobra.Command, args []string) error { return store.Remove(args[0]) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return completeBaselines(store)
		},
	}
}

func completeBaselines(store *baseline.Store) ([]string, cobra.ShellCompDirective) {
	names, _ := store.Names()
	return names, cobra.ShellCompDirectiveNoFileComp
}

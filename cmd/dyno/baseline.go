package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dyno/lab/baseline"
	"dyno/lab/report"
)

func newBaseline(global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Keep the figures of a run in a small file for git",
		Long: `Keep the figures of a run in a small text file that is meant for git, for dyno
gate --baseline to compare later runs with.

Where the old version can still be built, dyno gate --against is better: it
measures both in turns on the machine as it is now.`,
		Args: exactArgs(0, "a subcommand: set, list, show or remove"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var store baseline.Store
	addBaselineDir(cmd, &store.Dir)
	cmd.AddCommand(newBaselineSet(global, &store), newBaselineList(&store), newBaselineShow(&store), newBaselineRemove(&store))
	return cmd
}

func addBaselineDir(cmd *cobra.Command, dir *string) {
	cmd.PersistentFlags().StringVar(dir, "dir", baseline.DefaultDir, "folder of the baselines")
}

func newBaselineSet(global *globalFlags, store *baseline.Store) *cobra.Command {
	return &cobra.Command{
		Use:     "set NAME RUN",
		Short:   "Make, or replace, a baseline of a run",
		Example: "  dyno baseline set main latest",
		Args:    exactArgs(2, "a name and a run's ID, or latest"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return setBaseline(cmd.Context(), global, store, args[0], args[1])
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return completeRuns(cmd, args, word)
			}
			return completeBaselines(store)
		},
	}
}

func setBaseline(ctx context.Context, global *globalFlags, store *baseline.Store, name, ref string) error {
	a, run, err := analyseRun(ctx, global, ref)
	if err != nil {
		return err
	}
	hash, err := baseline.RunHash(run)
	if err != nil {
		return err
	}
	b, err := baseline.New(name, a, hash)
	if err != nil {
		return err
	}
	content, err := b.Bytes()
	if err != nil {
		return err
	}
	path := store.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err = writeFile(path, func(w *bytes.Buffer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Printf("wrote %s: %d cells of run %s; commit it, and compare with: dyno gate --baseline %s\n", path, len(b.Cells), b.Run, name)
	return nil
}

func newBaselineList(store *baseline.Store) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the baselines",
		Args:  exactArgs(0, "none"),
		RunE:  func(*cobra.Command, []string) error { return listBaselines(store) },
	}
}

func listBaselines(store *baseline.Store) error {
	names, err := store.Names()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		fmt.Printf("no baselines in %s; dyno baseline set NAME RUN makes one\n", store.Dir)
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTUDY\tMEASURED\tCELLS\tRUN")
	for _, name := range names {
		b, err := store.Load(name)
		if err != nil {
			fmt.Fprintf(w, "%s\t\t\tdamaged\t%v\n", name, err)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", name, report.TerminalText(b.Study.Name), b.Started.Local().Format(time.DateTime), len(b.Cells), b.Run)
	}
	return w.Flush()
}

func newBaselineShow(store *baseline.Store) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show a baseline's figures and conditions",
		Args:  exactArgs(1, "a baseline's name"),
		RunE: func(_ *cobra.Command, args []string) error {
			b, err := store.Load(args[0])
			if err != nil {
				return err
			}
			return showBaseline(b)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return completeBaselines(store)
		},
	}
}

func showBaseline(b *baseline.Baseline) error {
	text := report.TerminalText
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "run\t%s\nhash\t%s\nmeasured\t%s\nstudy\t%s (%s)\ndyno\t%s\nkernel\t%s\n",
		b.Run, b.RunHash, b.Started.Local().Format(time.DateTime), text(b.Study.Name), b.Study.Hash, text(b.Dyno), text(b.Kernel))
	for _, p := range b.Machine {
		fmt.Fprintf(w, "%s\t%s\n", text(p.Name), text(p.Value))
	}
	for _, c := range b.Cells {
		fmt.Fprintf(w, "\n%s under %s\n", text(c.Subject), text(c.Group))
		for _, name := range slices.Sorted(maps.Keys(c.Metrics)) {
			m := c.Metrics[name]
			fmt.Fprintf(w, "  %s\t%s\t%s to %s\tn = %d\n", text(name), report.Quantity(m.Unit, m.Median), report.Quantity(m.Unit, m.Low), report.Quantity(m.Unit, m.High), m.N)
		}
	}
	return w.Flush()
}

func newBaselineRemove(store *baseline.Store) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Aliases: []string{"rm"},
		Short:   "Delete a baseline's file",
		Args:    exactArgs(1, "a baseline's name"),
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

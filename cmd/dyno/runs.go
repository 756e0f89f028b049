package main

import (
	"fmt"
	"math"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dyno/lab/analysis"
	"dyno/lab/archive"
	"dyno/lab/report"
)

func newList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List archived runs, newest first",
		Args:  exactArgs(0, "none"),
		RunE: func(*cobra.Command, []string) error {
			store, err := archive.DefaultStore()
			if err != nil {
				return err
			}
			entries, err := store.List()
			if err != nil {
				return err
			}
			return writeList(entries)
		},
	}
}

func newShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run's result in the terminal",
		Long:  "Show a run's result in the terminal. RUN is an ID, the beginning of one, a folder, or latest.",
		Args:  exactArgs(1, "a run's ID, or latest"),
		RunE: func(_ *cobra.Command, args []string) error {
			a, _, err := analyseRun(args[0])
			if err != nil {
				return err
			}
			return report.Table(os.Stdout, a, width(), colour())
		},
		ValidArgsFunction: completeRuns,
	}
}

func newRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "rm RUN...",
		Short: "Delete archived runs",
		Args:  argsBetween(1, math.MaxInt, "the IDs of runs"),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := archive.DefaultStore()
			if err != nil {
				return err
			}
			for _, ref := range args {
				if err := store.Remove(ref); err != nil {
					return err
				}
			}
			return nil
		},
		ValidArgsFunction: completeRuns,
	}
}

// analyseRun reads a run and computes its figures anew.
func analyseRun(ref string) (*analysis.Analysis, *archive.Run, error) {
	run, err := openRun(ref)
	if err != nil {
		return nil, nil, err
	}
	a, err := analysis.Analyse(run)
	if err != nil {
		return nil, nil, fmt.Errorf("analysing run %s: %w", run.Manifest.ID, err)
	}
	return a, run, nil
}

func completeRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	ids := []string{archive.Latest}
	if store, err := archive.DefaultStore(); err == nil {
		entries, _ := store.List()
		for _, e := range entries {
			ids = append(ids, e.Manifest.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func writeList(entries []archive.Entry) error {
	if len(entries) == 0 {
		fmt.Println("no runs yet; dyno run go-frameworks --quick makes one")
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "RUN\tSTUDY\tSTARTED\tSTATUS\tTRIALS")
	for _, e := range entries {
		if e.Err != nil {
			fmt.Fprintf(w, "%s\t\t\tdamaged\t%v\n", e.ID, e.Err)
			continue
		}
		m := &e.Manifest
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\n", e.ID, m.Study, m.Started.Local().Format(time.DateTime), m.Status, len(m.Plan.Trials))
	}
	return w.Flush()
}

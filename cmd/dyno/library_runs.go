package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"dyno/lab/analysis"
	"dyno/lab/archive"
)

// analyseRun reads a run and computes its figures anew.
func analyseRun(ctx context.Context, global *globalFlags, ref string) (*analysis.Analysis, *archive.Run, error) {
	run, err := openRun(ctx, global, ref)
	if err != nil {
		return nil, nil, err
	}
	a, err := analysis.Analyse(run)
	if err != nil {
		return nil, nil, fmt.Errorf("analysing run %s: %w", run.Manifest.ID, err)
	}
	return a, run, nil
}

// completeRuns offers the runs of the archive if that is a folder: a bucket is
// too slow to ask while somebody types.
func completeRuns(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ids := []string{archive.Latest}
	global := globalFlags{archive: cmd.Flag("archive").Value.String()}
	if l, err := location(&global); err == nil && !l.IsBucket() {
		entries, _ := archive.Store{Dir: l.Dir}.List()
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// openRun opens an archived run by ID, beginning of an ID or address, path, URL
// or "latest".
func openRun(ctx context.Context, global *globalFlags, ref string) (*archive.Run, error) {
	lib, ref, err := libraryOfRun(ctx, global, ref)
	if err != nil {
		return nil, err
	}
	return lib.open(ctx, ref)
}

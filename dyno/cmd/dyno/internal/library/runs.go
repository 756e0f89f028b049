package library

import (
	"context"

	"github.com/spf13/cobra"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/internal/i18n"
)

// Analyse reads a run and computes its figures again.
func Analyse(ctx context.Context, global *cli.Global, ref string) (*analysis.Analysis, *archive.Run, error) {
	run, err := OpenRun(ctx, global, ref)
	if err != nil {
		return nil, nil, err
	}
	a, err := analysis.Analyse(run)
	if err != nil {
		return nil, nil, i18n.Errorf("runcmd.analysing-run", "analysing run %s: %w", run.Manifest.ID, err)
	}
	return a, run, nil
}

// CompleteRuns offers the runs of the archive if that is a folder: a bucket is
// too slow to ask while somebody types.
func CompleteRuns(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ids := []string{archive.Latest}
	global := cli.Global{Archive: cmd.Flag("archive").Value.String()}
	if l, err := Location(&global); err == nil && !l.IsBucket() {
		entries, _ := archive.Store{Dir: l.Dir}.List()
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// OpenRun opens an archived run by ID, beginning of an ID or address, path, URL
// or "latest".
func OpenRun(ctx context.Context, global *cli.Global, ref string) (*archive.Run, error) {
	lib, ref, err := OpenFor(ctx, global, ref)
	if err != nil {
		return nil, err
	}
	return lib.open(ctx, ref)
}

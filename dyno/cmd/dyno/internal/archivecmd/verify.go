package archivecmd

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/internal/i18n"
)

func NewVerify(global *cli.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "verify RUN...",
		Short: "Check that runs are as they were when they ended",
		Long: `Check that runs are as they were when they ended: every file of their record
against its SHA-256, and all of them against the run's address. What was changed,
removed or added is named, and the exit status is 1. A run is checked where it
lies; reading one, as report does, checks it too.

Whoever changes a record can also recompute its sums. So it is held to the laws that
every record obeys (dyno/docs/archive.md): its counts, histograms and clocks must agree
with each other and with the plan. That reads all of it; a run in a bucket is held
to them once it was pulled.`,
		Args: cli.ArgsBetween(1, math.MaxInt, i18n.New("archivecmd.run-args", "the IDs of runs, or latest")),
		RunE: func(cmd *cobra.Command, args []string) error {
			damaged := 0
			for _, ref := range args {
				ok, err := verify(cmd.Context(), global, ref)
				if err != nil {
					return err
				}
				if !ok {
					damaged++
				}
			}
			if damaged > 0 {
				return i18n.Errorf("archivecmd.runs-damaged", "%d of %d runs verified are not as they were when they ended", damaged, len(args))
			}
			return nil
		},
		ValidArgsFunction: library.CompleteRuns,
	}
}

// verify checks one run, prints what it came to, and reports whether all is
// well.
func verify(ctx context.Context, global *cli.Global, ref string) (bool, error) {
	lib, ref, err := library.OpenFor(ctx, global, ref)
	if err != nil {
		return false, err
	}
	v, err := lib.Verify(ctx, ref)
	if err != nil {
		return false, err
	}
	out := global.Out()
	out.Print(i18n.New("archivecmd.run-address", "run     %s\naddress %s\nin      %s", v.ID, v.Address, v.Dir))
	for _, d := range v.Damages {
		out.Print(i18n.New("archivecmd.damaged", "DAMAGED %v", d))
	}
	if len(v.Damages) == 0 {
		out.Print(i18n.New("archivecmd.files-intact", "all %d files are as they were when the run ended", v.Files))
	}
	broken := error(nil)
	if len(v.Damages) == 0 {
		checked := false
		if broken, checked = lib.Lawful(ctx, ref); broken != nil {
			out.Print(i18n.New("archivecmd.breaks-law", "BROKEN  %v", broken))
		} else if checked {
			out.Print(i18n.New("archivecmd.laws-hold", "and they break none of the laws that every record obeys"))
		}
	}
	if len(v.Beside) > 0 {
		out.Print(i18n.New("archivecmd.not-of-record", "not of the record, and not checked: %s", i18n.Names(v.Beside...)))
	}
	return len(v.Damages) == 0 && broken == nil, nil
}

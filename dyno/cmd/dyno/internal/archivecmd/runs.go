package archivecmd

import (
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

func NewList(global *cli.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List archived runs, newest first",
		Args:  cli.NoArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			lib, err := library.Open(cmd.Context(), global)
			if err != nil {
				return err
			}
			entries, err := lib.List(cmd.Context())
			if err != nil {
				return err
			}
			return writeList(global, entries, lib)
		},
	}
}

func NewShow(global *cli.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run's result in the terminal",
		Long:  "Show a run's result in the terminal. RUN is an ID, the beginning of one or of an address, a folder, a URL, or latest.",
		Args:  cli.ExactArgs(1, i18n.New("archivecmd.run-arg", "a run's ID, or latest")),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, _, err := library.Analyse(cmd.Context(), global, args[0])
			if err != nil {
				return err
			}
			return report.Table(os.Stdout, a, global.Lang, cli.Width(), cli.Colour())
		},
		ValidArgsFunction: library.CompleteRuns,
	}
}

func NewRemove(global *cli.Global) *cobra.Command {
	return &cobra.Command{
		Use:   "rm RUN...",
		Short: "Delete archived runs",
		Args:  cli.ArgsBetween(1, math.MaxInt, i18n.New("archivecmd.ids-runs", "the IDs of runs")),
		RunE: func(cmd *cobra.Command, args []string) error {
			lib, err := library.Open(cmd.Context(), global)
			if err != nil {
				return err
			}
			for _, ref := range args {
				if err := lib.Remove(cmd.Context(), ref); err != nil {
					return err
				}
			}
			return nil
		},
		ValidArgsFunction: library.CompleteRuns,
	}
}

func writeList(global *cli.Global, entries []archive.Entry, lib *library.Library) error {
	if len(entries) == 0 && lib.Bucket != nil {
		global.Out().Print(i18n.New("archivecmd.none-pushed", "no runs in %s; dyno push RUN puts one there", lib))
		return nil
	}
	if len(entries) == 0 {
		global.Out().Print(i18n.New("archivecmd.no-runs-yet", "no runs yet; dyno run go-frameworks --quick makes one"))
		return nil
	}
	t := global.Texts()
	table := [][]string{{t.Text("runs.run"), t.Text("runs.study"), t.Text("runs.started"), t.Text("runs.status"), t.Text("runs.usable"), t.Text("runs.address")}}
	for _, e := range entries {
		if e.Err != nil {
			table = append(table, []string{e.ID, "", "", t.Text("runs.damaged"), t.Say(i18n.From(e.Err))})
			continue
		}
		m := &e.Manifest
		table = append(table, []string{e.ID, report.TerminalText(m.Study), m.Started.Local().Format(time.DateTime), t.Say(status(m)), t.Say(usable(m)), e.Address.Short()})
	}
	const study, started = 1, 2 // are in the run's name
	return cli.PrintTable(table, study, started)
}

// status is a run's in a word: one that was done to the end and of which nothing
// can be used isn't called complete.
func status(m *archive.Manifest) i18n.Message {
	if m.Status == archive.Complete && m.Usable != nil && *m.Usable == 0 {
		return i18n.New("archivecmd.unusable", "unusable")
	}
	return m.Status.Message()
}

// usable is how many of the trials planned, repetitions apart, can be used; runs of
// earlier versions don't say how many.
func usable(m *archive.Manifest) i18n.Message {
	planned := m.Plan.Originals()
	if m.Usable == nil {
		return i18n.New("archivecmd.unknown-of-planned", "? of %d", planned)
	}
	return i18n.New("archivecmd.usable-of-planned", "%d of %d", *m.Usable, planned)
}

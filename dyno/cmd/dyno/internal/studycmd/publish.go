package studycmd

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/published"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

func NewPublish(global *cli.Global) *cobra.Command {
	var unclean string
	cmd := &cobra.Command{
		Use:   "publish RUN DIR",
		Short: "Write what a run found into a small folder, to be kept with source",
		Long: `Write what a run found into a folder small enough to be kept with source:
verdicts.json (what it says about claims, and the conditions), manifest.json.gz,
report.md and trials.csv.gz (one row per trial and metric). The archived run has more
and stays where it is. dyno claims --page --results draws a page of such folders.

A run that is INVALID is not published, nor one of a dyno that was not built from a
clean commit, unless --unclean says why. attempts.jsonl beside the folder counts the
runs of the study that are known, also those that were not published.`,
		Example: "  dyno publish latest docs/results/six-keepalive\n  dyno claims --page > dyno/docs/claims.md",
		Args:    cli.ExactArgs(2, i18n.New("studycmd.run-and-folder-args", "a run's ID, or latest, and a folder")),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, _, err := library.Analyse(cmd.Context(), global, args[0])
			if err != nil {
				return err
			}
			if err := checkClean(a, unclean); err != nil {
				return err
			}
			if err := Publish(a, args[1], unclean); err != nil {
				return err
			}
			return countAttempts(global, a, filepath.Dir(filepath.Clean(args[1])))
		},
		ValidArgsFunction: library.CompleteRuns,
	}
	cmd.Flags().StringVar(&unclean, "unclean", "", "publish a run of a dyno that was not built from a clean commit, for this `REASON`, which is recorded")
	return cmd
}

// checkClean refuses a run whose lab nobody can build again.
func checkClean(a *analysis.Analysis, reason string) error {
	if b := analysis.Basis(a); !b.Clean && reason == "" {
		return i18n.Errorf("studycmd.unclean-build", "run %s was made by dyno %s, which was not built from a clean commit, so that nobody can repeat it: commit, build with go build, and run the study again; or say with --unclean why it is to be published all the same", a.Run.ID, cmp.Or(a.Run.Dyno, "of an unknown version"))
	}
	return nil
}

// countAttempts writes the run, and others of its study that the archive has, into
// the register of attempts.
func countAttempts(global *cli.Global, a *analysis.Analysis, folder string) error {
	attempts := []published.Attempt{published.AttemptOf(&a.Run, true)}
	if store, err := library.Folder(global); err == nil { // of a store by URL only the run itself is known
		entries, err := store.List()
		if err != nil {
			return err
		}
		for i := range entries {
			if m := &entries[i].Manifest; m.Study == a.Run.Study && m.ID != a.Run.ID {
				attempts = append(attempts, published.AttemptOf(m, false))
			}
		}
	}
	return published.Register(folder, attempts)
}

// Publish writes the folder; files that were in it are replaced.
func Publish(a *analysis.Analysis, dir, unclean string) error {
	record, err := published.New(a, shell.Join(a.Run.Command))
	if err != nil {
		return err
	}
	record.Unclean = unclean
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		fill func(*bytes.Buffer) error
	}{
		{published.ManifestName, func(w *bytes.Buffer) error {
			return compressed(w, func(w io.Writer) error { return writeManifest(w, a) })
		}},
		{published.TrialsName, func(w *bytes.Buffer) error { return compressed(w, func(w io.Writer) error { return report.CSV(w, a) }) }},
		{"report.md", func(w *bytes.Buffer) error { return report.Markdown(w, a, "en") }},
		{published.FileName, func(w *bytes.Buffer) error {
			document, err := record.Encode()
			w.Write(document)
			return err
		}},
	} {
		if err := cli.WriteFile(filepath.Join(dir, file.name), file.fill); err != nil {
			return err
		}
	}
	fmt.Println(dir)
	for _, v := range record.Verdicts {
		fmt.Printf("  %s: %s: %s\n", v.ID, v.Word(), v.Why)
	}
	return nil
}

// compressed writes what is most of what is published, and shrinks to a tenth.
func compressed(w *bytes.Buffer, fill func(io.Writer) error) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := fill(packed); err != nil {
		return err
	}
	return packed.Close()
}

func writeManifest(w io.Writer, a *analysis.Analysis) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(&a.Run)
}

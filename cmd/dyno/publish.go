package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"dyno/internal/shell"
	"dyno/lab/analysis"
	"dyno/lab/published"
	"dyno/lab/report"
)

func newPublish(global *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "publish RUN DIR",
		Short: "Write what a run found into a small folder, to be kept with source",
		Long: `Write what a run found into a folder small enough to be kept with source:
verdicts.json (what it says about claims, and the conditions), manifest.json,
report.md and trials.csv (one row per trial and metric). The archived run has more
and stays where it is. dyno claims --page --results draws a page of such folders.

A run that is INVALID is not published.`,
		Example: "  dyno publish latest docs/results/six-keepalive\n  dyno claims --page > docs/claims.md",
		Args:    exactArgs(2, "a run's ID, or latest, and a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, _, err := analyseRun(cmd.Context(), global, args[0])
			if err != nil {
				return err
			}
			return publish(a, args[1])
		},
		ValidArgsFunction: completeRuns,
	}
}

// publish writes the folder; files that were in it are replaced.
func publish(a *analysis.Analysis, dir string) error {
	record, err := published.New(a, shell.Join(a.Run.Command))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		fill func(*bytes.Buffer) error
	}{
		{"manifest.json", func(w *bytes.Buffer) error { return writeManifest(w, a) }},
		{"trials.csv", func(w *bytes.Buffer) error { return report.CSV(w, a) }},
		{"report.md", func(w *bytes.Buffer) error { return report.Markdown(w, a) }},
		{published.FileName, func(w *bytes.Buffer) error {
			document, err := record.Encode()
			w.Write(document)
			return err
		}},
	} {
		if err := writeFile(filepath.Join(dir, file.name), file.fill); err != nil {
			return err
		}
	}
	fmt.Println(dir)
	for _, v := range record.Verdicts {
		fmt.Printf("  %s: %s: %s\n", v.ID, v.Verdict, v.Why)
	}
	return nil
}

func writeManifest(w *bytes.Buffer, a *analysis.Analysis) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(&a.Run)
}

package runcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// Conclude analyses a run that has just ended, prints its result and writes its
// report. The result is printed also if the report can't be written, as on a
// full disk. Trials that failed are an error, and so is a load without a usable one.
func Conclude(run *archive.Run, asJSON bool, lang string) error {
	a, err := analysis.Analyse(run)
	if err != nil {
		return i18n.Errorf("runcmd.analysing-run", "analysing run %s: %w", run.Manifest.ID, err)
	}
	var document bytes.Buffer
	if err := report.JSON(&document, a); err != nil {
		return err
	}
	path := filepath.Join(run.Dir, "report.html")
	saved := errors.Join(run.SaveAnalysis(document.Bytes()), cli.WriteFile(path, func(w *bytes.Buffer) error {
		return report.HTML(w, a, lang)
	}))
	if asJSON {
		err = json.NewEncoder(os.Stdout).Encode(analysisLine{Event: "analysis", Run: run.Manifest.ID, Analysis: document.Bytes()})
	} else if err = report.Table(os.Stdout, a, lang, cli.Width(), cli.Colour()); err == nil {
		if saved != nil {
			path = ""
		}
		err = writeFooter(os.Stdout, run, path, lang)
	}
	return errors.Join(err, saved, failedTrials(run), unusable(a))
}

// writeFooter says where a run is, and what repeats it. The report's path is empty if
// it could not be written.
func writeFooter(w io.Writer, run *archive.Run, path, lang string) error {
	t, err := report.TextsIn(lang)
	if err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, line := range [][2]string{
		{t.Text("run.run"), run.Manifest.ID}, {t.Text("run.address"), run.Address.String()}, {t.Text("run.report"), path}, {t.Text("run.repeat"), shell.Join(run.Manifest.Command)},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "%s %s\n", present.Left(line[0], 7), line[1])
		}
	}
	return nil
}

// unusable is the error for a run with a load of which no trial can be used, or nil:
// a script that checks the exit code must not take it for a result.
func unusable(a *analysis.Analysis) error {
	for i := range a.Groups {
		used, left := 0, 0
		for k := range a.Groups[i].Cells {
			used, left = used+len(a.Groups[i].Cells[k].Trials), left+len(a.Groups[i].Cells[k].Left)
		}
		if used == 0 && left > 0 {
			return i18n.Errorf("runcmd.no-usable-trial", "no conclusion: of %s none of %d trials can be used; the report says why", report.TerminalText(a.Groups[i].Title), left)
		}
	}
	return nil
}

// analysisLine is the last line that dyno run --json prints.
type analysisLine struct {
	Event    string          `json:"event"` // "analysis"
	Run      string          `json:"run"`
	Analysis json.RawMessage `json:"analysis"` // as dyno report --json prints it
}

// failedTrials is the error for a run with failed trials that no repetition made
// good, or nil.
func failedTrials(run *archive.Run) error {
	failed, bySubject, first, good := 0, 0, "", madeGood(run.Trials)
	for i := range run.Trials {
		t := &run.Trials[i]
		if t.Status != archive.Failed || good[t.Index] {
			continue
		}
		if failed++; failed == 1 {
			first, _, _ = strings.Cut(t.Error.String(), "\n")
		}
		if t.Fault == archive.OfSubject {
			bySubject++
		}
	}
	if failed == 0 {
		return nil
	}
	first = strings.TrimSuffix(first, "; its last lines:")
	switch planned := len(run.Manifest.Plan.Trials); bySubject {
	case 0:
		return i18n.Errorf("runcmd.trials-left-out", "%d of %d trials failed and are left out; the first: %s", failed, planned, first)
	case failed:
		return i18n.Errorf("runcmd.trials-failed-by-subjects", "%d of %d trials failed, which counts against their subjects; the first: %s", failed, planned, first)
	default:
		return i18n.Errorf("runcmd.trials-failed-mixed", "%d of %d trials failed, %d of them by their subjects' fault, which counts against these; the others are left out; the first: %s", failed, planned, bySubject, first)
	}
}

// madeGood are the trials, by their index, that a completed one repeats.
func madeGood(trials []archive.Trial) map[int]bool {
	good := make(map[int]bool)
	for i := len(trials) - 1; i >= 0; i-- { // a repetition comes after what it repeats
		t := &trials[i]
		if t.Repeats != nil && (t.Status == archive.Complete || good[t.Index]) {
			good[*t.Repeats] = true
		}
	}
	return good
}

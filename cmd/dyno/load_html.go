package main

import (
	"bytes"
	"os"
	"time"

	"dyno/lab/analysis"
	"dyno/lab/archive"
	"dyno/lab/load"
	"dyno/lab/machine"
	"dyno/lab/report"
	"dyno/lab/study"
)

// writeLoadHTML writes the report of one load, as that of a run with one trial
// of a service that was already up.
func writeLoadHTML(path string, r *load.Result, s *load.Spec, lang string) error {
	run := asRun(r, s)
	archive.Redact(&run.Manifest)
	a, err := analysis.Analyse(run)
	if err != nil {
		return err
	}
	return writeFile(path, func(w *bytes.Buffer) error { return report.HTML(w, a, lang) })
}

func asRun(r *load.Result, s *load.Spec) *archive.Run {
	trial := archive.Trial{
		PlannedTrial: study.PlannedTrial{Seed: s.Seed}, Status: archive.Complete, Mono: r.Start, Engine: r.Engine,
		Validity: r.Validity, Findings: r.Findings,
	}
	for _, w := range r.Windows {
		trial.Windows = append(trial.Windows, archive.Window{Client: w, Level: w.Validity(), Why: w.Findings})
	}
	status := archive.Complete
	if r.Interrupted {
		status = archive.Interrupted
	}
	now := time.Now()
	name := s.Target
	return &archive.Run{
		Manifest: archive.Manifest{
			Schema: archive.Schema, ID: "load", Study: "load", Question: "How does " + name + " answer under load?",
			Command: append([]string{"dyno"}, os.Args[1:]...), Dyno: version(), Started: now.Add(-s.Warmup - r.Total.Length), Finished: now,
			Status: status, Reference: name, Subjects: []archive.Subject{{Name: name, Role: "own", URL: name}},
			Plan: study.Plan{
				Seed:   s.Seed,
				Cells:  []study.Cell{{Subject: name, Load: string(s.Profile.Mode), Profile: s.Profile, Timeout: s.Timeout, Requests: s.Requests}},
				Trials: []study.PlannedTrial{trial.PlannedTrial},
			},
			Machine: machine.Read(), Placement: archive.Placement{Mode: "shared", Generator: s.CPUs}, Warmup: s.Warmup, Duration: s.Duration,
		},
		Trials: []archive.Trial{trial},
	}
}

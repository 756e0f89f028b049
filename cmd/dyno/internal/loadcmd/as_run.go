package loadcmd

import (
	"os"
	"strings"
	"time"

	"dyno/cmd/dyno/internal/cli"
	"dyno/lab/analysis"
	"dyno/lab/archive"
	"dyno/lab/load"
	"dyno/lab/load/request"
	"dyno/lab/machine"
	"dyno/lab/study"
)

// analysis is that of the load as of a run with one trial of a service that was
// already up.
func (e *endedLoad) analysis() (*analysis.Analysis, error) {
	run := asRun(e.Result, e.Spec)
	archive.Redact(&run.Manifest)
	for i, word := range run.Manifest.Command {
		for _, secret := range e.secrets {
			if secret != "" {
				word = strings.ReplaceAll(word, secret, request.Redacted)
			}
		}
		run.Manifest.Command[i] = word
	}
	return analysis.Analyse(run)
}

func asRun(r *load.Result, s *load.Spec) *archive.Run {
	trial := archive.Trial{
		PlannedTrial: study.PlannedTrial{Seed: s.Seed}, Status: archive.Complete, Mono: r.Start, Engine: r.Engine,
		Validity: r.Validity, Findings: r.Findings, Failures: r.Failures, Requests: r.Requests, Idle: r.Idle,
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
			Command: append([]string{"dyno"}, os.Args[1:]...), Dyno: cli.Version(), Started: now.Add(-s.Warmup - r.Total.Length), Finished: now,
			Status: status, Reference: name, Subjects: []archive.Subject{{Name: name, Role: "own", URL: name}},
			Plan: study.Plan{
				Seed:   s.Seed,
				Cells:  []study.Cell{{Subject: name, Load: string(s.Profile.Mode), Profile: s.Profile, Timeout: s.Timeout, Requests: s.Requests, Feeds: s.Feeds}},
				Trials: []study.PlannedTrial{trial.PlannedTrial},
			},
			Machine: machine.Read(), Placement: archive.Placement{Mode: "shared", Generator: s.CPUs}, Calibration: r.Calibration, Warmup: s.Warmup, Duration: s.Duration,
		},
		Trials: []archive.Trial{trial},
	}
}

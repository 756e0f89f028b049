package main

import (
	"fmt"
	"time"

	"dyno/lab/load"
	"dyno/lab/report"
)

// stages prints a line for each stage of a load with several.
func (w *loadText) stages(stages []load.StageResult) {
	if len(stages) == 0 {
		return
	}
	widths := []int{8, 10, 12, 9, 9, 8}
	fmt.Fprintf(w, "\n  %s %s%s\n", report.Left(w.Text("load.phase"), 5), report.Left("", 24), cells(widths, w.Text("load.seconds"), w.Text("load.offered"), w.Text("load.throughput"), "p50", "p99", w.Text("load.errors")))
	for i := range stages {
		s := &stages[i]
		fmt.Fprintf(w, "  %-5d %s", s.Phase+1, report.Left(cut(s.Name, 24), 24))
		if s.Windows == 0 {
			fmt.Fprintf(w, " %8s   %s\n", "0", w.Text("load.stage.none"))
			continue
		}
		seconds := s.Total.Length.Seconds()
		fmt.Fprintf(w, " %8.4g %8s/s %10s/s %9s %9s %8d\n", seconds, number(float64(s.Total.Offered)/seconds), number(s.Throughput()), quantileText(&s.Total, 50), quantileText(&s.Total, 99), s.Total.Errors.Total())
	}
}

// stageJSON is a stage in dyno load --json.
type stageJSON struct {
	Phase      int         `json:"phase"` // from 1
	Name       string      `json:"name"`
	From       float64     `json:"from_s"` // of the measured time
	To         float64     `json:"to_s"`
	Length     float64     `json:"length_s"` // of the windows that count: those within it that are not invalid
	Planned    float64     `json:"planned"`  // over those windows, as all that follows
	Offered    uint64      `json:"offered"`
	Sent       uint64      `json:"sent"`
	Requests   uint64      `json:"requests"`
	Throughput *float64    `json:"throughput"`
	Shed       uint64      `json:"shed"`
	Errors     load.Errors `json:"errors"`
	Censored   *float64    `json:"censored"`
	Response   latency     `json:"response_us"`
	Service    latency     `json:"service_us"`
	Lag        latency     `json:"lag_us"`
	// AtLeast names, by clock, the figures that are only lower bounds.
	AtLeast map[string][]string `json:"at_least,omitempty"`
}

func stagesOf(stages []load.StageResult) []stageJSON {
	var out []stageJSON
	for i := range stages {
		s := &stages[i]
		t := &s.Total
		stage := stageJSON{
			Phase: s.Phase + 1, Name: s.Name, From: s.From.Seconds(), To: s.To.Seconds(), Length: t.Length.Seconds(),
			Planned: s.Planned, Offered: t.Offered, Sent: t.Sent, Requests: t.Completed, Throughput: figureIf(t.Length > 0, s.Throughput()), Shed: t.Shed,
			Errors: t.Errors, Censored: figureIf(t.Timed(load.Response)+t.GivenUp(load.Response) > 0, t.Censored()), AtLeast: make(map[string][]string),
		}
		for clock, to := range map[load.Clock]*latency{load.Response: &stage.Response, load.Service: &stage.Service, load.Lag: &stage.Lag} {
			var bounds []string
			if *to, bounds = latencyOf(t, clock); bounds != nil {
				stage.AtLeast[clock.String()] = bounds
			}
		}
		out = append(out, stage)
	}
	return out
}

// inPhases completes the windows of a load with phases.
func inPhases(windows []windowJSON, s *load.Spec) {
	table := s.Profile.Timetable(s.Warmup)
	for i := range windows {
		w := &windows[i]
		if len(s.Profile.Phases) > 0 {
			w.Phase = table.PhaseAt(time.Duration(w.Second)*time.Second) + 1
		}
	}
}

package export

import (
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
)

// stageJSON is a stage in dyno load --json.
type stageJSON struct {
	Phase      int            `json:"phase"` // from 1
	Name       string         `json:"name"`
	From       float64        `json:"from_s"` // of the measured time
	To         float64        `json:"to_s"`
	Length     float64        `json:"length_s"` // of the windows that count: those within it that are not invalid
	Planned    float64        `json:"planned"`  // over those windows, as all that follows
	Offered    uint64         `json:"offered"`
	Sent       uint64         `json:"sent"`
	Requests   uint64         `json:"requests"`
	Throughput *float64       `json:"throughput"`
	Shed       uint64         `json:"shed"`
	Errors     measure.Errors `json:"errors"`
	Censored   *float64       `json:"censored"`
	Response   latency        `json:"response_us"`
	Service    latency        `json:"service_us"`
	Lag        latency        `json:"lag_us"`
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
			Errors: t.Errors, Censored: figureIf(t.Timed(measure.Response)+t.GivenUp(measure.Response) > 0, t.Censored()), AtLeast: make(map[string][]string),
		}
		for clock, to := range map[measure.Clock]*latency{measure.Response: &stage.Response, measure.Service: &stage.Service, measure.Lag: &stage.Lag} {
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

package runner

import (
	"context"
	"time"

	"dyno.example/dyno/keeping"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// keep begins to gather what a trial keeps. The subject is up, and connects to recorder if it
// has a flight recorder; nil if that isn't wanted.
func (e *execution) keep(ctx context.Context, cell *study.Cell, in *subject.Instance, duration time.Duration, recorder *probe.FlightListener) *keeping.Keeping {
	contender := e.ready.contenders[cell.Subject]
	c := keeping.Config{
		What: e.runner.Study.Keep, Name: cell.Subject, Port: in.Port(), Processes: processesOf(ctx, in), Duration: duration,
		CPUs:     e.places.ofSubject(contender, cell), // not the generator's, which would be in the way there
		Recorder: recorder, Secrets: e.runner.Plan.Secrets, Pprof: contender.PprofURL(in.URL()),
	}
	if contender.URL != "" {
		c.CPUs = e.places.online
	}
	if c.Pprof != "" && e.runner.Study.Keeps(study.KeepPprof) {
		c.Trust, c.Untrusted = e.ready.starter.certificate.metricsTrust(contender, cell, c.Pprof)
	}
	return keeping.Start(c)
}

package runner

import (
	"context"
	"net/url"
	"strconv"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence/collect"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/machine/busy"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// explained runs a load; if the study asks for it, with evidence of its requests collected,
// which the trial then has, whatever becomes of the load.
func (s *session) explained(ctx context.Context, t *archive.Trial, cell *study.Cell, in *subject.Instance, spec load.Spec) (*load.Result, error) {
	if !s.runner.Study.Explain {
		return load.Run(ctx, spec)
	}
	c := collect.Start(collect.Config{
		Port: portOf(in.URL()), Processes: processesOf(ctx, in), Connections: cell.Profile.Connections, Cost: true, Seed: t.Seed,
	})
	defer func() {
		header, records := c.End()
		t.Evidence = &archive.Evidence{Header: header, Records: records}
	}()
	spec.Sampler = c.Sampler()
	began, window := spec.OnStart, spec.OnWindow
	spec.OnStart = func(measured int64) {
		c.Begin(measured)
		began(measured)
	}
	spec.OnWindow = func(w measure.Window) {
		c.Window(&w)
		window(w)
	}
	return load.Run(ctx, spec)
}

// portOf is the port of a URL; 0 if it can't be told.
func portOf(at string) int {
	u, err := url.Parse(at)
	if err != nil {
		return 0
	}
	if n, err := strconv.Atoi(u.Port()); err == nil {
		return n
	}
	return map[string]int{"http": 80, "https": 443}[u.Scheme]
}

// processesOf are the subject's first processes: ours, or those on this machine that listen
// where a service is that is already up.
func processesOf(ctx context.Context, in *subject.Instance) []int {
	if pid := in.PID(); pid > 0 {
		return []int{pid}
	}
	pids, _ := busy.Server(ctx, in.URL()) // those that read from the port are found by that
	return pids
}

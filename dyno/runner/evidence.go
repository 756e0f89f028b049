package runner

import (
	"context"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/collect"
	"dyno.example/dyno/load"
	"dyno.example/dyno/machine/busy"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// explained runs a load; if the study asks for it, with evidence of its requests collected,
// which the trial then has, whatever becomes of the load. onSlow is called with slow requests
// meanwhile; it may be nil.
func (e *execution) explained(ctx context.Context, t *archive.Trial, cell *study.Cell, in *subject.Instance, spec load.Spec, onSlow func(*evidence.Record)) (*load.Result, error) {
	if !e.runner.Study.Explain {
		return load.Run(ctx, spec)
	}
	c := collect.Start(collect.Config{
		Port: collect.PortOf(in.URL()), Processes: processesOf(ctx, in), Connections: cell.Profile.Connections, Cost: true, Seed: t.Seed, OnSlow: onSlow,
		Always: e.runner.Study.TracesAll(),
	})
	defer func() {
		header, records := c.End()
		header.Peers = e.peers(in)
		t.Evidence = &archive.Evidence{Header: header, Records: records}
	}()
	return load.Run(ctx, spec.CollectedBy(c))
}

// peers are the names of what a subject stands on, by port.
func (e *execution) peers(in *subject.Instance) map[uint16]string {
	names := e.ready.services.Ports()
	if up := in.Upstream(); up != nil {
		names[uint16(up.Port())] = "upstream"
	}
	return names
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

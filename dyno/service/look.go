package service

import (
	"errors"
	"time"

	"dyno.example/dyno/probe"
)

// Look reads once what a sampler reads of the service in each window: the memory of its
// processes, in bytes, and how many figures of its own there are.
func (in *Instance) Look() (rss uint64, figures int, err error) {
	for _, p := range in.Probes() {
		if p.PID != 0 {
			processes := probe.NewProcess(p.PID)
			if totals, err := processes.Snapshot(); err == nil {
				rss += totals.Since(probe.ProcessTotals{}).RSS
			}
			processes.Close()
		}
		if p.Read == nil {
			continue
		}
		r, readErr := p.Read(lookWithin)
		err = errors.Join(err, readErr)
		figures += len(r.Counters) + len(r.Gauges)
	}
	return rss, figures, err
}

// lookWithin is how long reading the statistics may take outside of a trial.
const lookWithin = 5 * time.Second

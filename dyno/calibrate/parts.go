package calibrate

import (
	"context"
	"time"

	"dyno.example/dyno/load/measure"
)

// Hiccups spins on a CPU for so long and tells what the machine took of it.
func Hiccups(cpu int, over time.Duration) (measure.Hiccups, error) { return hiccups(cpu, over) }

// Timers measures how late each way of waiting is, on a CPU if it is not
// negative. It takes a quarter of a second.
func Timers(cpu int) []TimerReport {
	var r Report
	for _, pacing := range pacings {
		r.timer(pacing, cpu)
	}
	return r.Timers
}

// NullServer is a null server in a process of its own, which ends with this one.
type NullServer struct {
	process *process
	url     string
}

// StartNull starts a null server of one thread, away from the CPUs of the
// generator where there are others. Stop it. It needs a main function that calls
// [ChildMain], and Linux.
func StartNull(ctx context.Context, generator []int) (*NullServer, error) {
	p, url, err := startServer(ctx, 1, generator, false)
	if err != nil {
		return nil, err
	}
	return &NullServer{p, url}, nil
}

// URL is where it responds to any request.
func (s *NullServer) URL() string { return s.url }

// PID is its process.
func (s *NullServer) PID() int { return s.process.cmd.Process.Pid }

// Stop ends it and waits for its end.
func (s *NullServer) Stop() { s.process.stop() }

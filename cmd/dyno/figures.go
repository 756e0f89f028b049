package main

import (
	"time"

	"dyno/lab/archive"
	"dyno/lab/load"
)

// figures are what a line about a trial shows.
type figures struct {
	throughput    float64 // requests/s
	p50, p99      float64 // response, ns
	cpuPerRequest float64 // µs of the subject's CPU time; 0 if it can't be known
	errors        uint64
}

// figuresOf sums up the measured windows that are not invalid.
func figuresOf(windows []archive.Window) figures {
	var f figures
	var length, cpu time.Duration
	var requests, charged uint64 // charged: those of windows whose CPU time is known
	hist := load.NewHistogram()
	for i := range windows {
		w := &windows[i]
		if w.Client.Warmup() || w.Level == load.Invalid {
			continue
		}
		length += w.Client.Length
		requests += w.Client.Completed
		f.errors += w.Client.Errors.Total()
		if h := w.Client.Hist[load.Response]; h != nil {
			hist.Merge(h)
		}
		if w.Server.Process != nil && !w.Server.Lacks("cpu", "process") {
			cpu += w.Server.Process.CPU
			charged += w.Client.Completed
		}
	}
	if length > 0 {
		f.throughput = float64(requests) / length.Seconds()
	}
	if charged > 0 {
		f.cpuPerRequest = micros(cpu) / float64(charged)
	}
	f.p50, f.p99 = float64(hist.ValueAtPercentile(50)), float64(hist.ValueAtPercentile(99))
	return f
}

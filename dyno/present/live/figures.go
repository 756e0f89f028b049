package live

import (
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/present"
)

// figures are what a line about a trial shows.
type figures struct {
	throughput    float64 // requests/s
	p50, p99      string  // response, as shown
	cpuPerRequest float64 // µs of the subject's CPU time; 0 if it can't be known
	errors        uint64
}

// figuresOf sums up the measured windows that are not invalid.
func figuresOf(windows []archive.Window) figures {
	var f figures
	var total measure.Window
	var cpu time.Duration
	var charged uint64 // the requests of windows whose CPU time is known
	hist := measure.NewHistogram()
	total.Hist[measure.Response] = hist
	for i := range windows {
		w := &windows[i]
		if w.Client.Warmup() || w.Level == finding.Invalid {
			continue
		}
		total.Add(&w.Client)
		if h := w.Client.Hist[measure.Response]; h != nil {
			hist.Merge(h)
		}
		if w.Server.Process != nil && !w.Server.Lacks("cpu", "process") {
			cpu += w.Server.Process.CPU
			charged += w.Client.Completed
		}
	}
	if total.Length > 0 {
		f.throughput = float64(total.Completed) / total.Length.Seconds()
	}
	if charged > 0 {
		f.cpuPerRequest = present.Micros(cpu) / float64(charged)
	}
	f.errors = total.Errors.Total()
	f.p50, f.p99 = present.Quantile(&total, 50), present.Quantile(&total, 99)
	return f
}

package calibrate

import (
	"fmt"
	"io"

	"dyno.example/dyno/present"
)

// Describe prints the report as tables.
func Describe(w io.Writer, r *Report) {
	spoken := ""
	if r.Streams > 0 {
		spoken = fmt.Sprintf(" with %d streams each (HTTP/2)", r.Streams)
	}
	fmt.Fprintf(w, "\n  generator    %d thread(s), %d connections%s, against a server that costs nothing\n", r.Threads, r.Connections, spoken)
	fmt.Fprintf(w, "\n  %-12s %12s %11s %11s %9s %9s   %s\n", "engine", "requests/s", "CPU/request", "allocations", "floor min", "floor p50", "lag p99 at 10 %, 50 %, 80 % of it")
	for i := range r.Engines {
		writeEngine(w, &r.Engines[i])
	}
	fmt.Fprintf(w, "\n  %-20s %9s %9s %9s\n", "woken up late by", "p50", "p99", "max")
	for _, t := range r.Timers {
		if t.Error != "" {
			fmt.Fprintf(w, "  %-20s %s\n", t.Pacing, t.Error)
			continue
		}
		fmt.Fprintf(w, "  %-20s %9s %9s %9s\n", t.Pacing, present.Exact(t.Late.P50), present.Exact(t.Late.P99), present.Exact(t.Late.Max))
	}
	fmt.Fprintf(w, "\n  hiccups      the machine took %.2f %% of the time from a thread that did nothing else, %s at the longest\n", 100*r.Hiccups.Taken, present.Exact(r.Hiccups.Longest))
	writeProof(w, "stall", &r.Stall)
	writeProof(w, "freeze", &r.Freeze)
	writeAbility(w, &r.Ability)
}

func writeEngine(w io.Writer, e *EngineReport) {
	if e.Error != "" {
		fmt.Fprintf(w, "  %-12s %s\n", e.Name, e.Error)
		return
	}
	fmt.Fprintf(w, "  %-12s %12s %11s %11.3f %9s %9s  ", e.Name, present.Number(e.Ceiling), present.Exact(e.CPUPerRequest), e.Allocations, present.Exact(e.Floor.Min), present.Exact(e.Floor.P50))
	for _, l := range e.Lags {
		fmt.Fprintf(w, " %9s", present.Exact(l.Lag.P99))
	}
	fmt.Fprintln(w)
}

func writeProof(w io.Writer, name string, p *Proof) {
	word := "failed"
	if p.Passed {
		word = "passed"
	}
	fmt.Fprintf(w, "  %-12s %s: %s\n", name, word, p.Detail)
}

func writeAbility(w io.Writer, v *Ability) {
	if !v.OK {
		fmt.Fprint(w, "\n  result       this machine can't be trusted to measure:\n")
		for _, why := range v.Why {
			fmt.Fprintf(w, "    %s\n", why)
		}
		return
	}
	fmt.Fprintf(w, "\n  result       this machine can measure: up to %s requests/s, latencies above %s, differences in time above %s\n", present.Number(v.UpTo), present.Exact(v.Above), present.Exact(v.Difference))
}

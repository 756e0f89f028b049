//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/scripted"
)

// What a reported percentile may be off: a share of the truth and a constant.
const (
	offShare    = 0.01
	offConstant = 50.0 // µs
)

// rateKept is how far a tool's rate may be off, in percent, for its requests to
// be laid on the schedule it was asked for.
const rateKept = 0.5

// servers whose truth is known, and how long a trial takes to see all of it.
var truths = []struct {
	name    string
	script  scripted.Script
	seconds int
	frozen  bool
}{
	{"constant 2 ms", scripted.Script{Delay: 2 * time.Millisecond}, 10, false},
	{"1 ms, a tenth 20 ms", scripted.Script{Delay: time.Millisecond, Slow: 20 * time.Millisecond, SlowShare: 0.1}, 10, false},
	{"frozen 1 s in 5", scripted.Script{Freeze: time.Second, Every: 5 * time.Second}, 20, true},
}

func truthCampaign() campaign {
	return campaign{
		Name: "truth", Seconds: 0,
		Question: "A server responds at times known beforehand: does the tool report the truth? (off: in units of 1 % + 50 µs; up to 1 is true)",
		Arms:     truthArms,
		Show: rounds.Summary{Columns: []rounds.Column{
			rounds.Shown("p50_us", "reported p50 µs", 4), rounds.Shown("p90_us", "p90", 4), rounds.Shown("p99_us", "p99", 4), rounds.Shown("p99.9_us", "p99.9", 4), rounds.Shown("p99.99_us", "p99.99", 4),
			rounds.Shown("off_recorded", "worst off the record", 3), rounds.Shown("off_scripted", "worst off the script", 3),
			rounds.Shown("truth_p50_us", "truth p50", 4), rounds.Shown("truth_p90_us", "p90", 4), rounds.Shown("truth_p99_us", "p99", 4), rounds.Shown("truth_p99.9_us", "p99.9", 4), rounds.Shown("truth_p99.99_us", "p99.99", 4),
			rounds.Shown("server_late_p99_us", "server late p99", 3), rounds.Shown("server_late_max_us", "max", 3), rounds.Shown("errors", "errors", 3),
		}},
	}
}

// openLoops are the tools that can be asked for a rate.
func (l *lab) openLoops() (dynos, others []tool) {
	return l.dynos(), []tool{wrk2(), zrk(), oha(), vegeta(), k6(), hey(), bombardier(), fortio()}
}

// truthArms has connections enough for all requests that a frozen server holds:
// then what is true does not hang on the generator.
func truthArms(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
	var arms []arm
	for _, rate := range []int{500, 5000} {
		for _, s := range truths {
			j := job{Seconds: s.seconds, Connections: r.Settings.Connections, Rate: float64(rate)}
			if l.options.Seconds > 0 {
				j.Seconds = l.options.Seconds
			}
			if s.frozen {
				j.Connections = max(j.Connections, rate*6/5)
			}
			server := serverSpec{Kind: "scripted", Script: s.script.String(), Busy: true, Requests: rate * (j.Seconds + 15)}
			level := fmt.Sprintf("%d/s, %s", rate, s.name)
			arms = append(arms, l.judged(level, j, server, truthFigures)...)
		}
	}
	return arms, nil
}

// judged are dyno in all rounds, and peers in some.
func (l *lab) judged(level string, j job, server serverSpec, figures func(*measured)) []arm {
	dynos, others := l.openLoops()
	arms := armsOf(append(dynos, others...), level, j, server)
	for i := range arms {
		arms[i].Figures = figures
		if i >= len(dynos) {
			arms[i].Rounds = l.options.peerRounds
		}
	}
	return arms
}

// truthFigures compares what the tool reports with the script and the record.
func truthFigures(m *measured) {
	script, err := scripted.Parse(m.arm.Server.Script)
	if err != nil || len(m.truth.Arrival) < 10 {
		m.Says = append(m.Says, "too few requests to judge")
		return
	}
	rate := m.arm.Job.Rate
	late := m.truth.Error()
	slices.Sort(late)
	m.add("server_late_", latencies(late))
	pure := scripted.Scripted(script, rate, int(rate)*m.arm.Job.Seconds)
	slices.Sort(pure)
	m.Figures["off_scripted"] = worstOff(m.outcome.Latency, pure)
	m.add("script_", latencies(pure))
	if recorded := m.recorded(); recorded != nil {
		m.Figures["off_recorded"] = worstOff(m.outcome.Latency, recorded)
		m.add("truth_", latencies(recorded))
	}
}

// recorded are the response times that happened, sorted, from the schedule the
// tool was asked for; nil if it did not keep to it. What a tool does before it
// begins to record is left out.
func (m *measured) recorded() []int64 {
	r, rate := m.truth, m.arm.Job.Rate
	n, span := len(r.Arrival), r.Arrival[len(r.Arrival)-1]-r.Arrival[0]
	if off := float64(n-1)/(float64(span)/1e9)/rate - 1; math.Abs(off)*100 > rateKept {
		return nil
	}
	late := lateness(r.Arrival, r.Conn, rate, m.arm.Job.Connections)
	var times []int64
	for k := int(rate) * m.arm.Tool.Lead; k < n; k++ {
		if r.Response[k] != 0 {
			times = append(times, late[k]+r.Response[k]-r.Arrival[k])
		}
	}
	slices.Sort(times)
	return times
}

// worstOff is by how much the worst of the reported percentiles misses the
// truth, in units of what it may be off.
func worstOff(reported map[string]float64, truth []int64) float64 {
	worst := 0.0
	for _, q := range quantiles {
		if v, ok := reported[q.name]; ok {
			worst = max(worst, off(v, truth, q.at))
		}
	}
	return worst
}

// off holds a reported percentile, in µs, against the sorted truth in ns. Where
// the distribution jumps, its neighbours in rank are as true: tools round ranks
// in their own ways.
func off(reported float64, truth []int64, at float64) float64 {
	if len(truth) == 0 {
		return 0
	}
	rank := 100 / float64(len(truth))
	low := float64(scripted.Percentile(truth, at-rank)) / 1e3
	high := float64(scripted.Percentile(truth, at+rank)) / 1e3
	switch {
	case reported < low:
		return (low - reported) / (offShare*low + offConstant)
	case reported > high:
		return (reported - high) / (offShare*high + offConstant)
	}
	return 0
}

//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/scripted"
)

// shares of capacity at which pacing is measured, in percent.
var shares = []int{20, 40, 60, 80}

// Both ends of an open loop are left out of the arrivals: connections that come
// up one after the other, and responses that are waited for.
const edge = 0.1 // of the arrivals, at each end

// stolenGap is how long the recording server may be away before its window is
// set apart.
const stolenGap = int64(1e6) // ns

func pacingCampaign() campaign {
	return campaign{
		Name: "pacing", Seconds: 5,
		Question: "Asked for a uniform schedule, when do the requests really arrive? By the record of a busy-polling server.",
		Arms:     pacingArms,
		Show: rounds.Summary{Columns: []rounds.Column{
			rounds.Shown("rate_off_pct", "rate off by %", 2), rounds.Shown("arrival_p50_us", "late p50 µs", 3), rounds.Shown("arrival_p99_us", "p99", 3),
			rounds.Shown("arrival_p99.9_us", "p99.9", 3), rounds.Shown("arrival_max_us", "max", 3), rounds.Shown("clean_p99.9_us", "p99.9 undisturbed", 3),
			rounds.Shown("clean_max_us", "max undisturbed", 3), rounds.Shown("stolen_windows", "windows set apart", 2),
			rounds.Shown("lag_p50_us", "own lag p50 µs", 3), rounds.Shown("lag_p99_us", "p99", 3), rounds.Shown("lag_p99.9_us", "p99.9", 3), rounds.Shown("lag_max_us", "max", 3),
			rounds.Shown("p50_us", "latency p50 µs", 3), rounds.Shown("cpu_us_per_request", "CPU µs/request", 3),
		}},
	}
}

func pacingArms(ctx context.Context, l *lab, r *rounds.Record) ([]arm, error) {
	if err := l.measureCapacity(ctx, r); err != nil {
		return nil, err
	}
	arms := l.pacingLevel(r, fmt.Sprintf("%d/s, for all", modestRate), modestRate)
	for _, share := range shares {
		rate := math.Floor(r.Capacity*float64(share)/100/500) * 500 // a round figure, as users ask for
		arms = append(arms, l.pacingLevel(r, fmt.Sprintf("%d %% of capacity: %.0f/s", share, rate), rate)...)
	}
	return arms, nil
}

// modestRate is one that the dearest of the peers keeps.
const modestRate = 2000

// pacingLevel has all tools that can do a rate, and a thread that does nothing
// but look at the clock.
func (l *lab) pacingLevel(r *rounds.Record, level string, rate float64) []arm {
	j := job{Seconds: r.Settings.Seconds, Connections: r.Settings.Connections, Rate: rate}
	server := serverSpec{Kind: "scripted", Busy: true, Requests: int(rate) * (j.Seconds + 15)}
	arms := []arm{{Tool: spinTool(l.Self), Level: level, Job: j, Server: server}}
	tools := append(l.paced(r, "spin", "timer", "auto"), wrk2(), zrk(), oha(), vegeta(), k6())
	for _, a := range armsOf(tools, level, j, server) {
		if !l.tooFast(r, &a) {
			a.Figures = arrivalFigures
			arms = append(arms, a)
		}
	}
	return arms
}

// measureCapacity finds what the server and dyno do in a closed loop, and what
// each peer that is much dearer does: it can't be asked for more.
func (l *lab) measureCapacity(ctx context.Context, r *rounds.Record) error {
	if r.Capacity > 0 {
		return nil
	}
	seconds := min(3, r.Settings.Seconds)
	j := job{Seconds: seconds, Connections: r.Settings.Connections}
	r.Ceilings = make(map[string]float64)
	for _, t := range []tool{l.dynoTool("dyno"), oha(), vegeta(), k6()} {
		if _, here := t.locate(l.peers); !here {
			continue
		}
		a := arm{Tool: t, Job: j, Server: serverSpec{Kind: "scripted", Busy: true, Requests: 1}}
		got, err := l.measure(ctx, &a)
		if err != nil {
			return err
		}
		r.Ceilings[t.Name] = got.Figures["requests_per_s"]
	}
	r.Capacity = r.Ceilings["dyno"]
	if r.Capacity < 2500 { // a fifth of it is 500 at least
		return fmt.Errorf("dyno's closed loop comes to %.0f requests/s only: nothing can be measured here", r.Capacity)
	}
	return r.Save()
}

// tooFast reports whether a peer's closed loop is slower than the rate.
func (l *lab) tooFast(r *rounds.Record, a *arm) bool {
	ceiling, known := r.Ceilings[a.Tool.Name]
	if !known || ceiling >= a.Job.Rate {
		return false
	}
	r.Note(fmt.Sprintf("%s at %.0f/s: does %.0f/s in a closed loop", a.Tool.Name, a.Job.Rate, ceiling))
	return true
}

// arrivalFigures compares when requests arrived with when they should have.
func arrivalFigures(m *measured) {
	at := m.truth.Arrival
	cut := int(edge * float64(len(at)))
	first, end := cut, len(at)-cut
	if end-first < 100 {
		m.Says = append(m.Says, "too few arrivals to judge")
		return
	}
	rate := m.arm.Job.Rate
	got := float64(end-1-first) / (float64(at[end-1]-at[first]) / 1e9)
	m.Figures["rate_off_pct"] = 100 * (got/rate - 1)
	late := lateness(at[first:end], m.truth.Conn[first:end], rate, m.arm.Job.Connections)
	stolen := stolenSeconds(m.truth.Gaps)
	var clean []int64
	apart := make(map[int64]bool)
	for k, second := range secondsOf(at[first:end]) {
		if stolen[second] {
			apart[second] = true
		} else {
			clean = append(clean, late[k])
		}
	}
	m.Figures["stolen_windows"] = float64(len(apart))
	slices.Sort(late)
	slices.Sort(clean)
	m.add("arrival_", latencies(late))
	if len(clean) > 0 {
		m.add("clean_", latencies(clean))
	}
}

// add takes named times in µs as figures.
func (m *measured) add(prefix string, named map[string]float64) {
	for name, v := range named {
		m.Figures[prefix+name+"_us"] = v
	}
}

func secondsOf(at []int64) []int64 {
	seconds := make([]int64, len(at))
	for k := range at {
		seconds[k] = at[k] / 1e9
	}
	return seconds
}

// lateness judges arrivals by one schedule for all of them, or by one for each
// connection, whichever is kept better: tools do the one or the other.
func lateness(at []int64, conn []int32, rate float64, connections int) []int64 {
	together := scripted.Lateness(at, rate, scripted.FitStart(at, rate))
	apart := make([]int64, len(at))
	places := make(map[int32][]int)
	for k, c := range conn {
		places[c] = append(places[c], k)
	}
	for _, ks := range places {
		own := make([]int64, len(ks))
		for i, k := range ks {
			own[i] = at[k]
		}
		each := rate / float64(connections)
		for i, late := range scripted.Lateness(own, each, scripted.FitStart(own, each)) {
			apart[ks[i]] = late
		}
	}
	if p99(apart) < p99(together) {
		return apart
	}
	return together
}

// p99 is by absolute value: a schedule that does not fit is off both ways.
func p99(late []int64) int64 {
	times := make([]int64, len(late))
	for k := range late {
		times[k] = max(late[k], -late[k])
	}
	slices.Sort(times)
	return scripted.Percentile(times, 99)
}

// stolenSeconds are the seconds of the clock in which the server's loop was away
// for long.
func stolenSeconds(gaps []scripted.Gap) map[int64]bool {
	stolen := make(map[int64]bool)
	for _, g := range gaps {
		if g.Length < stolenGap {
			continue
		}
		for second := g.Start / 1e9; second <= (g.Start+g.Length)/1e9; second++ {
			stolen[second] = true
		}
	}
	return stolen
}

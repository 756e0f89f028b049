//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/scripted"
	"dyno.example/nano/wire/clock"
)

// When the generator is stopped: for a second, every five, not near the border
// of a window.
const (
	stopEvery = 5 * time.Second
	stopAfter = 2300 * time.Millisecond
	stopFor   = time.Second
)

func frozenCampaign() campaign {
	return campaign{
		Name: "frozen", Seconds: 20,
		Question: "The server takes 2 ms, always, but the generator is stopped 1 s in every 5: what does it tell of the server?",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			const rate = 500
			j := job{Seconds: r.Settings.Seconds, Connections: r.Settings.Connections, Rate: rate}
			server := serverSpec{Kind: "scripted", Script: "delay=2ms", Busy: true, Requests: rate * (j.Seconds + 15)}
			arms := l.judged(fmt.Sprintf("%d/s", rate), j, server, frozenFigures)
			for i := range arms {
				arms[i].During = stopAndGo
			}
			return arms, nil
		},
		Show: rounds.Summary{Columns: []rounds.Column{
			rounds.Shown("p50_us", "reported p50 µs", 4), rounds.Shown("p90_us", "p90", 4), rounds.Shown("p99_us", "p99", 4), rounds.Shown("p99.9_us", "p99.9", 4),
			rounds.Shown("truth_p50_us", "truth p50", 4), rounds.Shown("truth_p99_us", "p99", 4), rounds.Shown("truth_p99.9_us", "p99.9", 4), rounds.Shown("off_recorded", "worst off", 3),
			rounds.Shown("touched", "windows touched", 2), rounds.Shown("touched_valid", "of these not invalid", 2), rounds.Shown("untouched_invalid", "others invalid", 2),
		}},
	}
}

// stopAndGo stops and continues the process until it ends.
func stopAndGo(ctx context.Context, pid int, m *measured) {
	start := time.Now()
	for i := 0; ; i++ {
		at := start.Add(time.Duration(i)*stopEvery + stopAfter)
		if !sleepUntil(ctx, at) {
			return
		}
		from := clock.Now()
		if syscall.Kill(pid, syscall.SIGSTOP) != nil {
			return
		}
		awake := sleepUntil(ctx, at.Add(stopFor))
		syscall.Kill(pid, syscall.SIGCONT)
		m.stops = append(m.stops, scripted.Gap{Start: from, Length: clock.Now() - from})
		if !awake {
			return
		}
	}
}

// sleepUntil reports false if the context ended first.
func sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// frozenFigures says which windows the tool gave up, and whether the rest is
// true. Only dyno judges its windows; what the others report is held against
// what the server did, too.
func frozenFigures(m *measured) {
	if len(m.truth.Arrival) < 10 {
		m.Says = append(m.Says, "too few requests to judge")
		return
	}
	truth := m.truth.Service()
	if len(m.Windows) > 0 {
		truth = m.judgeWindows()
	}
	slices.Sort(truth)
	m.add("truth_", latencies(truth))
	m.Figures["off_recorded"] = worstOff(m.outcome.Latency, truth)
}

// judgeWindows compares the windows that were touched by a stop with those that
// dyno calls invalid, and returns the response times of the others.
func (m *measured) judgeWindows() (untouched []int64) {
	rate := m.arm.Job.Rate
	start := scripted.FitStart(m.truth.Arrival, rate)
	touched := touchedWindows(m.stops, start)
	for _, w := range m.Windows {
		if w.Second < 0 {
			continue
		}
		invalid := strings.EqualFold(w.Validity, "invalid")
		switch {
		case touched[w.Second] && !invalid:
			m.Figures["touched_valid"]++
		case !touched[w.Second] && invalid:
			m.Figures["untouched_invalid"]++
		}
	}
	m.Figures["touched"] = float64(len(touched))
	m.Figures["touched_valid"] += 0 // shown also when none is
	m.Figures["untouched_invalid"] += 0
	late := scripted.Lateness(m.truth.Arrival, rate, start)
	for k, responded := range m.truth.Response {
		if responded != 0 && !touched[int((responded-start)/1e9)] {
			untouched = append(untouched, late[k]+responded-m.truth.Arrival[k])
		}
	}
	return untouched
}

// touchedWindows are the seconds since start in which the generator was stopped.
func touchedWindows(stops []scripted.Gap, start int64) map[int]bool {
	touched := make(map[int]bool)
	for _, s := range stops {
		for second := (s.Start - start) / 1e9; second <= (s.Start+s.Length-start)/1e9; second++ {
			touched[int(second)] = true
		}
	}
	return touched
}

//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/stats"
)

// Numbers of connections whose memory is compared.
const (
	fewConnections  = 10
	manyConnections = 10_000
)

// idleRate is low enough for connections to be idle nearly always.
const idleRate = 100

func memoryCampaign() campaign {
	return campaign{
		Name: "memory", Seconds: 10,
		Question: "What memory does a connection take that is hardly used? 10,000 connections against 10, at 100 requests/s.",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			var arms []arm
			for _, n := range []int{fewConnections, manyConnections} {
				j := job{Seconds: r.Settings.Seconds, Connections: n, Rate: idleRate}
				tools := append(l.dynos(), wrk2(), zrk(), oha())
				for _, a := range armsOf(tools, fmt.Sprintf("%d connections", n), j, serverSpec{Kind: "null"}) {
					a.During = sampleMemory(100 * time.Millisecond)
					a.Figures = residentFigure
					arms = append(arms, a)
				}
			}
			return arms, nil
		},
		Show: rounds.Summary{Derive: perConnection, Columns: []rounds.Column{
			rounds.Shown("rss_kb", "highest resident KB", 5), rounds.Shown("kb_per_connection", "KB/connection", 3), rounds.Shown("open_files", "open files", 5), rounds.Shown("errors", "errors", 3),
		}},
	}
}

// soakSeconds is how long memory must stay flat.
const soakSeconds = 600

func soakCampaign() campaign {
	return campaign{
		Name: "soak", Seconds: soakSeconds,
		Question: "Does memory stay flat over ten minutes at 20,000 requests/s?",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			j := l.closedJob(r)
			j.Rate = timersRate
			arms := armsOf(l.dynos(), "", j, serverSpec{Kind: "null"})
			for i := range arms {
				arms[i].Rounds = 1
				arms[i].During = sampleMemory(time.Second)
				arms[i].Figures = residentFigure
			}
			return arms, nil
		},
		Show: rounds.Summary{
			Columns: []rounds.Column{rounds.Shown("rss_kb", "highest resident KB", 5), rounds.Shown("cpu_us_per_request", "CPU µs/request", 3), rounds.Shown("errors", "errors", 3)},
			More:    showSlope,
		},
	}
}

// sampleMemory notes the resident memory in KB while the process runs.
func sampleMemory(every time.Duration) func(context.Context, int, *measured) {
	return func(ctx context.Context, pid int, m *measured) {
		var series []float64
		for at := time.Now().Add(every); sleepUntil(ctx, at); at = at.Add(every) {
			kb, ok := rounds.Resident(pid)
			if !ok {
				continue
			}
			series = append(series, kb)
			if len(series)%samplesPerCount == 0 {
				m.Figures["open_files"] = max(m.Figures["open_files"], openFiles(pid))
			}
		}
		m.Series = map[string][]float64{"rss_kb": series}
	}
}

// samplesPerCount is how many samples of memory there are to a count of open
// files, which costs more.
const samplesPerCount = 10

// openFiles is the proof that the connections were there.
func openFiles(pid int) float64 {
	files, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
	if err != nil {
		return 0 // it has just ended
	}
	return float64(len(files))
}

// residentFigure is the highest that was seen: some tools come up and go down
// slowly.
func residentFigure(m *measured) {
	if series := m.Series["rss_kb"]; len(series) > 0 {
		m.Figures["rss_kb"] = slices.Max(series)
	}
}

// perConnection sets, next to many connections, what each of them takes more than
// each of the few. It counts those that were open: some tools open them only
// when they need them.
func perConnection(r *rounds.Record) {
	few := make(map[string]*rounds.Trial)
	for i := range r.Trials {
		if t := &r.Trials[i]; t.Level == fmt.Sprintf("%d connections", fewConnections) && t.Failed == "" {
			few[fmt.Sprint(t.Tool, t.Round)] = t
		}
	}
	for i := range r.Trials {
		t := &r.Trials[i]
		base, ok := few[fmt.Sprint(t.Tool, t.Round)]
		if !ok || t.Level != fmt.Sprintf("%d connections", manyConnections) || t.Failed != "" {
			continue
		}
		if more := t.Figures["open_files"] - base.Figures["open_files"]; more > 0 {
			t.Figures["kb_per_connection"] = (t.Figures["rss_kb"] - base.Figures["rss_kb"]) / more
		}
	}
}

// showSlope says how memory grew, by the differences from minute to minute.
func showSlope(w io.Writer, v *rounds.Values) {
	for i := range v.Record.Trials {
		t := &v.Record.Trials[i]
		growth := slope(t.Series["rss_kb"], 60)
		if growth.N == 0 {
			fmt.Fprintf(w, "\n%s: too short for a slope, which needs whole minutes after the first\n", t.Tool)
			continue
		}
		fmt.Fprintf(w, "\n%s: grows by **%.1f KB a minute** (%.1f to %.1f, %d differences of minutes", t.Tool, growth.Estimate, growth.Low, growth.High, growth.N)
		if !growth.Note.IsZero() {
			fmt.Fprintf(w, "; %s", growth.Note)
		}
		fmt.Fprintln(w, ")")
	}
}

// slope is the growth from one block of samples to the next, by their medians.
// The first block, in which a program settles, is left out.
func slope(series []float64, block int) stats.Interval {
	var medians, growth []float64
	for b := range slices.Chunk(series, block) {
		if len(b) == block {
			medians = append(medians, stats.Median(b, rounds.Confidence).Estimate)
		}
	}
	for i := 2; i < len(medians); i++ {
		growth = append(growth, medians[i]-medians[i-1])
	}
	m := stats.Median(growth, rounds.Confidence)
	if math.IsNaN(m.Estimate) {
		m.N = 0
	}
	return m
}

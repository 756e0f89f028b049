//go:build linux

package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Patterns of what tools print for people.
var (
	wrkRequests = regexp.MustCompile(`(\d+) requests in`)
	wrkErrors   = regexp.MustCompile(`(?:connect|read|write|timeout|Non-2xx or 3xx responses:?) (\d+)`)
	wrkLatency  = regexp.MustCompile(`(?m)^\s*([\d.]+)%\s+([\d.]+(?:us|ms|s|m|h))\s*$`)
	abRequests  = regexp.MustCompile(`Complete requests:\s+(\d+)`)
	abErrors    = regexp.MustCompile(`Failed requests:\s+(\d+)`)
	abLatency   = regexp.MustCompile(`(?m)^\s+(\d+)%\s+(\d+)`)
	heyRequests = regexp.MustCompile(`\[2\d\d\]\s+(\d+) responses`)
	heyErrors   = regexp.MustCompile(`(?m)^\s+\[(\d+)\]\s+(?:Get|Post|dial|context)`)
	heyLatency  = regexp.MustCompile(`(\d+)%+ in ([\d.]+) secs`)
	h2Requests  = regexp.MustCompile(`(\d+) done`)
	h2Errors    = regexp.MustCompile(`(\d+) (?:failed|timeout)`)
	vegetaRow   = regexp.MustCompile(`(?m)^([\d.]+)\s+([\d.]+)\s+(\d+)\s+[\d.]+\s*$`)
)

// parseWrk reads what wrk and wrk2 print with --latency.
func parseWrk(text string) (outcome, error) {
	o, err := counted(text, wrkRequests, wrkErrors)
	for _, m := range wrkLatency.FindAllStringSubmatch(text, -1) {
		if took, err := time.ParseDuration(strings.Replace(m[2], "us", "µs", 1)); err == nil {
			o.Latency[percentileName(m[1])] = micros(took)
		}
	}
	return o, err
}

// parseAB reads ab's report. Its percentiles are whole milliseconds.
func parseAB(text string) (outcome, error) {
	o, err := counted(text, abRequests, abErrors)
	for _, m := range abLatency.FindAllStringSubmatch(text, -1) {
		o.Latency[percentileName(m[1])] = number(m[2]) * 1e3
	}
	return o, err
}

// parseH2load reads h2load's report, which has no percentiles. What it calls errored is
// among the failed.
func parseH2load(text string) (outcome, error) { return counted(text, h2Requests, h2Errors) }

func parseHey(text string) (outcome, error) {
	o, err := counted(text, heyRequests, heyErrors)
	for _, m := range heyLatency.FindAllStringSubmatch(text, -1) {
		o.Latency[percentileName(m[1])] = number(m[2]) * 1e6
	}
	return o, err
}

// parseVegeta reads vegeta's "hdrplot" report: a table of percentiles.
func parseVegeta(text string) (outcome, error) {
	o := outcome{Latency: make(map[string]float64)}
	rows := vegetaRow.FindAllStringSubmatch(text, -1)
	if len(rows) == 0 {
		return o, fmt.Errorf("no rows of percentiles")
	}
	for _, q := range quantiles {
		for _, row := range rows {
			if number(row[2])*100 >= q.at-1e-9 {
				o.Latency[q.name] = number(row[1]) * 1e3
				break
			}
		}
	}
	last := rows[len(rows)-1]
	o.Requests, o.Latency["max"] = number(last[3]), number(last[1])*1e3
	return o, nil
}

// counted finds the number of requests, which must be there, and sums the
// errors, if any are reported.
func counted(text string, requests, errors *regexp.Regexp) (outcome, error) {
	o := outcome{Latency: make(map[string]float64)}
	m := requests.FindStringSubmatch(text)
	if m == nil {
		return o, fmt.Errorf("no number of requests")
	}
	o.Requests = number(m[1])
	for _, m := range errors.FindAllStringSubmatch(text, -1) {
		o.Errors += number(m[1])
	}
	return o, nil
}

// percentileName writes "50.000" and "50" as "p50", "100" as "max".
func percentileName(percent string) string {
	p := number(percent)
	if p == 100 {
		return "max"
	}
	return "p" + strconv.FormatFloat(p, 'f', -1, 64)
}

func number(s string) float64 {
	n, _ := strconv.ParseFloat(s, 64) // the patterns let only numbers through
	return n
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"dyno/bench/rounds"
	"dyno/lab/stats"
)

// The claim that campaign tools decides, and where its result goes.
const (
	toolsClaim     = "wrk drives the most, then hey, then ab"
	defaultPublish = "docs/results/fiber-tools"
)

// Servers of the rounds.
const (
	plainLevel = "1. net/http"
	stallLevel = "2. net/http, frozen 1 s in 5"
	nullLevel  = "3. null server"
)

// toolsCampaign drives three servers with every tool at its ease: closed loops,
// as these tools are used for such comparisons.
func toolsCampaign() campaign {
	return campaign{
		Name: "tools", Seconds: 10,
		Question: "Do wrk, hey and ab agree on one server, and which of them is the bottleneck? (fiber-tools)",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			var arms []arm
			add := func(level string, server serverSpec, more ...tool) {
				tools := append(l.dynos(), wrk(), ab("ab -k", "-k"), hey(), oha(), vegeta(), k6(), bombardier(), fortio())
				arms = append(arms, armsOf(append(tools, more...), level, l.closedJob(r), server)...)
			}
			add(plainLevel, serverSpec{Kind: "nethttp"}, ab("ab"))
			add(stallLevel, serverSpec{Kind: "nethttp", Script: "delay=0s,freeze=1s,every=5s"}, ab("ab"))
			add(nullLevel, serverSpec{Kind: "null"}) // always keeps connections: ab must ask for it
			return arms, nil
		},
		Show: rounds.Summary{
			Columns: []rounds.Column{
				rounds.Shown("requests_per_s", "requests/s", 4), rounds.Shown("cpu_us_per_request", "CPU µs/request", 3), rounds.Shown("server_cpus", "server's CPU", 2),
				rounds.Shown("p50_us", "p50 µs", 3), rounds.Shown("p99_us", "p99 µs", 3), rounds.Shown("p99.9_us", "p99.9 µs", 3), rounds.Shown("errors", "errors", 3),
			},
			More: showVerdict,
		},
	}
}

// order is one part of the claim: the first tool drives more than the second.
type order struct{ more, less, level string }

// showVerdict decides the claim part by part.
func showVerdict(w io.Writer, v *rounds.Values) {
	fmt.Fprintf(w, "\n### Verdict on \"%s\"\n\n", toolsClaim)
	fmt.Fprintln(w, "Paired ratios of requests per second. On net/http, as most users call them (ab without -k) and with kept connections for all:")
	parts := []order{
		{"wrk", "hey", plainLevel}, {"hey", "ab", plainLevel}, {"hey", "ab -k", plainLevel},
		{"wrk", "hey", stallLevel}, {"hey", "ab", stallLevel}, {"hey", "ab -k", stallLevel},
		{"wrk", "hey", nullLevel}, {"hey", "ab -k", nullLevel},
	}
	verdicts := make(map[order]string)
	for _, p := range parts {
		ratio := stats.Ratio(v.Of(p.more, p.level, "requests_per_s"), v.Of(p.less, p.level, "requests_per_s"), rounds.Confidence)
		verdicts[p] = holds(ratio)
		fmt.Fprintf(w, "\n- %s: %s / %s = %.2f (%.2f–%.2f, %d pairs): %s", p.level, p.more, p.less, ratio.Estimate, ratio.Low, ratio.High, ratio.N, verdicts[p])
	}
	fmt.Fprintf(w, "\n\n**fiber-tools: %s.**", together(verdicts[parts[0]], verdicts[parts[1]], verdicts[parts[2]]))
	fmt.Fprintln(w, " Which tool is the bottleneck is in the column of the server's CPU: well below 1, the server waited for the tool.")
}

// Verdicts on a claim of order.
const (
	confirmed = "confirmed"
	refuted   = "refuted"
	undecided = "undecided"
)

// holds decides whether the first drives more than the second.
func holds(ratio stats.Interval) string {
	switch {
	case ratio.N < 2 || ratio.Low <= 1 && ratio.High >= 1:
		return undecided
	case ratio.Low > 1:
		return confirmed
	}
	return refuted
}

// together is the verdict on the whole order, from those on net/http: wrk before
// hey, hey before ab as it comes, hey before ab -k.
func together(wrkHey, heyAB, heyKept string) string {
	switch {
	case wrkHey == refuted || heyAB == refuted:
		return refuted
	case wrkHey == confirmed && heyAB == confirmed && heyKept == confirmed:
		return confirmed
	case wrkHey == confirmed && heyAB == confirmed && heyKept == refuted:
		return "confirmed for ab as it comes, refuted when ab keeps its connections as the others do"
	}
	return undecided
}

// publish writes the record and its summary where the docs point to.
func publish(dir string, c *campaign, r *rounds.Record, disturbed bool) error {
	var report bytes.Buffer
	fmt.Fprintln(&report, "<!-- written by go run ./bench/generators -what tools; do not edit -->")
	c.summary().Show(&report, r, disturbed)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := os.ReadFile(r.Path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "data.json"), data, 0o644); err != nil {
		return err
	}
	fmt.Println("\npublished in", dir)
	return os.WriteFile(filepath.Join(dir, "report.md"), report.Bytes(), 0o644)
}

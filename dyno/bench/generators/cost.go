//go:build linux

package main

import (
	"context"
	"strings"

	"dyno.example/dyno/bench/rounds"
)

// costColumns are what campaigns about the price of a request show.
var costColumns = []rounds.Column{
	rounds.Shown("cpu_us_per_request", "CPU µs/request", 3), rounds.Shown("requests_per_s", "requests/s", 4),
	rounds.Shown("server_cpus", "server's CPU", 2), rounds.Shown("errors", "errors", 3),
}

// dynos are the dyno under test, once for each engine asked for.
func (l *lab) dynos(flags ...string) []tool {
	if l.options.engine == "" {
		return []tool{l.dynoTool("dyno", flags...)}
	}
	var all []tool
	for engine := range strings.SplitSeq(l.options.engine, ",") {
		all = append(all, l.dynoTool("dyno "+engine, append([]string{"--engine", engine}, flags...)...))
	}
	return all
}

// armsOf gives each tool the same job on the same kind of server.
func armsOf(tools []tool, level string, j job, server serverSpec) []arm {
	var arms []arm
	for _, t := range tools {
		arms = append(arms, arm{Tool: t, Level: level, Job: j, Server: server})
	}
	return arms
}

// closedJob is the load that most campaigns about cost have.
func (l *lab) closedJob(r *rounds.Record) job {
	return job{Seconds: r.Settings.Seconds, Connections: r.Settings.Connections}
}

func cpuCampaign() campaign {
	return campaign{
		Name: "cpu", Seconds: 4,
		Question: "What CPU time does a request take in a closed loop over HTTP/1.1, against a null server?",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			tools := append(l.dynos(), wrk(), ab("ab -k", "-k"), oha(), hey(), bombardier(), fortio())
			return armsOf(tools, "", l.closedJob(r), serverSpec{Kind: "null"}), nil
		},
		Show: rounds.Summary{Columns: costColumns, Comparisons: []rounds.Comparison{{Figure: "cpu_us_per_request", Against: []string{"wrk"}}}},
	}
}

func tlsCampaign() campaign {
	return campaign{
		Name: "tls", Seconds: 4,
		Question: "What CPU time does a request take in a closed loop over TLS 1.3?",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			tools := append(l.dynos(), wrk(), ab("ab -k", "-k"), oha(), bombardier())
			return armsOf(tools, "", l.closedJob(r), serverSpec{Kind: "tls"}), nil
		},
		Show: rounds.Summary{Columns: costColumns, Comparisons: []rounds.Comparison{{Figure: "cpu_us_per_request", Against: []string{"wrk"}, Wanted: 0.9}}},
	}
}

// connectCampaign has a server that says "Connection: close" and closes, so that
// all tools do the same: a connection, a request, a response, the end.
func connectCampaign() campaign {
	return campaign{
		Name: "connect", Seconds: 4,
		Question: "What CPU time does a request take with a new connection for each?",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			j := l.closedJob(r)
			j.Fresh = true
			tools := append(l.dynos(), wrk(), ab("ab"), oha(), hey(), bombardier())
			if !l.dynoHas("--reuse") {
				r.Note("dyno: has no --reuse")
				tools = tools[1:]
			}
			return armsOf(tools, "", j, serverSpec{Kind: "scripted", Close: true}), nil
		},
		Show: rounds.Summary{Columns: costColumns, Comparisons: []rounds.Comparison{{Figure: "cpu_us_per_request", Against: []string{"wrk", "ab", "oha"}, Wanted: 0.9}}},
	}
}

// timersRate is the rate at which generators that sleep are compared.
const timersRate = 20_000

// timersCampaign needs enough connections for the rate, and a server that
// sleeps too.
func timersCampaign() campaign {
	return campaign{
		Name: "timers", Seconds: 6,
		Question: "At 20,000 requests/s, sleeping between them: what CPU time does a request take, and what is p50?",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			j := l.closedJob(r)
			j.Rate = timersRate
			return armsOf(append(l.paced(r, "timer"), wrk2(), zrk()), "20,000/s", j, serverSpec{Kind: "null"}), nil
		},
		Show: rounds.Summary{
			Columns: append([]rounds.Column{rounds.Shown("p50_us", "p50 µs", 3), rounds.Shown("p99_us", "p99 µs", 3)}, costColumns...),
			Comparisons: []rounds.Comparison{
				{Figure: "cpu_us_per_request", Against: []string{"wrk2"}}, {Figure: "p50_us", Against: []string{"wrk2"}},
				{Figure: "cpu_us_per_request", Against: []string{"zrk"}}, {Figure: "p50_us", Against: []string{"zrk"}},
			},
		},
	}
}

// paced are dynos with each way of pacing; only what dyno does by itself, if it
// gives no choice.
func (l *lab) paced(r *rounds.Record, ways ...string) []tool {
	if !l.dynoHas("--pacing") {
		r.Note("dyno: has no --pacing, so only what it does by itself is measured")
		return []tool{l.dynoTool("dyno")}
	}
	var all []tool
	for _, way := range ways {
		all = append(all, l.dynoTool("dyno "+way, "--pacing", way))
	}
	return all
}

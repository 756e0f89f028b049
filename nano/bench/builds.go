//go:build linux

package main

import "dyno.example/dyno/bench/rounds"

const buildsName = "builds"

// othersOf are what another build of this program serves, by flags.
var othersOf = map[string][]string{
	"nano/other": {"-kind", "nano"},
	"tls/other":  {"-kind", "nano", "-tls"},
}

// buildsCampaign holds nano to what it cost in another build: before a change that
// must cost nothing.
func buildsCampaign() campaign {
	c := campaign{
		Name: buildsName, Seconds: 2, Around: aroundClosed, Aside: true,
		Question: "Does a request cost nano's server the CPU time that it did in another build?",
		Show: rounds.Summary{Columns: costColumns(), Comparisons: []rounds.Comparison{
			{Figure: cpuFigure, Of: "nano/own", Against: []string{"nano/other"}, Wanted: 1.0},
			{Figure: cpuFigure, Of: "nano/tls", Against: []string{"tls/other"}, Wanted: 1.0},
		}},
	}
	for _, server := range []string{"nano/own", "nano/other"} {
		c.Arms = append(c.Arms,
			arm{Server: server, Level: "plaintext", Measure: closed("/plaintext", connections, 1)},
			arm{Server: server, Level: "1,000 connections", Measure: closed("/plaintext", 1000, 1)},
			arm{Server: server, Level: "HTTP/2, 1 stream", Measure: streamedLoads[0].measure},
			arm{Server: server, Level: "HTTP/2, 10 streams", Measure: streamedLoads[1].measure},
			arm{Server: server, Level: "HTTP/2, 100 streams", Measure: streamedLoads[2].measure})
	}
	for _, server := range []string{"nano/tls", "tls/other"} {
		c.Arms = append(c.Arms,
			arm{Server: server, Level: "TLS", Measure: closed("/plaintext", connections, 1)},
			arm{Server: server, Level: "HTTP/2, 10 streams, TLS", Measure: streamedLoads[1].measure})
	}
	return c
}

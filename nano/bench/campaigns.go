//go:build linux

package main

import (
	"context"
	"fmt"
	"io"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/stats"
)

// campaigns in the order in which "all" runs them.
func campaigns() []campaign {
	return append([]campaign{
		plaintextCampaign("plaintext", connections, everyPeer()),
		plaintextCampaign("plaintext1000", 1000, fastestPeers()),
		routesCampaign(), pipelinedCampaign(), tailCampaign(), blockingCampaign(), memoryCampaign(),
		secureCampaign(), waysCampaign(), slowReadersCampaign(), http2Campaign(), grpcCampaign(), memoryHTTP2Campaign(),
	}, everydayCampaigns()...)
}

// rustPeers are the frameworks from crates that nano is held to.
func rustPeers() []string { return []string{"may_minihttp", "ntex", "actix-web", "axum"} }

func fastestPeers() []string {
	return []string{epollName, "gnet", "fasthttp", "net/http", "may_minihttp", "actix-web"}
}

func everyPeer() []string {
	return append(fastestPeers(), "ntex", "axum", "fiber", "hertz", mountedName)
}

// armsOf gives nano and others the same load.
func armsOf(peers []string, level string, measure func(context.Context, *trial) error) []arm {
	var arms []arm
	for _, name := range append([]string{nanoName}, peers...) {
		arms = append(arms, arm{Server: name, Level: level, Measure: measure})
	}
	return arms
}

const cpuFigure = rounds.CPUFigure

// costColumns are what campaigns about the price of a request show.
func costColumns() []rounds.Column {
	return []rounds.Column{
		rounds.Shown(cpuFigure, "CPU µs/request", 3), rounds.Shown("requests_per_s", "requests/s", 4),
		rounds.Shown("server_cpus", "server's CPU", 2), rounds.Shown("p99_us", "p99 µs", 3), rounds.Shown("errors", "errors", 3),
	}
}

// plaintextCampaign holds nano to what a fixed response costs elsewhere.
func plaintextCampaign(name string, connections int, peers []string) campaign {
	wanted := func(w float64, against ...string) rounds.Comparison {
		return rounds.Comparison{Figure: cpuFigure, Of: nanoName, Against: against, Wanted: w}
	}
	return campaign{
		Name: name, Seconds: 2, Around: aroundClosed,
		Question: fmt.Sprintf("What CPU time does a GET of 13 bytes take the server in a closed loop of %d connections?", connections),
		Arms:     armsOf(peers, "", closed("/plaintext", connections, 1)),
		Show: rounds.Summary{Columns: costColumns(), Comparisons: []rounds.Comparison{
			wanted(1.10, epollName), wanted(0.80, "fasthttp"), wanted(1.0, "gnet"), wanted(0.45, "net/http"), wanted(1.0, rustPeers()...),
		}},
	}
}

// routesCampaign asks what routing and JSON add to a server's own plaintext.
func routesCampaign() campaign {
	c := campaign{
		Name: "routes", Seconds: 2, Around: aroundClosed,
		Question: "What do a parameter in the path and an encoded object add to a server's own plaintext?",
		Show:     rounds.Summary{Columns: costColumns(), More: showRoutes},
	}
	for _, level := range []string{plainLevel, "/json", "/users/42/profile"} {
		c.Arms = append(c.Arms, armsOf([]string{mountedName}, level, closed(level, connections, 1))...)
	}
	return c
}

// plainLevel is the level that other routes are compared with.
const plainLevel = "/plaintext"

func showRoutes(w io.Writer, v *rounds.Values) {
	for _, tool := range v.Tools() {
		wanted := 0.0
		if tool == nanoName {
			wanted = 1.15
		}
		for _, level := range v.Levels() {
			if level == plainLevel {
				continue
			}
			ratio := stats.Ratio(v.Of(tool, level, cpuFigure), v.Of(tool, plainLevel, cpuFigure), rounds.Confidence)
			rounds.ShowRatio(w, tool, level+" / "+plainLevel, ratio, wanted)
		}
	}
}

// pipelineDepth is how many requests are sent at once.
const pipelineDepth = 16

// pipelinedCampaign leaves the C server out, which doesn't see where requests end.
func pipelinedCampaign() campaign {
	return campaign{
		Name: "pipelined", Seconds: 2, Around: aroundClosed,
		Question: fmt.Sprintf("What CPU time does a GET of 13 bytes take when %d are sent at once on each of %d connections?", pipelineDepth, connections),
		Arms:     armsOf([]string{"fasthttp", "gnet", "may_minihttp"}, "", closed("/plaintext", connections, pipelineDepth)),
		Show: rounds.Summary{Columns: costColumns(), Comparisons: []rounds.Comparison{
			{Figure: cpuFigure, Of: nanoName, Against: []string{"fasthttp"}, Wanted: 0.5},
			{Figure: cpuFigure, Of: nanoName, Against: []string{"gnet", "may_minihttp"}},
		}},
	}
}

// secureCampaign compares nano with net/http over TLS.
func secureCampaign() campaign {
	measure := closed("/plaintext", connections, 1)
	return campaign{
		Name: "tls", Seconds: 2, Around: aroundClosed,
		Question: "What CPU time does a GET of 13 bytes take over TLS 1.3, HTTP/1.1?",
		Arms:     []arm{{Server: "nano/tls", Measure: measure}, {Server: "nethttp/tls", Measure: measure}},
		Show: rounds.Summary{Columns: costColumns(), Comparisons: []rounds.Comparison{
			{Figure: cpuFigure, Of: "nano/tls", Against: []string{"nethttp/tls"}, Wanted: 1.0},
		}},
	}
}

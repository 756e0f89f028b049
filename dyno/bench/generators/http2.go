//go:build linux

package main

import (
	"context"
	"fmt"

	"dyno.example/dyno/bench/rounds"
)

// h2Streams are how many requests each connection has under way.
var h2Streams = []int{1, 10, 100}

// h2Campaign has servers that read frames' headers and nothing else, so that it is
// the generators that are the bottleneck.
func h2Campaign() campaign {
	return campaign{
		Name: "h2", Seconds: 4,
		Question: "What CPU time does a request take in a closed loop over HTTP/2, with 1, 10 and 100 streams a connection, in cleartext and over TLS 1.3?",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			tools := append(l.dynos(), h2load())
			if !l.dynoHas("--http2") {
				r.Note("dyno: has no --http2")
				tools = tools[len(tools)-1:]
			}
			var arms []arm
			for _, server := range []struct{ kind, says string }{{"null", "cleartext"}, {"tls-h2", "TLS"}} {
				for _, streams := range h2Streams {
					j := l.closedJob(r)
					j.Streams = streams
					arms = append(arms, armsOf(tools, fmt.Sprintf("%s, %d streams", server.says, streams), j, serverSpec{Kind: server.kind})...)
				}
			}
			return arms, nil
		},
		Show: rounds.Summary{Columns: costColumns, Comparisons: []rounds.Comparison{{Figure: "cpu_us_per_request", Against: []string{"h2load"}, Wanted: 1}}},
	}
}

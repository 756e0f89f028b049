package runner

import (
	"context"
	"crypto/tls"

	"dyno.example/dyno/load"
	"dyno.example/dyno/probe"
)

// requestCounter compares a load with the number of requests that the subject itself
// counts, if its metrics have that.
type requestCounter struct {
	url    string      // of the metrics; empty: there are none
	trust  *tls.Config // as for [probe.CountRequests]
	before probe.RequestCount
	tells  bool
}

// newRequestCounter reads the count for the first time. A subject without a counter of
// a known name is not read again.
func newRequestCounter(ctx context.Context, url string, trust *tls.Config) requestCounter {
	c := requestCounter{url: url, trust: trust}
	if url != "" {
		var err error
		c.before, err = probe.CountRequests(ctx, url, trust)
		c.tells = err == nil
	}
	return c
}

// compare reads the count again and adds what it finds to the result. A counter that
// has gone back belongs to another process: nothing follows from it.
func (c *requestCounter) compare(ctx context.Context, r *load.Result) {
	if !c.tells {
		return
	}
	after, err := probe.CountRequests(ctx, c.url, c.trust)
	if err == nil && after.Series == c.before.Series && after.Total >= c.before.Total {
		r.CompareCounts(after.Series, after.Total-c.before.Total)
	}
}

package runner

import (
	"context"

	"dyno/lab/load"
	"dyno/lab/probe"
)

// requestCounter holds a load to how many requests the subject itself counts,
// where its metrics tell.
type requestCounter struct {
	url    string // of the metrics; empty: there are none
	before probe.RequestCount
	tells  bool
}

// newRequestCounter asks for the first time. A subject that does not count under
// a name that is known is not asked again.
func newRequestCounter(ctx context.Context, url string) requestCounter {
	c := requestCounter{url: url}
	if url != "" {
		var err error
		c.before, err = probe.CountRequests(ctx, url)
		c.tells = err == nil
	}
	return c
}

// compare asks again and adds what it finds to the result. A counter that has
// gone back belongs to another process: nothing follows from it.
func (c *requestCounter) compare(ctx context.Context, r *load.Result) {
	if !c.tells {
		return
	}
	after, err := probe.CountRequests(ctx, c.url)
	if err == nil && after.Series == c.before.Series && after.Total >= c.before.Total {
		r.CompareCounts(after.Series, after.Total-c.before.Total)
	}
}

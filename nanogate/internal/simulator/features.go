//go:build linux

package simulator

import "fmt"

// features draws what a route does besides.
func (d *drawing) features(r *Route) {
	add := func(format string, args ...any) { r.Lines = append(r.Lines, &Line{Text: fmt.Sprintf(format, args...)}) }
	if r.Kind == "cache" {
		add("cache: {shared: true}")
	}
	r.retry = 2 // which is what routes have that don't say
	switch d.Below(4) {
	case 0:
		r.retry = 1
		add("retry: {attempts: 1}")
	case 1:
		r.retry = 3
		add("retry: {attempts: 3, on: [connect, reset, 500], budget: 100%%}")
	}
	if d.OneIn(3) {
		add("hedge: {after: %dms, budget: 100%%}", d.pick(1, 15, 60))
	}
	if d.OneIn(2) {
		add("host: upstream")
	}
}

// limits reports whether requests may be refused.
func (r *Route) limits() bool { return r.has("concurrency", "limit", "shed", "breaker") }

package service

import (
	"context"
	"net/http"
	"strings"
	"time"

	"dyno.example/dyno/probe"
)

// metricsPage is a metrics endpoint in Prometheus' format, of which some series are kept.
type metricsPage struct {
	url    string
	series []string
	client *http.Client
}

func newMetricsPage(url string, series []string) *metricsPage {
	return &metricsPage{url, series, &http.Client{Transport: &http.Transport{DisableCompression: true, MaxConnsPerHost: 1}}}
}

// read reads the series. Those whose names end like counters are counters.
func (p *metricsPage) read(limit time.Duration) (probe.Reading, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	sums, err := probe.ReadSeries(ctx, p.client, p.url, p.series)
	if err != nil {
		return probe.Reading{}, err
	}
	r := probe.Reading{Counters: make(map[string]float64), Gauges: make(map[string]float64)}
	for name, sum := range sums {
		if counts(name) {
			r.Counters[name] = sum
		} else {
			r.Gauges[name] = sum
		}
	}
	return r, nil
}

// counts reports whether a series is a counter, by the conventions of names
// (https://prometheus.io/docs/practices/naming).
func counts(name string) bool {
	for _, end := range []string{"_total", "_count", "_sum", "_bucket"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

func (p *metricsPage) close() {
	if p != nil {
		p.client.CloseIdleConnections()
	}
}

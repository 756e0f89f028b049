package config

import "time"

// Metrics is where the figures of /metrics are pushed to.
type Metrics struct {
	At      At
	OTLP    string        // URL of a collector, OTLP over HTTP
	Every   time.Duration // from one push to the next
	Service string        // the name that the figures are of
	Headers string        // file of fields that the collector is sent, "name: value" a line; "": none
}

func readMetrics(p place) *Metrics {
	m := &Metrics{At: p.At(), Every: 15 * time.Second, Service: "nanogate"}
	found := readFields(p, m, []known[Metrics]{
		{"otlp", func(m *Metrics, p place) { m.OTLP = p.collector() }},
		{"every", func(m *Metrics, p place) { m.Every = p.Duration(100*time.Millisecond, time.Hour) }},
		{"service", func(m *Metrics, p place) { m.Service = p.text() }},
		{"headers", func(m *Metrics, p place) { m.Headers = p.path() }},
	})
	if _, ok := found["otlp"]; !ok && p.IsMapping() {
		p.Problem("such as metrics: {otlp: http://127.0.0.1:4318}", "metrics that are pushed need a collector")
	}
	return m
}

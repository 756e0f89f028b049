package config

import "time"

// Metrics is where the figures of /metrics are pushed to.
type Metrics struct {
	At      At
	OTLP    string // URL of a collector, OTLP over HTTP
	OTLPAt  At
	Every   time.Duration // from one push to the next
	Service string        // the name that the figures are of
	Headers string        // file of fields that the collector is sent, "name: value" a line; "": none
}

func readMetrics(p place) *Metrics {
	m := &Metrics{At: p.At(), Every: 15 * time.Second, Service: "nanogate"}
	found := readFields(p, m, []known[Metrics]{
		// URL of a collector, OTLP over HTTP. Default: required
		{"otlp", func(m *Metrics, p place) { m.OTLP, m.OTLPAt = p.collector(), p.At() }},
		// From one push to the next.
		{"every", func(m *Metrics, p place) { m.Every = p.Duration(100*time.Millisecond, time.Hour) }},
		// The service's name in what is pushed.
		{"service", func(m *Metrics, p place) { m.Service = p.text() }},
		// File of header fields that the collector is sent, `name: value` a line. Default: none
		{"headers", func(m *Metrics, p place) { m.Headers = p.path() }},
	})
	if _, ok := found["otlp"]; !ok && p.IsMapping() {
		p.Problem("such as metrics: {otlp: http://127.0.0.1:4318}", "metrics that are pushed need a collector")
	}
	return m
}

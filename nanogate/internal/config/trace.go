package config

import (
	"net/url"
	"slices"
)

// Trace is how requests are traced.
type Trace struct {
	At      At
	OTLP    string // URL of a collector, OTLP over HTTP; "": traces are only passed on
	OTLPAt  At
	Sample  float64 // share of requests that begin a trace here and are recorded
	Follow  bool    // whether a trace that a client is in goes on, and is recorded if it is there
	Service string  // the name that spans have
	Headers string  // file of fields that the collector is sent, "name: value" a line; "": none
	Queue   int     // requests that may wait to be exported
}

func readTrace(p place) *Trace {
	t := &Trace{At: p.At(), Sample: 0.01, Follow: true, Service: "nanogate", Queue: 2048}
	readFields(p, t, []known[Trace]{
		// URL of a collector, OTLP over HTTP. Default: traces are only passed on
		{"otlp", func(t *Trace, p place) { t.OTLP, t.OTLPAt = p.collector(), p.At() }},
		// The share of requests that begin a trace here and are recorded.
		{"sample", func(t *Trace, p place) { t.Sample = p.share() }},
		// Whether a trace that a client is in is continued, and recorded if the client records it.
		// Default: `follow`
		{"parent", func(t *Trace, p place) { t.Follow = p.word("follow", "restart") != "restart" }},
		// The name that spans have.
		{"service", func(t *Trace, p place) { t.Service = p.text() }},
		// File of header fields that the collector is sent, `name: value` a line. Default: none
		{"headers", func(t *Trace, p place) { t.Headers = p.path() }},
		// Requests that may wait to be exported.
		{"queue", func(t *Trace, p place) { t.Queue = p.Integer(16, 1_000_000) }},
	})
	return t
}

// collector reads the URL of an OpenTelemetry collector.
func (p place) collector() string {
	text := p.text()
	if u, err := url.Parse(text); text != "" && (err != nil || !slices.Contains([]string{"http", "https"}, u.Scheme) || u.Host == "" || u.User != nil || u.RawQuery != "") {
		p.Problem("such as http://127.0.0.1:4318", "expected the URL of a collector that takes OTLP over HTTP, got %s", form.Quote(text))
	}
	return text
}

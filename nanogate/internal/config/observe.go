package config

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// AccessLog is which requests are logged, how and where to.
type AccessLog struct {
	At     At
	To     string // a file, "stdout" or "stderr"
	Format LogFormat
	Sample float64       // share of requests that are logged; 1: all
	Errors bool          // those that failed are logged whatever the share
	Slow   time.Duration // those that took as long too; 0: not for that
	Redact []string      // parameters of queries whose values are left out, in lower case, besides the known ones
	Buffer int           // bytes for each event loop that may wait to be written
}

// LogFormat is how a line looks.
type LogFormat uint8

const (
	LogJSON LogFormat = iota
	LogCLF
	LogCombined
)

var logFormats = []string{"json", "clf", "combined"}

func readAccessLog(p place) *AccessLog {
	l := &AccessLog{At: p.At(), Sample: 1, Buffer: 1 << 20}
	if !p.IsMapping() {
		l.To = p.logFile()
		return l
	}
	slow, isSlow := time.Second, false
	found := readFields(p, l, []known[AccessLog]{
		{"to", func(l *AccessLog, p place) { l.To = p.logFile() }},
		{"format", func(l *AccessLog, p place) { l.Format = LogFormat(max(0, indexOf(logFormats, p.word(logFormats...)))) }},
		{"sample", func(l *AccessLog, p place) { l.Sample = p.share() }},
		{"always", func(l *AccessLog, p place) {
			for _, item := range p.list() {
				switch item.word("errors", "slow") {
				case "errors":
					l.Errors = true
				case "slow":
					isSlow = true
				}
			}
		}},
		{"slow", func(_ *AccessLog, p place) { slow = p.Duration(time.Millisecond, time.Hour) }},
		{"redact", func(l *AccessLog, p place) {
			for _, item := range p.list() {
				l.Redact = append(l.Redact, strings.ToLower(item.text()))
			}
		}},
		{"buffer", func(l *AccessLog, p place) { l.Buffer = int(p.size(64<<10, 1<<30)) }},
	})
	if _, ok := found["to"]; !ok {
		p.Problem("such as to: /var/log/nanogate/access.log, or to: stdout", "an access log needs a place")
	}
	if at, ok := found["slow"]; ok && !isSlow {
		at.Problem("add slow to always: [slow]", "slow says from when a request is always logged, and always doesn't name it")
	}
	if isSlow {
		l.Slow = slow
	}
	return l
}

// logFile reads stdout, stderr or a path.
func (p place) logFile() string {
	if text, ok := p.Scalar(); ok && (text == "stdout" || text == "stderr") {
		return text
	}
	return p.path()
}

// Trace is how requests are traced.
type Trace struct {
	At      At
	OTLP    string  // URL of a collector, OTLP over HTTP; "": traces are only passed on
	Sample  float64 // share of requests that begin a trace here and are recorded
	Follow  bool    // whether a trace that a client is in goes on, and is recorded if it is there
	Service string  // the name that spans have
	Headers string  // file of fields that the collector is sent, "name: value" a line; "": none
	Queue   int     // requests that may wait to be exported
}

func readTrace(p place) *Trace {
	t := &Trace{At: p.At(), Sample: 0.01, Follow: true, Service: "nanogate", Queue: 2048}
	readFields(p, t, []known[Trace]{
		{"otlp", func(t *Trace, p place) { t.OTLP = p.collector() }},
		{"sample", func(t *Trace, p place) { t.Sample = p.share() }},
		{"parent", func(t *Trace, p place) { t.Follow = p.word("follow", "restart") != "restart" }},
		{"service", func(t *Trace, p place) { t.Service = p.text() }},
		{"headers", func(t *Trace, p place) { t.Headers = p.path() }},
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

// readOff reads the one word that a route may say of what the file asks for as a whole.
func readOff(p place) bool { return p.word("off", "on") == "off" }

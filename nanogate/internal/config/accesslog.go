package config

import (
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
	Redact []string      // parameters of queries whose values are left out, in lower case, in addition to the known ones
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
		// A file, `stdout` or `stderr`. Default: required
		{"to", func(l *AccessLog, p place) { l.To = p.logFile() }},
		// JSON, or the formats of Apache and nginx. Default: `json`
		{"format", func(l *AccessLog, p place) { l.Format = LogFormat(max(0, indexOf(logFormats, p.word(logFormats...)))) }},
		// The share of requests that is logged.
		{"sample", func(l *AccessLog, p place) { l.Sample = p.share() }},
		// Requests that failed or were slow are logged whatever the share. Default: none
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
		// From when a request is slow. Default: off
		{"slow", func(_ *AccessLog, p place) { slow = p.Duration(time.Millisecond, time.Hour) }},
		// Query parameters whose values are left out, in addition to those that are known to be
		// secret.
		{"redact", func(l *AccessLog, p place) {
			for _, item := range p.list() {
				l.Redact = append(l.Redact, strings.ToLower(item.text()))
			}
		}},
		// Bytes that may wait to be written, for each event loop.
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

//go:build linux

package main

import (
	"strings"
	"testing"

	"dyno.example/dyno/bench/rounds"
)

func TestParseH2load(t *testing.T) {
	const printed = `starting benchmark...
spawning thread #0: 8 total client(s). Timing-based test with 0s of warm-up time and 2s of main duration for measurements.
Application protocol: h2c

finished in 2.00s, 250000.50 req/s, 12.00MB/s
requests: 500001 total, 500081 started, 500001 done, 500001 succeeded, 1 failed, 2 errored, 3 timeout
status codes: 499990 2xx, 4 3xx, 5 4xx, 6 5xx
traffic: 24.00MB (25165824) total, 1.00MB (1048576) headers (space savings 95.00%), 6.00MB (6291456) data
`
	o, err := parseH2load(printed)
	if want := (rounds.Outcome{Requests: 500001, Errors: 21}); err != nil || o != want {
		t.Errorf("%+v, %v", o, err)
	}
	for name, bad := range map[string]string{
		"nothing": "", "cut": printed[:strings.Index(printed, "status")],
		"other protocol": strings.Replace(printed, "h2c", "http/1.1", 1),
		"errors":         strings.Replace(printed, "1 failed", "5000 failed", 1),
	} {
		if o, err := parseH2load(bad); err == nil {
			t.Errorf("%s: accepted as %+v", name, o)
		}
	}
}

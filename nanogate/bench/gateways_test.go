//go:build linux

package main

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, wrong string
		requests    float64
		throughput  float64
	}{
		{"Running 3s test\n" + `{"requests": 1000, "errors": 1, "p99_us": 7}` + "\n", "", 1000, 0},
		{"no server", "reported nothing", 0, 0},
		{`{"requests": 0, "errors": 0}`, "no request", 0, 0},
		{`{"requests": 1000, "errors": 2}`, "2 errors", 1000, 0},
		{"{\n  \"requests\": 7, \"throughput\": 3.5, \"validity\": \"valid\", \"errors\": {\"connect\": 0}, \"latency_us\": {\"response\": {\"p50\": 1, \"p99\": 2, \"p99.9\": 3}}}", "", 7, 3.5},
		{"{\n  \"requests\": 7, \"throughput\": 3.5, \"validity\": \"invalid\", \"latency_us\": {\"response\": {\"p50\": 1, \"p99\": 2, \"p99.9\": 3}}}", "invalid", 0, 0},
		{"{\n  \"requests\": 7, \"throughput\": 3.5, \"latency_us\": {\"response\": {\"p50\": 1, \"p99\": 2, \"p99.9\": null}}}", "no p99.9", 7, 3.5},
		{"{\n  \"requests\": 7, \"errors\": {\"connect\": 1}, \"latency_us\": {\"response\": {\"p50\": 1, \"p99\": 2, \"p99.9\": 3}}}", "1 errors", 7, 0},
		{`{"requests": x`, "reading", 0, 0},
	} {
		o, err := parse(c.text)
		if o.Requests != c.requests || o.Throughput != c.throughput || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: %+v, %v", c.text, o, err)
		}
	}
}

// The file of the gateway that does all is one that nanogate takes: every campaign's path
// has a route in it, and the token passes.
func TestFull(t *testing.T) {
	l := &lab{dir: t.TempDir()}
	token, err := l.credentials()
	if err != nil || strings.Count(token, ".") != 2 {
		t.Fatalf("%q, %v", token, err)
	}
	text := fullFile(l.dir, "127.0.0.1:0", "127.0.0.1:1")
	if n := strings.Count(text, "- {match:"); n != fullRoutes || !strings.Contains(text, `path: "/r500/*"`) {
		t.Errorf("%d routes", n)
	}
	for _, c := range campaigns() {
		if c.path == "" {
			continue // it has a load of its own
		}
		if len(c.gateways) < 3 {
			t.Errorf("%s: %d gateways are compared", c.name, len(c.gateways))
		}
		if args := strings.Join(l.generator(&c, "h:1", 1), " "); !strings.Contains(args, "http://h:1"+c.path) || strings.Contains(args, "--rate") != (c.rate > 0) {
			t.Errorf("%s: %s", c.name, args)
		}
	}
}

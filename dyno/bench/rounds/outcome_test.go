//go:build linux

package rounds

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParseLine(t *testing.T) {
	const printed = "Running 1s test @ http://127.0.0.1:1/\n  60571 requests in 1.00s, 9.07MB read\n"
	for _, c := range []struct {
		name, text string
		want       Outcome
		fault      string
	}{
		{"whole", printed + `{"requests": 60512, "duration_us": 1012216, "errors": 2, "p50_us": 575, "p99_us": 26155, "p99.9_us": 35933}` + "\n",
			Outcome{Requests: 60512, Errors: 2, P50: 575, P99: 26155, P999: 35933}, ""},
		{"without latency", `{"requests": 10, "errors": 0}`, Outcome{Requests: 10}, ""},
		{"nothing", printed, Outcome{}, "reported nothing"},
		{"cut", `{"requests": 10, "err`, Outcome{}, "reading"},
		{"no response", `{"requests": 0, "errors": 0}`, Outcome{}, "no request got a response"},
		{"wrong responses", `{"requests": 100, "errors": 100}`, Outcome{}, "100 errors in 100 requests"},
	} {
		o, err := ParseLine(c.text)
		if c.fault == "" && (err != nil || o != c.want) {
			t.Errorf("%s: %+v, %v", c.name, o, err)
		}
		if c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.fault)
		}
	}
}

func TestParseDyno(t *testing.T) {
	const report = `{"requests": %d, "throughput": 3.5, "shed": %d, "unfinished": 1, "errors": {"timeout": %d}, "validity": %q,
		"windows": [{"sent": 1000}, {"sent": 2001}], "latency_us": {"response": {"p50": 70, "p99": 600, "p99.9": %s}, "service": {"p50": 60}}}`
	text := func(requests, shed, timeouts int, validity, tail string) string {
		return "warming up\n" + fmt.Sprintf(report, requests, shed, timeouts, validity, tail)
	}
	want := Outcome{Validity: "suspect", Requests: 2000, Throughput: 3.5, Sent: 3001, Unserved: 1, P50: 70, P99: 600, P999: 900.5}
	if o, err := ParseDyno(text(2000, 0, 0, "suspect", "900.5")); err != nil || o != want {
		t.Errorf("%+v, %v", o, err)
	}
	want.Errors = 1
	if o, err := ParseDynoWhole(text(2000, 0, 0, "suspect", "900.5")); err != nil || o != want {
		t.Errorf("%+v, %v", o, err)
	}
	for _, c := range []struct{ text, fault string }{
		{text(2000, 0, 0, "invalid", "1"), "invalid"},
		{text(2000, 0, 3, "valid", "1"), "3 errors"}, {text(0, 0, 0, "valid", "1"), "no request"}, {"", "nothing"}, {"{", "reading"},
	} {
		if _, err := ParseDyno(c.text); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, want %q", c.text, err, c.fault)
		}
	}
	if o, err := ParseDyno(text(2000, 0, 0, "valid", "null")); err != nil || o.P999 != 0 || o.P99 != 600 {
		t.Errorf("too few for a percentile: %+v, %v", o, err)
	}
	if _, err := ParseDyno(text(2000, 50, 0, "valid", "1")); err != nil {
		t.Errorf("what was shed is no error of this: %v", err)
	}
	if _, err := ParseDynoWhole(text(2000, 50, 0, "valid", "1")); err == nil {
		t.Error("what was shed is an error of this")
	}
}

// What a request costs is by the generator where that took it, and by all that was sent
// where the generator says more than of those that counted.
func TestFiguresOfOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		o         Outcome
		cpu, rate float64
	}{
		"wrk":   {Outcome{Requests: 1000}, 2000, 500},
		"drive": {Outcome{Requests: 1000, CPU: 5e5, Seconds: 1}, 500, 1000},
		"dyno":  {Outcome{Requests: 1000, Validity: "valid", Sent: 4000, Throughput: 900}, 500, 900},
	} {
		f := map[string]float64{}
		c.o.figures(f, 2*time.Second, 2*time.Second)
		if f[CPUFigure] != c.cpu || f["requests_per_s"] != c.rate {
			t.Errorf("%s: %v", name, f)
		}
	}
}

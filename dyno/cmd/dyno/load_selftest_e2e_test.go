package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/freeport"
)

// needsNullServer skips where there is no null server to calibrate against.
func needsNullServer(t *testing.T) {
	t.Helper()
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("calibration needs Linux")
	}
}

// TestLoadSelftest holds the report to itself. What a machine is worth on which
// tests run is nobody's to know: the exit status must agree with the result.
func TestLoadSelftest(t *testing.T) {
	needsNullServer(t)
	o := dyno(t, t.TempDir(), "load", "--selftest", "--json", "-d", "100ms", "-c", "4", "--engine", "epoll")
	var r calibrate.Report
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
		t.Fatalf("%v\n%s\n%s", err, o.stdout, o.stderr)
	}
	if want := map[bool]int{true: 0, false: 1}[r.Ability.OK]; o.code != want || r.Ability.OK != (len(r.Ability.Why) == 0) {
		t.Errorf("exit status %d with %+v; stderr: %s", o.code, r.Ability, o.stderr)
	}
	if len(r.Engines) != 1 || r.Connections != 4 || r.Threads != 1 || len(r.Timers) != 3 || r.Stall.Detail == "" || r.Freeze.Detail == "" {
		t.Errorf("got %+v", r)
	}
	// On a busy machine so few requests are done in a tenth of a second that what a load
	// allocates once, some 100 objects, counts.
	e := r.Engines[0]
	if e.Name != "epoll" || e.Error == "" && (e.Ceiling <= 0 || e.Floor.P50 <= 0 || len(e.Lags) != 3 || e.Allocations > 0.05+3000/e.Ceiling) {
		t.Errorf("engine %+v", e)
	}
}

func TestLoadSelftestText(t *testing.T) {
	needsNullServer(t)
	o := dyno(t, t.TempDir(), "load", "--selftest", "-d", "60ms", "-c", "2", "--engine", "portable")
	contains(t, o.stdout, "engine", "portable", "Go's timer", "hiccups", "stall", "freeze", "result", "this machine can")
	contains(t, o.stderr, "testing: engine portable")
}

func TestLoadSelftestUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"--selftest", "http://host/"}, "--selftest takes no URL"},
		{[]string{"--selftest", "-d", "1ms"}, "at least 50ms"},
		{[]string{"--selftest", "-c", "0"}, "connections"},
		{[]string{"--selftest", "--engine", "warp"}, "warp"},
	} {
		o := dyno(t, t.TempDir(), append([]string{"load"}, c.args...)...)
		o.want(t, 2, o.stderr, c.why)
	}
}

// TestLoadFrozenGenerator stops dyno itself while it measures.
func TestLoadFrozenGenerator(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
	t.Cleanup(server.Close)
	o := until(func() outcome {
		return measured(t, func() outcome {
			served.Store(0)
			s := start(t, t.TempDir(), "load", "-c", "2", "-d", "4s", "-R", "200", "--no-calibration", server.URL)
			eventually(t, "requests", func() bool { return served.Load() > 50 })
			s.signal(t, syscall.SIGSTOP)
			time.Sleep(300 * time.Millisecond)
			s.signal(t, syscall.SIGCONT)
			return s.wait(t)
		})
	}, func(o outcome) bool { return strings.Contains(o.stdout, "generator-stalled") }) // or it was stopped after its end
	o.want(t, 0, o.stdout, "left out", "windows are invalid and left out of all results", "generator-stalled")
}

// TestLoadFrozenAllTheTime: without a valid window nothing was measured, which is
// no success.
func TestLoadFrozenAllTheTime(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"uring", "epoll", "portable"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var served atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served.Add(1) }))
			t.Cleanup(server.Close)
			o := until(func() outcome {
				served.Store(0)
				s := start(t, t.TempDir(), "load", "-c", "2", "-n", "300", "-R", "200", "--engine", engine, server.URL)
				eventually(t, "requests", func() bool { return served.Load() > 20 })
				s.signal(t, syscall.SIGSTOP)
				time.Sleep(2 * time.Second) // past the last arrival
				s.signal(t, syscall.SIGCONT)
				return s.wait(t)
			}, outcome.nothingMeasured) // or it was stopped after its first second
			o.want(t, 1, o.stderr, "no figure can be trusted: none of the", "windows is valid (generator-stalled")
			contains(t, o.stdout, "INVALID")
		})
	}
}

func TestLoadCalibrates(t *testing.T) {
	needsNullServer(t)
	target := serve(t, "good")
	o := dyno(t, t.TempDir(), "load", "-c", "2", "-d", "2s", "-R", "100", target)
	o.want(t, 0, o.stderr, "calibrated in", "requests/s", "lag")
	o = dyno(t, t.TempDir(), "load", "-c", "2", "-d", "2s", "-R", "100", "--no-calibration", target)
	if o.want(t, 0, o.stdout, "throughput"); strings.Contains(o.stderr, "calibrated") {
		t.Errorf("--no-calibration calibrated: %s", o.stderr)
	}
	o = dyno(t, t.TempDir(), "load", "-c", "2", "-d", "2s", "-R", "100", "-q", target)
	if o.want(t, 0, o.stdout, "throughput"); o.stderr != "" {
		t.Errorf("--quiet said %s", o.stderr)
	}
}

// TestLoadBeyondTheCeiling asks for more than any machine can do.
func TestLoadBeyondTheCeiling(t *testing.T) {
	needsNullServer(t)
	o := dyno(t, t.TempDir(), "load", "-c", "2", "-d", "2s", "-R", "9e6", "--json", serve(t, "good"))
	var r struct {
		Calibration *measure.Calibration `json:"calibration"`
		Findings    []finding.Finding    `json:"findings"`
	}
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
		t.Fatalf("%v\n%s", err, o.stderr)
	}
	if r.Calibration == nil || r.Calibration.Ceiling <= 0 || r.Calibration.LagRate >= r.Calibration.Ceiling {
		t.Fatalf("calibration %+v; stderr: %s", r.Calibration, o.stderr)
	}
	found := map[finding.Name]finding.Finding{}
	for _, f := range r.Findings {
		found[f.Name] = f
	}
	if f := found[finding.BeyondCeiling]; f.Validity != finding.Suspect {
		t.Errorf("findings %+v", r.Findings)
	}
	if f, ok := found[finding.RateMissed]; ok {
		contains(t, f.Detail.String(), "the generator itself reaches")
	}
}

// counting responds and counts; others is added to the count.
func counting(t *testing.T, others int64) *httptest.Server {
	t.Helper()
	var n atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) { n.Add(1) })
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "http_requests_total{code=\"200\"} %d\n", n.Add(others))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestLoadComparesCounts(t *testing.T) {
	t.Parallel()
	for others, apart := range map[int64]bool{0: false, 500: true} {
		server := counting(t, others)
		o := dyno(t, t.TempDir(), "load", "-c", "2", "-n", "100", "--json", "--server-metrics", server.URL+"/metrics", server.URL)
		var r struct {
			Counts   *load.Counts      `json:"counts"`
			Findings []finding.Finding `json:"findings"`
		}
		if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
			t.Fatalf("%v\n%s", err, o.stderr)
		}
		if r.Counts == nil || r.Counts.Sent != 100 || r.Counts.Server != float64(100+others) {
			t.Fatalf("counts %+v", r.Counts)
		}
		found := false
		for _, f := range r.Findings {
			found = found || f.Name == finding.CountsApart
		}
		if found != apart {
			t.Errorf("with %d other requests: findings %+v", others, r.Findings)
		}
	}
}

// TestLoadServerMetricsOverTLS: they are asked for as the load trusts. On a machine that
// other tests keep busy not even one of many handshakes may end in the five seconds that a
// load waits for its first connection, so there are two, and more tries.
func TestLoadServerMetricsOverTLS(t *testing.T) {
	t.Parallel()
	plain := counting(t, 0)
	server := httptest.NewUnstartedServer(plain.Config.Handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail
	server.StartTLS()
	t.Cleanup(server.Close)
	o := until(func() outcome {
		return dyno(t, t.TempDir(), "load", "-n", "100", "-c", "2", "--insecure", "--server-metrics", server.URL+"/metrics", server.URL)
	}, func(o outcome) bool { return o.code == 0 })
	o.want(t, 0, o.stderr)
	o = dyno(t, t.TempDir(), "load", "-n", "1", "--server-metrics", server.URL+"/metrics", plain.URL)
	o.want(t, 1, o.stderr, "--server-metrics", "certificate")
}

func TestLoadServerMetricsThatDontTell(t *testing.T) {
	t.Parallel()
	server := counting(t, 0)
	o := dyno(t, t.TempDir(), "load", "-n", "1", "--server-metrics", server.URL+"/metrics#none", server.URL)
	o.want(t, 1, o.stderr, "--server-metrics", `no series "none"`)
	o = dyno(t, t.TempDir(), "load", "-n", "1", "--server-metrics", "http://"+freeport.Address(t), server.URL)
	o.want(t, 1, o.stderr, "--server-metrics", "refused")
}

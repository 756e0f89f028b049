package probe

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// serve responds with each of the texts in turn, and then with the last.
func serve(t *testing.T, texts ...string) (url string, connections *atomic.Int32) {
	t.Helper()
	connections = new(atomic.Int32)
	asked := 0 // one request at a time: the scraper has one connection
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if accept := r.Header.Get("Accept"); accept != metricsAccept {
			t.Errorf("accepts %q", accept)
		}
		fmt.Fprint(w, texts[min(asked, len(texts)-1)])
		asked++
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL + "/metrics", connections
}

// newPatient makes a sampler that waits long for metrics, however busy the
// machine is that runs the test.
func newPatient(t *testing.T, c Config) *Sampler {
	s := New(c)
	s.metrics.limit = time.Minute
	t.Cleanup(s.Close)
	return s
}

// goMetrics is the response of a Go program in the n-th second of its life.
func goMetrics(n int) string {
	return fmt.Sprintf(`process_start_time_seconds 1.7e+09
process_cpu_seconds_total %d.5
process_resident_memory_bytes 1.5e+07
process_open_fds 70
go_goroutines 66
go_gc_duration_seconds{quantile="1"} 0.1
go_gc_duration_seconds_sum %g
go_gc_duration_seconds_count %d
go_memstats_heap_alloc_bytes 4e+06
go_memstats_alloc_bytes_total %d
go_memstats_mallocs_total %d
`, n, float64(n)/1e3, 3*n, 1000*n, 10*n)
}

// windows takes n+1 snapshots and returns the windows between them.
func windows(s *Sampler, n int) (list []Window) {
	last := s.Snapshot()
	for range n {
		next := s.Snapshot()
		list = append(list, s.Between(last, next))
		last = next
	}
	return list
}

func TestSamplerWithMetrics(t *testing.T) {
	url, connections := serve(t, goMetrics(1), goMetrics(2), goMetrics(3))
	s := newPatient(t, Config{Metrics: url})
	for i, w := range windows(s, 2) {
		if w.Process == nil || w.Runtime == nil {
			t.Fatalf("window %d = %+v, want process and runtime", i, w)
		}
		if want := (Process{Reported: true, CPU: time.Second, RSS: 15e6, OpenFiles: 70}); !reflect.DeepEqual(*w.Process, want) {
			t.Errorf("window %d: process = %+v, want %+v", i, *w.Process, want)
		}
		want := Runtime{GCCycles: 3, GCPause: time.Millisecond, Heap: 4e6, AllocBytes: 1000, AllocCount: 10, Goroutines: 66}
		if got := *w.Runtime; got.GCPause.Round(time.Microsecond) != want.GCPause {
			t.Errorf("window %d: paused %v, want %v", i, got.GCPause, want.GCPause)
		} else if got.GCPause = want.GCPause; got != want {
			t.Errorf("window %d: runtime = %+v, want %+v", i, got, want)
		}
		for _, figure := range []string{"cpu_split", "processes", "threads", "switches", "faults", "run_queue", "throttled", "gc_pause_max", "gc_cpu", "sched", "helper_us"} {
			if !w.Lacks(figure) {
				t.Errorf("window %d: %s is zero and not in missing: %q", i, figure, w.Missing)
			}
		}
		if w.Lacks("cpu", "rss", "open_files", "gc_cycles", "gc_pause", "heap", "goroutines") {
			t.Errorf("window %d: missing = %q", i, w.Missing)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections, want one that is kept", n)
	}
}

// Metrics of a program with a helper that responds add nothing.
func TestSamplerPrefersHelper(t *testing.T) {
	url, _ := serve(t, goMetrics(1), goMetrics(2))
	l := newListener(t)
	go reply(connect(t, l, goodHello), goodResponse, goodResponse)
	settle(t, l, 1)
	s := newPatient(t, Config{Metrics: url, Runtime: l})
	w := windows(s, 1)[0]
	if w.Runtime == nil || w.Runtime.GCCycles != 0 || w.Runtime.Heap != 4 || w.Lacks("sched") {
		t.Errorf("runtime = %+v, missing %q; want the helper's", w.Runtime, w.Missing)
	}
}

// A helper that is late does not change places with the metrics.
func TestSamplerWithLateHelper(t *testing.T) {
	url, _ := serve(t, goMetrics(1), goMetrics(2))
	l := newListener(t)
	connect(t, l, goodHello)
	settle(t, l, 1)
	s := newPatient(t, Config{Metrics: url, Runtime: l})
	w := windows(s, 1)[0]
	if w.Runtime != nil || !w.Lacks("runtime") || w.Process == nil {
		t.Errorf("window = %+v, want a process alone", w)
	}
}

func TestSamplerOfRestartedService(t *testing.T) {
	url, _ := serve(t, goMetrics(2), goMetrics(1))
	s := newPatient(t, Config{Metrics: url})
	w := windows(s, 1)[0]
	if w.Process != nil || w.Runtime != nil || !slices.Contains(w.Missing, "metrics: another process responded than before") {
		t.Errorf("window = %+v, want neither process nor runtime", w)
	}
}

func TestScraperDoesNotWaitForEver(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	s := New(Config{Metrics: server.URL})
	defer s.Close()
	w := windows(s, 1)[0]
	if w.Process != nil || !slices.Contains(w.Missing, "metrics: no response within 100ms") {
		t.Errorf("window = %+v, want no process and the reason", w)
	}
}

func TestCheckMetrics(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/good", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, goMetrics(1)) })
	mux.Handle("/moved", http.RedirectHandler("/good", http.StatusFound))
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") })
	mux.HandleFunc("/full", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, goMetrics(1)+strings.Repeat("#\n", maxMetrics/2-len(goMetrics(1))/2-1))
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, goMetrics(1)+strings.Repeat("#\n", maxMetrics/2))
	})
	mux.HandleFunc("/short", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "process_open_fds 3\n")
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	tests := []struct{ path, want string }{
		{"/good", ""},
		{"/full", ""},
		{"/absent", "metrics: " + server.URL + "/absent responded with 404 Not Found, expected 200 OK; redirects are not followed"},
		{"/moved", "metrics: " + server.URL + "/moved responded with 302 Found, expected 200 OK; redirects are not followed"},
		{"/page", "metrics: the response has none of the process_… and go_… series of Prometheus' client libraries"},
		{"/large", "metrics: the response of " + server.URL + "/large has more than 1048576 bytes"},
		{"/short", "metrics: reading the response of " + server.URL + "/short: unexpected EOF"},
	}
	for _, c := range tests {
		err := CheckMetrics(server.URL+c.path, nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: got %v, want %q", c.path, err, c.want)
		}
	}
}

// TestMetricsOverTLS: a server is asked that is trusted, and no other.
func TestMetricsOverTLS(t *testing.T) {
	var seconds atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, goMetrics(int(seconds.Add(1)))+"http_requests_total 5\n")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a handshake that fails
	server.StartTLS()
	defer server.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	for name, trust := range map[string]*tls.Config{"its certificate": {RootCAs: trusted}, "any": {InsecureSkipVerify: true}} {
		if err := CheckMetrics(server.URL, trust); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := CountRequests(t.Context(), server.URL, trust); err != nil || got.Total != 5 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if err := CheckMetrics(server.URL, nil); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without trust: %v", err)
	}
	s := newPatient(t, Config{Metrics: server.URL, Trust: &tls.Config{RootCAs: trusted}})
	for i, w := range windows(s, 2) {
		if w.Process == nil || w.Process.CPU != time.Second {
			t.Errorf("window %d: %+v, missing %q", i, w.Process, w.Missing)
		}
	}
}

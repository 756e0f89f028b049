package runner

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// TestSecretLevelsStayWithTheSubject: it gets them; no event and no file of the run
// holds them, also where it prints them.
func TestSecretLevelsStayWithTheSubject(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("subjects are kept and pinned on Linux")
	}
	secrets := []string{"hunter22", "swordfish", "opensesame"}
	r := startedRunner(t, "    run: \"echo token $API_TOKEN; exec %s\"", `requests: [{get: /, expect: ["body contains args=--password=opensesame"]}]
`+steady+"factors: {env.API_TOKEN: [hunter22, swordfish], args: [--password=opensesame]}")
	var events strings.Builder
	r.Observe = func(e Event) {
		if err := json.NewEncoder(&events).Encode(e); err != nil {
			t.Error(err)
		}
	}
	archived := run(t, r)
	all := events.String()
	err := filepath.WalkDir(archived.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all += read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if at := strings.Index(all, secret); at >= 0 {
			t.Errorf("%s is shown: …%s", secret, all[max(at-200, 0):at])
		}
	}
	for _, shown := range []string{`"env.API_TOKEN":"***1"`, "token ***1", "token ***2", "--password=***3"} {
		if !strings.Contains(all, shown) {
			t.Errorf("%q is not there", shown)
		}
	}
}

// TestErrorsDontShowSecrets: a subject that does not start may print what it was
// given.
func TestErrorsDontShowSecrets(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("subjects are kept on Linux")
	}
	r := startedRunner(t, "    run: \"echo no user $API_TOKEN; exit 3 # %s\"", "requests: [{get: /}]\n"+steady+"factors: {env.API_TOKEN: [hunter22, swordfish]}")
	id, err := r.Run(t.Context())
	if id != "" || err == nil || !strings.Contains(err.Error(), "no user ***1") {
		t.Errorf("run %q, %v", id, err)
	}
}

// TestMetricsOverTLS measures a service that is up with TLS, and reads its metrics
// as the load speaks to it.
func TestMetricsOverTLS(t *testing.T) {
	var scrapes atomic.Int64
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			fmt.Fprintf(w, "process_start_time_seconds 1.7e+09\nprocess_cpu_seconds_total %d\nprocess_resident_memory_bytes 1e+06\n", scrapes.Add(1))
		}
	}))
	t.Cleanup(s.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, trust := range []string{fmt.Sprintf("ca_file: %q", ca), "insecure: true"} {
		src := fmt.Sprintf("study: test\nsubjects: [{name: up, url: %q, metrics: /metrics, %s}]\nrequests: [{get: /}]\n%strial: {warmup: 0s, duration: 3s}\nblocks: 1\n", s.URL, trust, steady)
		archived := run(t, plan(t, src))
		windows := archived.Trials[0].Windows
		late := func(w archive.Window) bool {
			return strings.Contains(strings.Join(w.Server.Missing, ""), "metrics: no response within ")
		}
		if len(windows) > 0 && scrapes.Load() > 0 && !slices.ContainsFunc(windows, func(w archive.Window) bool { return !late(w) }) {
			t.Skipf("a busy machine: %+v", windows[0].Server.Missing)
		}
		if !slices.ContainsFunc(windows, func(w archive.Window) bool {
			return w.Server.Process != nil && w.Server.Process.Reported && w.Server.Process.RSS == 1e6
		}) {
			t.Errorf("%s: the metrics are not read: %+v", trust, windows[1].Server)
		}
	}
}

// plan plans a study that is right.
func plan(t *testing.T, src string) *Runner {
	t.Helper()
	s, err := study.Parse("test.yaml", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := study.Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &Runner{KeepGoing: true, Study: s, Plan: p, Version: "test", StateDir: dir, Store: archive.Store{Dir: filepath.Join(dir, "runs")}}
}

package main

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// phasedResult is what the tests read of a load with phases.
type phasedResult struct {
	Duration float64 `json:"duration_s"`
	Offered  uint64  `json:"offered"`
	Phases   []struct {
		Phase    int                `json:"phase"`
		Name     string             `json:"name"`
		From     float64            `json:"from_s"`
		To       float64            `json:"to_s"`
		Length   float64            `json:"length_s"`
		Planned  float64            `json:"planned"`
		Offered  float64            `json:"offered"`
		Requests uint64             `json:"requests"`
		Response map[string]float64 `json:"response_us"`
	} `json:"phases"`
	Windows []struct {
		Second   int                `json:"second"`
		Phase    int                `json:"phase"`
		Offered  float64            `json:"offered"`
		Validity string             `json:"validity"`
		Response map[string]float64 `json:"response_us"`
	} `json:"windows"`
}

func phasedJSONOf(t *testing.T, o outcome) phasedResult {
	t.Helper()
	o.want(t, 0, o.stderr)
	var r phasedResult
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLoadPhases sends a ramp and steps at uniform arrivals: each second has as
// many as planned, to within one. Seconds in which a busy machine kept the
// generator away are invalid and in no phase's sums, but offered their arrivals
// all the same.
func TestLoadPhases(t *testing.T) {
	t.Parallel()
	o := dyno(t, t.TempDir(), "load", "-c", "20", "--arrivals", "uniform", "--phase", "ramp 100..300 2s", "--phase", "steps 50,150 1s", "--json", serve(t, "good"))
	r := phasedJSONOf(t, o)
	if len(r.Windows) != 4 || len(r.Phases) != 3 {
		t.Fatalf("%d windows, %d phases: %s", len(r.Windows), len(r.Phases), o.stdout)
	}
	all := 0.0
	for i, planned := range []float64{150, 250, 50, 150} {
		w := r.Windows[i]
		// What is taken up late may be counted a window later.
		if w.Validity == "valid" && math.Abs(w.Offered-planned) > 5 {
			t.Errorf("second %d: offered %v, planned %v", i, w.Offered, planned)
		}
		if want := []int{1, 1, 2, 2}[i]; w.Phase != want {
			t.Errorf("second %d is in phase %d, not %d", i, w.Phase, want)
		}
		all += w.Offered
	}
	if all != 600 {
		t.Errorf("offered %v of the 600 planned", all)
	}
	for i, want := range []string{"ramp 100..300", "steps 50", "steps 150"} {
		p := r.Phases[i]
		if p.Name != want || p.Phase != min(i+1, 2) || p.Length > 0 && (p.Requests == 0 || p.Response["p90"] <= 0) {
			t.Errorf("phase %+v, want %s", p, want)
		}
	}
}

func TestLoadPhasesText(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "load", "-c", "5", "--phase", "constant 50 1s", "--phase", "sine 100~50 every 1s 1s uniform", "--html", "r.html", serve(t, "good"))
	o.want(t, 0, o.stdout, "phase", "constant 50", "sine 100~50", "p99")
	contains(t, o.stderr, "constant 50 1s; sine 100~50 every 1s 1s uniform", "poisson arrivals", ", 2s")
	page, err := os.ReadFile(filepath.Join(home, "r.html"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(page), "constant 50 1s; sine 100~50 every 1s 1s uniform", "Phase by phase", "1 · constant 50", "2 · sine 100~50")
}

// A load keeps no histograms of single seconds for the object, only their figures.
func TestLoadSoak(t *testing.T) {
	t.Parallel()
	r := phasedJSONOf(t, dyno(t, t.TempDir(), "load", "-c", "5", "--phase", "soak 100 rise 1s 2s", "--json", serve(t, "good")))
	for _, w := range r.Windows {
		if w.Offered > 20 && w.Response["p90"] <= 0 {
			t.Errorf("second %d has response times %v", w.Second, w.Response)
		}
	}
	if len(r.Phases) != 2 || r.Phases[1].Length > 0 && r.Phases[1].Response["p50"] <= 0 {
		t.Errorf("phases %+v", r.Phases)
	}
}

func TestLoadTrace(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "times.txt"), []byte("0\n10ms\n{\"at\": 0.2}\n0.2\n900ms\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := phasedJSONOf(t, dyno(t, home, "load", "-c", "5", "--phase", "trace times.txt loop 2s", "--json", serve(t, "good")))
	// The trace is as long as its last arrival and a mean gap: 1.125 s.
	offered := 0.0
	for _, w := range r.Windows {
		offered += w.Offered
	}
	if offered != 9 || len(r.Windows) != 2 {
		t.Errorf("offered %v in %d seconds, want 9 in 2", offered, len(r.Windows))
	}
}

func TestLoadPlanSendsNothing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }))
	t.Cleanup(server.Close)
	home := t.TempDir()
	o := dyno(t, home, "load", "--plan", "-w", "2s", "--seed", "7", "--phase", "ramp 0..1000 10s", "--phase", "steps 100,200 5s", server.URL)
	o.want(t, 0, o.stdout, "6,500 requests in 20s", "seed 7", "warm-up", "ramp 0..1000", "5,000", "steps 200", "█", "at most 1,000 requests/s")
	o = dyno(t, home, "load", "--plan", "-R", "100", "-n", "500", server.URL)
	o.want(t, 0, o.stdout, "500 requests in 5s", "constant 100")
	o = dyno(t, home, "load", "--plan", "--json", "--phase", "spike 10 100 for 1s at 1s 3s", server.URL)
	o.want(t, 0, o.stderr)
	var plan struct {
		Duration float64 `json:"duration_s"`
		Planned  float64 `json:"planned"`
		Phases   []struct {
			Planned float64 `json:"planned"`
		} `json:"phases"`
	}
	if err := json.Unmarshal([]byte(o.stdout), &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Planned != 120 || plan.Duration != 3 || len(plan.Phases) != 3 || plan.Phases[1].Planned != 100 {
		t.Errorf("plan %+v", plan)
	}
}

func TestLoadWrongPhases(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "bad.txt"), []byte("1\n0.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"--phase", "ramp 100-5000 30s"}, `--phase "ramp 100-5000 30s": expected two rates with .. between them`},
		{[]string{"--phase", "ramp 1..2 1s", "--phase", "constnat 5 1s"}, "did you mean constant?"},
		{[]string{"--phase", ""}, "the phase is empty"},
		{[]string{"--phase", "constant 0 1s"}, "no request at all"},
		{[]string{"--phase", "constant 5 1s", "-R", "5"}, "--rate and --phase: give one of them"},
		{[]string{"--phase", "constant 5 1s", "-d", "5s"}, "leave --duration out"},
		{[]string{"--phase", "constant 5 1s", "--arrivals", "random"}, "random"},
		{[]string{"--phase", "trace no-such-file"}, "no-such-file"},
		{[]string{"--phase", "trace bad.txt"}, "bad.txt:2: 500ms is earlier than the arrival before, at 1s"},
		{[]string{"--think", "100"}, "--think \"100\": write it with a unit"},
		{[]string{"--think", "-1s"}, "think time must be from 0"},
		{[]string{"--think", "1s", "-R", "5"}, "--think belongs to the closed loop"},
		{[]string{"--overflow", "shed"}, "belongs to the open loop"},
		{[]string{"--overflow", "drop", "-R", "5"}, `overflow "drop" is neither "wait", "open" nor "shed"`},
		{[]string{"--max-connections", "9", "-R", "5"}, `needs the overflow "open"`},
		{[]string{"--max-connections", "9", "-R", "5", "--overflow", "open", "-c", "10"}, "from 10"},
		{[]string{"--plan"}, "--plan: a closed loop has no plan"},
	} {
		o := dyno(t, home, append(append([]string{"load"}, c.args...), "host")...)
		o.want(t, 2, o.stderr, c.why)
		if o.stdout != "" || strings.Contains(o.stderr, "\n\n") {
			t.Errorf("%q: %s%s", c.args, o.stdout, o.stderr)
		}
	}
}

//go:build linux

package main

import (
	"maps"
	"os"
	"slices"
	"testing"
)

// The samples are what the tools printed in a run each; the figures wanted were
// read off them by eye.
func TestParsers(t *testing.T) {
	for _, c := range []struct {
		file     string
		parse    func(string) (outcome, error)
		requests float64
		latency  map[string]float64
	}{
		{"wrk.txt", parseWrk, 119001, map[string]float64{"p50": 50, "p90": 73, "p99": 137}},
		{"wrk2.txt", parseWrk, 995, map[string]float64{"p50": 821, "p90": 1400, "p99": 4700, "p99.9": 9470, "p99.99": 10300, "max": 10300}},
		{"ab.txt", parseAB, 59293, map[string]float64{"p50": 0, "p90": 0, "p99": 2000, "max": 23000}},
		{"hey.txt", parseHey, 20758, map[string]float64{"p50": 300, "p90": 500, "p99": 2700}},
		{"vegeta.hdrplot", parseVegeta, 500, map[string]float64{"p50": 113.832, "p90": 180.087}},
		{"oha.json", parseOha, 500, map[string]float64{"p50": 86.268, "p99": 40231.821, "p99.99": 44453.475, "max": 44453.475}},
		{"k6.json", parseK6, 1000, map[string]float64{"p50": 119.6125, "p99": 43886.5685, "max": 93177.889}},
		{"bombardier.json", parseBombardier, 505, map[string]float64{"p50": 126, "p90": 283, "p99": 4751, "max": 5207}},
		{"fortio.json", parseFortio, 496, map[string]float64{"p50": 547.163389, "p99.9": 87732.85, "max": 88243.977}},
		{"zrk.json", parseZrk, 500, map[string]float64{"p50": 112, "p99.9": 36144, "max": 36159}},
		{"ghz.txt", parseGhz, 3953, map[string]float64{"p50": 29600, "p99": 380600, "max": 417390}},
		{"h2load.txt", parseH2load, 92958, map[string]float64{}},
		{"dyno.json", parseDyno, 500, map[string]float64{}},
	} {
		t.Run(c.file, func(t *testing.T) {
			text, err := os.ReadFile("testdata/" + c.file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.parse(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if got.Requests != c.requests {
				t.Errorf("%v requests, want %v", got.Requests, c.requests)
			}
			for _, name := range slices.Sorted(maps.Keys(c.latency)) {
				if v, ok := got.Latency[name]; !ok || !near(v, c.latency[name]) {
					t.Errorf("%s = %v, want %v", name, v, c.latency[name])
				}
			}
			if _, err := c.parse("nothing of use"); err == nil {
				t.Error("text without figures is accepted")
			}
		})
	}
}

func near(a, b float64) bool { return a-b < 1e-4*b+1e-9 && b-a < 1e-4*b+1e-9 }

func TestWhatToolsSayOfThemselves(t *testing.T) {
	k6 := `{"metrics":{"http_reqs":{"count":90},"dropped_iterations":{"count":10},"http_req_duration":{"p(50)":1}}}`
	if got, err := parseK6(k6); err != nil || got.Errors != 10 || len(got.Says) != 1 {
		t.Errorf("k6: %+v, %v", got, err)
	}
	dyno := `{"requests":5,"shed":2,"errors":{"timeout":1},"validity":"invalid","findings":[{"name":"generator-stalled"}],
		"latency_us":{"response":{"p50":3},"lag":{"p50":1}},"windows":[{"second":0,"validity":"invalid","findings":[{"name":"generator-stalled"}]}]}`
	got, err := parseDyno(dyno)
	if err != nil || got.Errors != 3 || got.Lag["p50"] != 1 || !slices.Equal(got.Says, []string{"invalid", "generator-stalled"}) {
		t.Errorf("dyno: %+v, %v", got, err)
	}
	if len(got.Windows) != 1 || got.Windows[0].Validity != "invalid" || got.Windows[0].Findings[0] != "generator-stalled" {
		t.Errorf("dyno's windows: %+v", got.Windows)
	}
	wrk := "  Socket errors: connect 1, read 2, write 0, timeout 4\n  90 requests in 1.00s\n"
	if got, err := parseWrk(wrk); err != nil || got.Errors != 7 {
		t.Errorf("wrk: %+v, %v", got, err)
	}
}

//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/bench/rounds"
)

func TestRecordsOfEarlierVersionsAreRefused(t *testing.T) {
	old := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(old, []byte(`{"started": "2026-11-21T09:21:49Z", "command": ["generators"], "connections": 64, "seconds": 4}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := rounds.ReadRecord(old); err == nil || !strings.Contains(err.Error(), "version") {
		t.Errorf("%v", err)
	}
}

// costs is a record of two tools, one of them disturbed in the last round.
func costs() *rounds.Record {
	r := &rounds.Record{Version: rounds.RecordVersion, What: "tls", Settings: rounds.Settings{Rounds: 8, Seconds: 4, Connections: 64}}
	for round := range 8 {
		for tool, us := range map[string]float64{"dyno": 8, "wrk": 10} {
			one := rounds.Trial{Round: round, Tool: tool, Figures: map[string]float64{"cpu_us_per_request": us * (1 + 0.1*float64(round))}}
			if round == 7 && tool == "wrk" {
				one.Disturbed, one.Figures["cpu_us_per_request"] = "other programs ran", 1000
			}
			r.Trials = append(r.Trials, one)
		}
	}
	return r
}

func TestShowComparesInPairsAndLeavesOutTheDisturbed(t *testing.T) {
	var b bytes.Buffer
	c := tlsCampaign()
	c.summary().Show(&b, costs(), false)
	for _, want := range []string{"dyno / wrk = 0.800** (0.800–0.800, 7 pairs)", "wanted ≤ 0.90: reached", "16 trials, 0 failed, 1 disturbed"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// Every tool must know how to do the jobs it claims, with the URL last or in a
// file, and none may be asked for what it can't do.
func TestCommands(t *testing.T) {
	for _, tool := range append(peers(), dynoTool("dyno", "dyno", "--cpus", "0")) {
		for _, j := range []job{{Seconds: 1, Connections: 8}, {Seconds: 1, Connections: 8, Rate: 500}, {Seconds: 1, Connections: 8, Fresh: true}, {Seconds: 1, Connections: 8, Streams: 5}} {
			j.URL, j.Dir = "http://127.0.0.1:1/", "/nowhere"
			args, ok := tool.command(j)
			if !ok {
				continue
			}
			line := strings.Join(args, " ")
			if !strings.Contains(line, j.URL) && !strings.Contains(line, j.Dir+"/targets") {
				t.Errorf("%s: no URL in %s", tool.Name, line)
			}
			if j.Streams > 0 && !strings.Contains(line, " 5 ") {
				t.Errorf("%s: no streams in %s", tool.Name, line)
			}
			if j.Rate > 0 && !strings.Contains(line, "500") && !strings.Contains(line, "62.5") {
				t.Errorf("%s: no rate in %s", tool.Name, line)
			}
		}
	}
}

// peers are the load generators that dyno is compared with.
func peers() []tool {
	return []tool{wrk(), wrk2(), zrk(), oha(), vegeta(), k6(), ab("ab"), ab("ab -k", "-k"), hey(), bombardier(), fortio(), h2load()}
}

package explaincmd

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/live"
	"dyno.example/dyno/report"
)

func TestLiveText(t *testing.T) {
	texts, err := report.TextsIn("en")
	if err != nil {
		t.Fatal(err)
	}
	v := live.View{
		Took: 2 * time.Second, Requests: 100, Median: time.Millisecond, P99: 50 * time.Millisecond, Open: 2, Oldest: 3 * time.Second, Slowest: 4, Drawn: 8,
		Stages:      []live.Stage{{Stage: evidence.Upstream, Slow: 40 * time.Millisecond, All: 200 * time.Microsecond, What: "db\x1b[2J:5432"}},
		Connections: []live.Connection{{Name: "127.0.0.1:4000", Requests: 7, Mean: time.Millisecond, Worst: 50 * time.Millisecond, Most: evidence.Upstream}},
	}
	text := liveText(texts, &v, 0)
	for _, want := range []string{"50.0 requests a second", "p99 50.0 ms", "2 without a response", "3.00 s", "SLOWEST 4", "40.0 ms", "200 µs", "127.0.0.1:4000"} {
		if !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("what others are called steers the terminal: %q", text)
	}
}

func TestLiveFlags(t *testing.T) {
	for _, bad := range []liveFlags{{pid: 0, every: time.Second}, {pid: 1, every: time.Millisecond}, {pid: 1, every: time.Second, port: -1}, {pid: 1, every: time.Second, length: -1}} {
		if bad.check() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	for _, c := range []struct {
		live  bool
		given string
		ok    bool
	}{{true, "port", true}, {true, "json", false}, {false, "json", true}, {false, "port", false}, {false, "", true}} {
		if err := clash(c.live, func(name string) bool { return name == c.given }); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := (&liveFlags{pid: os.Getpid()}).choosePort(); err == nil {
		t.Error("a process that listens nowhere has a port")
	}
	if port, err := (&liveFlags{port: 80}).choosePort(); port != 80 || err != nil {
		t.Error(port, err)
	}
	if slices.ContainsFunc(onlyLive, func(name string) bool { return slices.Contains(notLive, name) }) {
		t.Error("a flag goes with --live and doesn't")
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func TestKnee(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := until(func() outcome {
		return dyno(t, home, "knee", serveQueue(t, 400), "-c", "1,2..4+2,8", "--trial", "300ms", "-w", "100ms", "--no-calibration",
			"--pid", strconv.Itoa(os.Getpid()), "--json", "--html", "k.html", "-o", "k.json")
	}, func(o outcome) bool { return o.code == 0 }) // trials of a machine that stands still are spoiled
	o.want(t, 0, o.stdout)
	var k struct {
		Enough int `json:"enough"`
		Levels []struct {
			Connections int     `json:"connections"`
			Throughput  float64 `json:"throughput"`
			Trials      []struct {
				Down bool `json:"down"`
			} `json:"trials"`
		} `json:"levels"`
		Fit *struct {
			Sigma struct {
				Estimate float64 `json:"estimate"`
			} `json:"sigma"`
		} `json:"fit"`
		FitNote string `json:"fit_note"`
	}
	if err := json.Unmarshal([]byte(o.stdout), &k); err != nil {
		t.Fatalf("%v\n%s", err, o.stdout)
	}
	if len(k.Levels) != 4 || k.Levels[3].Connections != 8 || k.Enough == 0 || (k.Fit == nil) == (k.FitNote == "") {
		t.Errorf("%+v\n%s", k, o.stdout)
	}
	for _, l := range k.Levels {
		// One after the other, they can't be served faster than the queue is; it may
		// hold a few when a trial begins.
		if len(l.Trials) < 2 || l.Trials[0].Down || l.Throughput > 400+100 {
			t.Errorf("%+v", l)
		}
	}
	if read(t, filepath.Join(home, "k.json")) != o.stdout {
		t.Error("--out has not what --json prints")
	}
	contains(t, read(t, filepath.Join(home, "k.html")), "<svg", "Throughput", "connections")
}

func TestKneeWrongUsage(t *testing.T) {
	t.Parallel()
	url := "http://127.0.0.1:1"
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"knee"}, "the URL to load"},
		{[]string{"knee", url, "-c", "1..5"}, "--connections"},
		{[]string{"knee", url, "--trial", "1ms"}, "--trial"},
		{[]string{"knee", url, "--passes", "-1"}, "passes"},
		{[]string{"knee", url, "--pid", "-1"}, "--pid"},
	} {
		o := dyno(t, t.TempDir(), c.args...)
		o.want(t, 2, o.stderr, c.why)
	}
	o := dyno(t, t.TempDir(), "knee", url, "-c", "1", "--pid", "2147483647")
	o.want(t, 1, o.stderr, "--pid: ")
}

func TestKneeText(t *testing.T) {
	t.Parallel()
	o := until(func() outcome {
		return dyno(t, t.TempDir(), "knee", serve(t, "good"), "-c", "1,2", "--trial", "200ms", "-w", "50ms", "--no-calibration")
	}, func(o outcome) bool { return o.code == 0 })
	o.want(t, 0, o.stdout, "knee", "none: a scalability law needs at least 6 points at 4 levels", "not measured: --pid", "down/up")
	contains(t, o.stderr, "1 connections up", "2 connections down")
}

package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/stats/statstest"
)

// Slices are simulated on what was recorded too.
func TestSlices(t *testing.T) {
	dir := t.TempDir()
	trace := Trace{Version: recordVersion, Machine: machine.Fingerprint{CPUModel: "Recorded CPU", CPUs: 1}, Every: 0.05, Slow: map[int][]float64{3: {0, 0.3, 0.3, 0.01}}}
	path, err := trace.save(dir, "trace")
	if err != nil {
		t.Fatal(err)
	}
	if err := runQuietly([]string{"-what", "slices,pairs", "-studies", "1", "-trace", path, "-name", "x", "-out", dir}); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(dir, "x.md"))
	for _, want := range []string{"Recorded CPU", "| recorded CPU 3 | two subjects | speed read | 12 |", "| two speeds | two subjects, until ±2 % | widths |", "| recorded CPU 3 | alarms, 3 % asked about |", "ten subjects: that one", "| restless | ten subjects and a twin, 15 ms | neighbours | 8 |", "| recorded CPU 3 | two subjects and a twin, 15 ms | neighbours |"} {
		if err != nil || !strings.Contains(string(table), want) {
			t.Errorf("%q is missing in %s %v", want, table, err)
		}
	}
}

// A record of the machine's speed can be read again; what is none is refused by name.
func TestTrace(t *testing.T) {
	dir := t.TempDir()
	if err := runQuietly([]string{"-what", "trace", "-for", "1s", "-name", "speed", "-out", dir}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "speed.json.gz")
	got, err := readTrace(path)
	if err != nil || len(got.Slow) == 0 || len(got.hosts()) != len(got.Slow) || got.Started.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}
	other := filepath.Join(dir, "other.json.gz")
	if err := os.WriteFile(other, []byte("this is text, and no gzip"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-what", "trace,aa"}, "goes with nothing else"},
		{[]string{"-what", "slices", "-trace", other}, "other.json.gz: gzip"},
		{[]string{"-what", "slices", "-trace", filepath.Join(dir, "none")}, "-trace: open"},
	} {
		if err := runQuietly(append(c.args, "-out", dir)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
}

// Two states are told apart, and how long they last.
func TestDescribe(t *testing.T) {
	var slow []float64
	for i := range 400 {
		x := 0.01 * float64(i%2)
		if i/40%2 == 1 {
			x += 0.3
		}
		slow = append(slow, x)
	}
	for _, c := range []struct {
		slow []float64
		want string
	}{
		{slow, "two speeds, 36 % apart; slow in 50 % of the time, for 1.1 s at a time; fast for 1.1 s"},
		{slow[:40], "one speed, within 1.0 %"},
	} {
		if got := describe(c.slow, 0.025); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Of a run in slices whose subjects are the same, pairs are made of blocks and rounds.
func TestSlicedRun(t *testing.T) {
	run := &archive.Run{}
	r := statstest.Seeded(1)
	for block := range 12 {
		for cell := range 3 { // the third has no partner
			trial := archive.Trial{Status: archive.Complete}
			trial.Cell, trial.Block = cell, block
			for round := range 20 {
				if cell == 1 && round == 5 {
					continue
				}
				trial.Slices = append(trial.Slices, archive.Slice{Round: round, Requests: 100, CPU: time.Duration(1e6 * math.Exp(0.02*r.NormFloat64()))})
			}
			run.Trials = append(run.Trials, trial)
		}
	}
	pairs := slicedPairs(run)
	if len(pairs) != 1 || len(pairs[0]) != 12 || len(pairs[0][0].A) != 19 {
		t.Fatalf("%d pairs", len(pairs))
	}
	o := options{blocks: []int{6}, studies: 200, seed: 1, progress: func(string, ...any) {}}
	var record Record
	if err := o.slicedRun(&record, run); err != nil {
		t.Fatal(err)
	}
	if text := record.Markdown(); !strings.Contains(text, "| 2 live pairs | 1 in the interval |  | 6 |") || !strings.Contains(text, "| 12 live pairs | alarms, 3 % asked about |  | 18 | 1.030 | 100.0 %") {
		t.Error(text)
	}
	if err := o.slicedRun(&record, &archive.Run{}); err == nil {
		t.Error("a run without slices")
	}
}

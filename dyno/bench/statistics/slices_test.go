package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/machine"
)

// Slices are simulated on what was recorded too.
func TestSlices(t *testing.T) {
	dir := t.TempDir()
	trace := Trace{Version: recordVersion, Machine: machine.Fingerprint{CPUModel: "Recorded CPU", CPUs: 1}, Every: 0.05, Slow: map[int][]float64{3: {0, 0.3, 0.3, 0.01}}}
	path, err := trace.save(dir, "trace")
	if err != nil {
		t.Fatal(err)
	}
	if err := runQuietly([]string{"-what", "slices", "-studies", "1", "-trace", path, "-name", "x", "-out", dir}); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(dir, "x.md"))
	for _, want := range []string{"Recorded CPU", "| recorded CPU 3 | two subjects | speed read | 12 |", "| two speeds | two subjects, until ±2 % | widths |", "| recorded CPU 3 | alarms, 3 % asked about |", "ten subjects: that one"} {
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

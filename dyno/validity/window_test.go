package validity

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
)

// apart are conditions in which the generator has CPU 0 and the subject CPU 1.
var apart = Conditions{GeneratorCPUs: []int{0}, ItsCPUs: []int{1}}

// disturb has a program use so much of a CPU.
func disturb(w *archive.Window, cpu int, used time.Duration) {
	m := w.Server.Machine
	m.TasksByCPU[cpu] += used
	m.Programs.CPU += used
	m.Programs.Top = append(m.Programs.Top, probe.Program{PID: 77, Name: "hog", CPU: used, On: []int{cpu}})
}

// quiet is a second in which nothing disturbed: half a CPU of two was busy, all
// of it with the load and the subject.
func quiet(index int) archive.Window {
	return archive.Window{
		Client: measure.Window{Index: index, Length: time.Second, Completed: 1000, CPUUser: 100 * time.Millisecond, CPUSys: 100 * time.Millisecond},
		Server: probe.Window{
			Length:  time.Second,
			Process: &probe.Process{CPU: 300 * time.Millisecond},
			Machine: &probe.Machine{
				CPUs: 2, Busy: 500 * time.Millisecond, Self: &probe.Self{CPU: 200 * time.Millisecond, RunQueue: 20 * time.Millisecond},
				TasksByCPU: []time.Duration{200 * time.Millisecond, 300 * time.Millisecond}, IRQByCPU: make([]time.Duration, 2), Programs: &probe.Programs{},
			},
		},
	}
}

func TestJudgeServer(t *testing.T) {
	for _, c := range []struct {
		name    finding.Name
		disturb func(*archive.Window)
		level   finding.Validity
	}{
		{"", func(*archive.Window) {}, finding.Valid},
		{"", func(w *archive.Window) { w.Server = probe.Window{} }, finding.Valid},
		{finding.OtherLoad, func(w *archive.Window) { disturb(w, 1, 150*time.Millisecond) }, finding.Suspect},
		{"", func(w *archive.Window) { disturb(w, 1, 149*time.Millisecond) }, finding.Valid},
		{finding.OtherLoad, func(w *archive.Window) { disturb(w, 0, 300*time.Millisecond) }, finding.Invalid},
		{"", func(w *archive.Window) { disturb(w, 0, time.Second); w.Server.Process = nil }, finding.Valid},
		{finding.ListenDrops, func(w *archive.Window) { w.Server.Machine.ListenDrops = 1 }, finding.Suspect},
		{"", func(w *archive.Window) { w.Server.Machine.Retransmits = 1000 }, finding.Valid}, // somebody's on this machine
		{finding.Swapping, func(w *archive.Window) { w.Server.Machine.SwapOut = 1 }, finding.Suspect},
		{finding.Throttled, func(w *archive.Window) { w.Server.Process.Throttled = time.Millisecond }, finding.Suspect},
	} {
		w := quiet(3)
		c.disturb(&w)
		found := judgeServer(&w, &apart)
		switch {
		case c.name == "" && len(found) > 0:
			t.Errorf("found %+v in a window without fault", found)
		case c.name == "":
		case len(found) != 1 || found[0].Name != c.name || found[0].Validity != c.level || fmt.Sprint(found[0].Windows) != "[3]":
			t.Errorf("found %+v, want %s %s", found, c.level, c.name)
		}
	}
}

// What an upstream uses is nobody else's, on the generator's CPUs or on its own; what is
// used beside it is.
func TestUpstreamIsNoOther(t *testing.T) {
	own := Conditions{GeneratorCPUs: []int{0}, UpstreamCPUs: []int{1}, ItsCPUs: []int{2}}
	for _, c := range []struct {
		name   string
		cpu    int
		with   Conditions
		beside time.Duration
	}{{"the generator's CPU", 0, apart, 0}, {"the generator's CPU, and another", 0, apart, 200 * time.Millisecond}, {"its own CPU", 1, own, 0}, {"its own CPU, and another", 1, own, 200 * time.Millisecond}} {
		w := quiet(0)
		m := w.Server.Machine
		if c.with.UpstreamCPUs != nil {
			m.CPUs, m.IRQByCPU = 3, make([]time.Duration, 3)
			m.TasksByCPU = []time.Duration{200 * time.Millisecond, 0, 300 * time.Millisecond}
		}
		m.TasksByCPU[c.cpu] += 500 * time.Millisecond
		w.Server.Upstream = &probe.Process{CPU: 500 * time.Millisecond}
		if c.beside > 0 {
			disturb(&w, c.cpu, c.beside)
		}
		if found := judgeServer(&w, &c.with); (len(found) > 0) != (c.beside > 0) {
			t.Errorf("on %s: found %+v", c.name, found)
		}
	}
}

// An upstream on the loops' CPUs takes its part of them.
func TestUpstreamIsTheBottleneck(t *testing.T) {
	w := quiet(0)
	w.Client.CPUUser, w.Client.CPUSys = 300*time.Millisecond, 200*time.Millisecond
	c := Conditions{Profile: profile.Profile{Mode: profile.Closed}, Loops: 1, SubjectCPUs: 1}
	if found := judgeBottleneck([]archive.Window{w}, c); len(found) > 0 {
		t.Errorf("half a CPU is full: %+v", found)
	}
	w.Server.Upstream = &probe.Process{CPU: 490 * time.Millisecond}
	if found := judgeBottleneck([]archive.Window{w}, c); len(found) != 1 || !strings.Contains(found[0].Detail.String(), "the load loops and the upstream used 99 %") {
		t.Errorf("found %+v", found)
	}
	c.UpstreamCPUs = []int{3}
	if found := judgeBottleneck([]archive.Window{w}, c); len(found) > 0 {
		t.Errorf("it has a CPU of its own: %+v", found)
	}
}

// Throttling is what a study wants that gives its subject a quota.
func TestThrottledOnPurpose(t *testing.T) {
	w := quiet(0)
	w.Server.Process.Throttled = time.Second
	if found := judgeServer(&w, &Conditions{Quota: true}); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}

// A finding's weight for the trial depends on how many of its windows it
// concerns: a remark up to a tenth, suspect up to half.
func TestJudgeFoldsWindows(t *testing.T) {
	for disturbed, want := range map[int]finding.Validity{0: "", 1: finding.Valid, 2: finding.Suspect, 5: finding.Suspect, 6: finding.Invalid, 10: finding.Invalid} {
		var windows []archive.Window
		for i := range 10 {
			w := quiet(i)
			if i < disturbed {
				disturb(&w, 1, time.Second)
			}
			windows = append(windows, w)
		}
		warm := quiet(-1)
		disturb(&warm, 1, time.Second) // warming up: says nothing about the trial
		windows = append([]archive.Window{warm}, windows...)
		found := Trial(nil, windows, apart)
		if want == "" {
			if len(found) > 0 {
				t.Errorf("a disturbed warm-up alone made %+v", found)
			}
			continue
		}
		if len(found) != 1 || found[0].Validity != want || len(found[0].Windows) != disturbed {
			t.Errorf("%d of 10 windows disturbed: %+v, want level %s", disturbed, found, want)
			continue
		}
		if part := fmt.Sprintf("(in %d of 10 windows)", disturbed); !strings.Contains(found[0].Detail.String(), part) {
			t.Errorf("%q lacks %q", found[0].Detail, part)
		}
		if windows[1].Level != finding.Invalid || windows[10].Level != map[bool]finding.Validity{true: finding.Invalid, false: finding.Valid}[disturbed == 10] {
			t.Errorf("%d disturbed: first window %s, last %s", disturbed, windows[1].Level, windows[10].Level)
		}
	}
}

// What the generator said about windows and the load stays.
func TestJudgeKeepsTheGeneratorsFindings(t *testing.T) {
	w := quiet(0)
	w.Client.Findings = []finding.Finding{{Name: finding.GeneratorStalled, Validity: finding.Invalid}}
	windows := []archive.Window{w}
	found := Trial([]finding.Finding{{Name: finding.Errors, Validity: finding.Suspect}}, windows, Conditions{})
	if len(found) != 1 || found[0].Name != finding.Errors || windows[0].Level != finding.Invalid || len(windows[0].Why) != 1 {
		t.Errorf("found %+v; window %+v", found, windows[0])
	}
}

package machine

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/probe"
)

// quiet is a machine that nothing speaks against.
var quiet = Fingerprint{
	CPUs: 16, Governor: "performance", Turbo: "off", SMT: "off", NUMANodes: 2, NUMABalancing: "off",
	ClockSource: "tsc", FileLimit: 1 << 20, Load1: 0.1, Busy: 0.05,
}

func TestRemarks(t *testing.T) {
	if got := remarks(quiet); got != nil {
		t.Errorf("of a quiet machine: %q", got)
	}
	tests := []struct {
		name   string
		change func(*Fingerprint)
		want   string
	}{
		{"steal", func(f *Fingerprint) { f.Virtualization, f.Steal = "KVM", 0.007 }, "(KVM) whose host has taken 0.7 %"},
		{"virtual", func(f *Fingerprint) { f.Virtualization = "KVM" }, "virtual machine (KVM): what its neighbours do"},
		{"governor", func(f *Fingerprint) { f.Governor = "performance, powersave" }, "governor is performance, powersave, not performance"},
		{"turbo", func(f *Fingerprint) { f.Turbo = "on" }, "Turbo is on"},
		{"SMT", func(f *Fingerprint) { f.SMT = "on" }, "SMT is on"},
		{"NUMA", func(f *Fingerprint) { f.NUMABalancing = "on" }, "between 2 nodes"},
		{"swap", func(f *Fingerprint) { f.SwapUsed = 1536 << 20 }, "1.5 GiB of memory are swapped out"},
		{"one CPU", func(f *Fingerprint) { f.CPUs, f.Load1 = 1, 0 }, "With 1 CPU,"},
		{"files", func(f *Fingerprint) { f.FileLimit = 1024 }, "At most 1024 files can be open, which leaves about 924 connections. Raise the limit with `ulimit -n 65536`"},
		{"hardly a file", func(f *Fingerprint) { f.FileLimit = 50 }, "about 0 connections"},
		{"load", func(f *Fingerprint) { f.Load1 = 4 }, "already 4.00 on 16 CPUs"},
		{"busy", func(f *Fingerprint) { f.Busy = 1.25 }, "used 1.2 of 16 CPUs"},
		{"clock", func(f *Fingerprint) { f.ClockSource = "hpet" }, "clock source is hpet"},
	}
	for _, test := range tests {
		f := quiet
		test.change(&f)
		got := remarks(f)
		if len(got) != 1 || !strings.Contains(got[0].String(), test.want) {
			t.Errorf("%s: %q, want one with %q", test.name, got, test.want)
		}
	}
}

func TestOneNodeNeedsNoBalancing(t *testing.T) {
	f := quiet
	f.NUMANodes, f.NUMABalancing = 1, "on"
	if got := remarks(f); got != nil {
		t.Errorf("remarks = %q", got)
	}
}

func TestObserve(t *testing.T) {
	var f Fingerprint
	f.observe(
		probe.Machine{Busy: 300 * time.Millisecond, Load1: 0.5},
		probe.Machine{Busy: 99 * time.Hour, Steal: time.Hour},
		200*time.Millisecond,
	)
	if f.Busy != 1.5 || f.Load1 != 0.5 || f.Steal != 0.01 {
		t.Errorf("busy %v, load %v, steal %v", f.Busy, f.Load1, f.Steal)
	}
}

func TestBytesText(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 bytes", 999: "999 bytes", 1000: "1 KiB", 1536: "1.5 KiB", 1 << 30: "1 GiB", 250 << 20: "250 MiB", 1<<64 - 1: "16 EiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

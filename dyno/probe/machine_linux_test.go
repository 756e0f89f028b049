package probe

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMachineSeesWork(t *testing.T) {
	m := NewMachine(os.Getpid())
	defer m.Close()
	before, err := m.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	burn("100")
	after, err := m.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	w := after.Since(before)
	if w.Busy < 50*time.Millisecond { // the kernel samples at its ticks: half is certain enough
		t.Errorf("the machine was busy for %v, 100ms were burnt", w.Busy)
	}
	if w.CPUs < 1 || w.Load1 < 0 {
		t.Errorf("window = %+v", w)
	}
}

func TestMachineNamesWhatIsMissing(t *testing.T) {
	m := NewMachine(0)
	defer m.Close()
	m.pressure[0].path = "/proc/pressure/none"
	m.snmp.path = "/proc/loadavg"
	got, err := m.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"pressure_cpu: opening /proc/pressure/none: no such file or directory",
		"tcp_retransmits: no values for Tcp:",
	} {
		if !slices.Contains(got.missing, want) {
			t.Errorf("missing = %s\nwant %q among them", strings.Join(got.missing, "\n"), want)
		}
	}
}

func BenchmarkMachine(b *testing.B) {
	m := NewMachine(os.Getpid())
	defer m.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Snapshot(); err != nil {
			b.Fatal(err)
		}
	}
}

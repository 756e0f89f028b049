//go:build linux

package rounds

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/probe"
)

// What makes a trial disturbed.
const (
	otherAllowed = 0.05 // CPUs used by programs that have no part in it
	stealAllowed = 0.01 // share of a CPU that the hypervisor took
)

// Watch observes what the machine does apart from a trial.
type Watch struct {
	machine *probe.MachineProbe
	started time.Time
	before  probe.MachineTotals
	own     time.Duration // CPU time of this program and the kernel's network threads
}

// Beside is what went on beside a trial, in CPUs.
type Beside struct {
	Other     float64 `json:"other_cpus"`  // used by neither generator nor server
	Steal     float64 `json:"steal_cpus"`  // taken by the hypervisor
	ServerCPU float64 `json:"server_cpus"` // used by the server
	// Load is the machine's load average of one minute at the end: what runs beside the
	// trial, and the trial.
	Load float64 `json:"load_average,omitempty"`
}

// Disturbed says why a trial should not count; empty if nothing speaks against it.
func (b Beside) Disturbed() string {
	switch {
	case b.Other > otherAllowed:
		return "other programs ran"
	case b.Steal > stealAllowed:
		return "time was stolen"
	}
	return ""
}

// NewWatch returns a watch of this machine.
func NewWatch() *Watch { return &Watch{machine: probe.NewMachine(0)} }

// Begin starts to observe.
func (w *Watch) Begin() {
	w.before, _ = w.machine.Snapshot() // what can't be read stays zero, and is seen as such
	w.started, w.own = time.Now(), ownCPU()
}

// End returns what went on since begin, given what generator and server used.
func (w *Watch) End(generator, server time.Duration) Beside {
	after, _ := w.machine.Snapshot()
	seconds := time.Since(w.started).Seconds()
	m := after.Since(w.before)
	other := m.Busy - generator - server - (ownCPU() - w.own)
	return Beside{Other: max(0, other.Seconds()/seconds), Steal: m.Steal.Seconds() / seconds, ServerCPU: server.Seconds() / seconds, Load: loadAverage()}
}

// loadAverage is that of one minute (proc_loadavg(5)); 0 where it can't be read.
func loadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(first, 64)
	return load
}

// Close ends the watch.
func (w *Watch) Close() { w.machine.Close() }

// ownCPU is the CPU time of this program and of the kernel's threads that carry
// packets: work for the trial that is nobody's in particular.
func ownCPU() time.Duration {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	sum := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	stats, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, path := range stats {
		if comm, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(comm), "ksoftirqd") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			sum += ProcessCPU(pid)
		}
	}
	return sum
}

// ProcessCPU is the CPU time of a process and its threads, those that have ended
// included, to the nanosecond; 0 if there is no such process. The clock's number is made as
// clock_getcpuclockid(3) does.
func ProcessCPU(pid int) time.Duration {
	const schedClock = 2 // CPUCLOCK_SCHED, include/linux/posix-timers.h
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedClock), &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// Resident is VmRSS of /proc/PID/status (proc(5)); a process that has ended has none.
func Resident(pid int) (kb float64, ok bool) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kb, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kb, err == nil
		}
	}
	return 0, false
}

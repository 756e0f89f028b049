//go:build linux

package metrics

import (
	"bytes"
	"os"
	"runtime"
	runtimemetrics "runtime/metrics"
	"strconv"
	"syscall"
	"time"

	"dyno.example/internal/build"
)

// built is what the program was built from, which doesn't change while it runs.
var built = build.Read()

// process writes what the program was built from, and what it uses of the machine, by the
// names that Prometheus' own clients give.
func (r *report) process() {
	r.family("nanogate_build_info", gauge, "Build information, as labels; the value is always 1.")
	r.level(1, "version", built.Version, "revision", built.Revision, "goversion", built.Go)
	for _, one := range []struct {
		name, help string
		read       func() (float64, bool)
	}{
		{"process_start_time_seconds", "Start time of the process, in seconds since 1970.", started},
		{"process_resident_memory_bytes", "Resident memory in bytes.", resident},
		{"process_open_fds", "Number of open file descriptors.", openFiles},
		{"process_max_fds", "Maximum number of open file descriptors.", mostFiles},
		{"go_goroutines", "Number of goroutines.", func() (float64, bool) { return float64(runtime.NumGoroutine()), true }},
		{"go_memstats_heap_alloc_bytes", "Bytes of allocated heap objects.", heap},
	} {
		if value, ok := one.read(); ok { // not without /proc
			r.family(one.name, gauge, one.help)
			r.level(value)
		}
	}
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil {
		r.family("process_cpu_seconds_total", counter, "Total user and system CPU time in seconds.")
		r.count(time.Duration(u.Utime.Nano()+u.Stime.Nano()).Seconds(), r.g.Started())
	}
}

// ticks are those of /proc in a second: USER_HZ, which is the same everywhere.
const ticks = 100

// started is when the process was started: the 22nd value of its stat, since boot.
func started() (float64, bool) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, false
	}
	after := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // a name may have spaces
	const place = 22 - 3
	if len(after) <= place {
		return 0, false
	}
	since, err := strconv.ParseFloat(string(after[place]), 64)
	all, err2 := os.ReadFile("/proc/stat")
	_, line, ok := bytes.Cut(all, []byte("\nbtime "))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	boot, err3 := strconv.ParseFloat(string(line), 64)
	return boot + since/ticks, err == nil && err2 == nil && ok && err3 == nil
}

func resident() (float64, bool) {
	statm, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(statm)
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	return pages * float64(os.Getpagesize()), err == nil
}

func openFiles() (float64, bool) {
	d, err := os.Open("/proc/self/fd")
	if err != nil {
		return 0, false
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	return float64(len(names) - 1), err == nil // without that of the folder
}

func mostFiles() (float64, bool) {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	return float64(l.Cur), err == nil
}

func heap() (float64, bool) {
	samples := []runtimemetrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}} // stops nothing, as MemStats would
	runtimemetrics.Read(samples)
	if samples[0].Value.Kind() != runtimemetrics.KindUint64 {
		return 0, false
	}
	return float64(samples[0].Value.Uint64()), true
}

package collect

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// longSlice is the time slice of a thread that yields, ns: longer than the 0.7 to 3 ms that
// others have. With the longest that there is (100 ms) it would wait as long on a busy machine,
// and what waits for it.
const longSlice = 10e6

// yielding makes the calling goroutine one whose thread gives way as soon as another thread
// of its CPU wakes, the load's or the server's, and doesn't take it from one that runs: what
// is done with events has time, as rings hold for seconds, and would show in the tail
// otherwise. Since Linux 6.12 a thread with a shorter slice takes the CPU at once from one
// with a longer slice (PREEMPT_SHORT; see sched_setattr(2), sched_runtime); before it a
// slice isn't looked at, and one who slept goes first. Its share of a CPU that is never idle
// stays as large as any other's, unlike with SCHED_IDLE or a nice value: a thread of Go that
// isn't let on for long holds up the program's collector, and with it the load.
//
// The thread ends with its goroutine. What fails changes no result, but what it costs.
func yielding() {
	runtime.LockOSThread()
	attr := unix.SchedAttr{Size: uint32(unsafe.Sizeof(unix.SchedAttr{})), Policy: unix.SCHED_BATCH, Runtime: longSlice}
	_ = unix.SchedSetAttr(0, &attr, 0)
}

// spent is the CPU time of the calling thread so far, ns: on a busy machine what takes little of
// it may take long.
func spent() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return t.Nano()
}

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

// yielding locks the calling goroutine to its thread, and has that thread preempted as soon as
// another one of its CPU wakes, the load's or the server's; when it wakes itself it preempts
// none. Events can wait, as rings hold them for seconds, and making records of them would show
// in the tail otherwise. Since Linux 6.12 a thread with a shorter slice takes the CPU at once from one
// with a longer slice (PREEMPT_SHORT; see sched_setattr(2), sched_runtime); before it,
// the one that slept longer goes first. Its share of a CPU that is never idle
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

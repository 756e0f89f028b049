package dynoprobe

import (
	"syscall"
	"unsafe"
)

// monotonic reads CLOCK_MONOTONIC in nanoseconds. Go's own monotonic readings
// count from the program's start and can't be compared with dyno's.
func monotonic() int64 {
	const clockMonotonic = 1 // linux/time.h
	var ts syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		return 0
	}
	return ts.Nano()
}

//go:build unix

package engine

import (
	"time"

	"golang.org/x/sys/unix"
)

// processUsage is the CPU time of this process so far.
func processUsage() (user, sys time.Duration) {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		return 0, 0
	}
	return time.Duration(ru.Utime.Nano()), time.Duration(ru.Stime.Nano())
}

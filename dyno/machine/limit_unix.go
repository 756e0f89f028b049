//go:build linux || darwin

package machine

import (
	"fmt"
	"syscall"
)

// RaiseFileLimit makes sure that need files may be open at once, in this
// process and in those it starts from now on. It returns how many may be open,
// and an error that says what to do when that is less.
func RaiseFileLimit(need uint64) (have uint64, err error) {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return 0, fmt.Errorf("reading the limit of open files: %w", err)
	}
	// Only package syscall's way to set it informs the runtime, which otherwise gives
	// processes it starts the limit that this one began with.
	return raise(need, r.Cur, r.Max, func(soft, hard uint64) error {
		return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: soft, Max: hard})
	})
}

func fileLimit() (uint64, error) {
	var r syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r)
	return r.Cur, err
}

//go:build !linux

package subject

import (
	"os"
	"syscall"
	"time"
)

// adoptOrphans has no counterpart here: a descendant that leaves its process
// group is not followed.
func adoptOrphans() {}

// launch starts the subject in a process group of its own.
func launch(o order) (child, error) {
	c := child{remarks: []string{"on this system the subject can't be pinned to CPUs, and children that leave its process group are not ended with it"}}
	if !o.Limits.none() {
		c.unenforced = []string{"limits can be enforced on Linux only"}
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return c, err
	}
	defer null.Close()
	c.began = monotonic()
	c.PID, err = syscall.ForkExec(o.Argv[0], o.Argv, &syscall.ProcAttr{
		Dir: o.Dir, Env: o.Env, Files: []uintptr{null.Fd(), 1, 2},
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	return c, err
}

// monotonic is the wall clock here, for want of one clock that all processes
// can read through the standard library.
func monotonic() int64 { return time.Now().UnixNano() }

func executable() (string, error) { return os.Executable() }

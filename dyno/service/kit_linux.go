package service

import (
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// startOn starts a program on the CPUs given, which it inherits from the thread that
// starts it; on all of dyno's if none are given.
func startOn(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) == 0 {
		return cmd.Start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, wanted unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return cmd.Start()
	}
	for _, cpu := range cpus {
		wanted.Set(cpu)
	}
	if unix.SchedSetaffinity(0, &wanted) == nil {
		defer func() { _ = unix.SchedSetaffinity(0, &before) }()
	}
	return cmd.Start()
}

// withDeath has a program killed when dyno is gone, in a process group of its own.
func withDeath(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

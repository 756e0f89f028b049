//go:build !linux

package service

import (
	"os/exec"
	"syscall"
)

// startOn starts a program; on which CPUs can't be said here.
func startOn(cmd *exec.Cmd, _ []int) error { return cmd.Start() }

// withDeath gives a program a process group of its own; that dyno is gone it isn't told
// here.
func withDeath(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

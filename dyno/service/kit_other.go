//go:build !linux

package service

import (
	"os/exec"
	"syscall"
)

// startOn starts a program; its CPUs can't be chosen here.
func startOn(cmd *exec.Cmd, _ []int) error { return cmd.Start() }

// withDeath gives a program a process group of its own; here nothing signals it when dyno
// is gone.
func withDeath(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

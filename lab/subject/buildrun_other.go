//go:build !linux

package subject

import "syscall"

// buildAttributes gives a build a process group of its own.
func buildAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

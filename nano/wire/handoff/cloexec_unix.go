//go:build unix

package handoff

import "syscall"

func closeOnExec(fd int) { syscall.CloseOnExec(fd) }

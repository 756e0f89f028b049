//go:build unix

package nano

import "syscall"

func closeOnExec(fd int) { syscall.CloseOnExec(fd) }

package subject

import "syscall"

// buildAttributes gives a build a process group of its own and lets its shell
// die with dyno.
func buildAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

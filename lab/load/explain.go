package load

import (
	"errors"
	"os"
	"syscall"
)

// explainConnect adds what can be done about it.
func explainConnect(err error) string {
	var call *os.SyscallError // names the call: binding to an address that is not ours fails so too
	switch {
	case err == syscall.EADDRNOTAVAIL, errors.As(err, &call) && call.Syscall == "connect" && call.Err == syscall.EADDRNOTAVAIL:
		return "no local port is free: give more addresses to connect from, or reuse connections"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return err.Error() + ": raise the limit on open files (ulimit -n)"
	}
	return err.Error()
}

package load

import (
	"errors"
	"syscall"
)

// explainConnect adds what can be done about it.
func explainConnect(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return "no local port is free: give more addresses to connect from, or reuse connections"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return err.Error() + ": raise the limit on open files (ulimit -n)"
	}
	return err.Error()
}

//go:build unix

package acme

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file (flock(2)), which is made if there is none. The kernel unlocks
// it when the process ends, however that does; NFS passes it on to the other machines.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, err
	}
	return func() { f.Close() }, nil
}

package check

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"dyno.example/internal/i18n"
)

// scratch makes an empty folder for a subject's log and sockets, below stateDir, and removes
// those of checks that were killed. A folder is in use as long as its maker has it locked,
// which ends with the process however it ends.
func scratch(stateDir string) (dir string, remove func(), err error) {
	failed := func(err error) (string, func(), error) {
		return "", nil, i18n.Errorf("check.making-folder", "making the folder for a subject's log and sockets: %w", err)
	}
	parent, err := filepath.Abs(filepath.Join(stateDir, "checks"))
	if err != nil {
		return failed(err)
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return failed(err)
	}
	// Whoever makes or removes folders has the parent locked, so that none is removed between
	// being made and being locked.
	all, err := lock(parent, syscall.LOCK_EX)
	if err != nil {
		return failed(err)
	}
	defer all.Close()
	entries, err := os.ReadDir(parent)
	if err != nil {
		return failed(err)
	}
	for _, e := range entries {
		left := filepath.Join(parent, e.Name())
		if own, err := lock(left, syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			os.RemoveAll(left) // what can't be removed costs space only
			own.Close()
		}
	}
	if dir, err = os.MkdirTemp(parent, ""); err != nil {
		return failed(err)
	}
	own, err := lock(dir, syscall.LOCK_EX)
	if err != nil {
		return failed(errors.Join(err, os.RemoveAll(dir)))
	}
	return dir, func() { os.RemoveAll(dir); own.Close() }, nil
}

// lock locks a folder until the file is closed or the process ends.
func lock(dir string, how int) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		if err = syscall.Flock(int(f.Fd()), how); err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, err
		}
	}
}

package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"dyno.example/internal/i18n"
)

// machineLock makes sure that one study at a time measures on this machine:
// two would measure each other.
type machineLock struct{ file *os.File }

// lockMachine takes the lock, or says which process has it. The lock ends with the
// process, however that ends.
func lockMachine(stateDir string) (*machineLock, error) {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, i18n.Errorf("runner.making-state-folder", "making the state folder: %w", err)
	}
	path := filepath.Join(stateDir, "measuring.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, i18n.Errorf("runner.opening-measuring-lock", "opening the measuring lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := os.ReadFile(path)
		f.Close()
		return nil, i18n.Errorf("runner.machine-locked", "another study is being measured on this machine (process %s): both would be wrong; wait for it to end", strings.TrimSpace(string(holder)))
	}
	if err != nil {
		f.Close()
		return nil, i18n.Errorf("runner.locking", "locking %s: %w", path, err)
	}
	f.Truncate(0)
	f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	return &machineLock{f}, nil
}

func (l *machineLock) release() { l.file.Close() }

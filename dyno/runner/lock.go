package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// machineLock makes sure that one study at a time measures on this machine:
// two would measure each other.
type machineLock struct{ file *os.File }

// lockMachine takes the lock, or says who has it. It ends with the process,
// however that ends.
func lockMachine(stateDir string) (*machineLock, error) {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, fmt.Errorf("making the state folder: %w", err)
	}
	path := filepath.Join(stateDir, "measuring.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the measuring lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := os.ReadFile(path)
		f.Close()
		return nil, fmt.Errorf("another study is being measured on this machine (process %s): both would be wrong; wait for it to end", strings.TrimSpace(string(holder)))
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	f.Truncate(0)
	f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	return &machineLock{f}, nil
}

func (l *machineLock) release() { l.file.Close() }

package tune

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"dyno.example/internal/i18n"
)

// lock lets one process at a time change settings. It ends with the process,
// however that ends.
func lock(home string) (unlock func(), err error) {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for the journal: %w", err)
	}
	path := filepath.Join(home, "tuning.lock")
	f, err := openPlain(path, os.O_CREATE|os.O_RDWR)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of settings: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder, _ := io.ReadAll(io.LimitReader(f, 20))
		f.Close()
		return nil, fmt.Errorf("another dyno is changing settings of this machine (process %s): wait for it to end", strings.TrimSpace(string(holder)))
	}
	if err != nil {
		f.Close()
		return nil, i18n.Errorf("runner.locking", "locking %s: %w", path, err)
	}
	if err = f.Truncate(0); err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		f.Close()
		return nil, i18n.Errorf("tune.writing", "writing %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

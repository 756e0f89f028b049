//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package archive

import (
	"errors"
	"io/fs"
	"os"
)

// lock marks the run as being written. Nothing here lets go of the mark when
// the process is killed.
func lock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
}

// locked reports whether the mark is there. A writer that died left it behind,
// so such a run looks as if it were still being written.
func locked(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

package subjectcmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// freeOnDisk is the bytes that a user may still write where dir is.
func freeOnDisk(dir string) (uint64, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}

package subject

import (
	"os"

	"golang.org/x/sys/unix"
)

// FreeSpace returns the bytes that are left to this user on the disk of a folder, which
// it makes if it isn't there.
func FreeSpace(dir string) (uint64, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}

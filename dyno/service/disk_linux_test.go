package service

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/study"
)

// TestDiskFull: a disk with no room for a database says so, and gets all back.
func TestDiskFull(t *testing.T) {
	needs(t, study.Postgres)
	disk, err := os.MkdirTemp("", "small-disk-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(disk)
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=8m,mode=755"); err != nil {
		t.Skip("a small disk can't be made:", err)
	}
	defer unix.Unmount(disk, unix.MNT_DETACH)
	_, err = Start(t.Context(), hostAt(t, disk), study.Service{Name: "db", Use: study.Postgres, As: "X"})
	checkError(t, err, []string{"service db", "No space left on device"})
	if left, _ := filepath.Glob(filepath.Join(disk, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

//go:build linux

// Package disktest gives tests a disk that can be full.
package disktest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// size of the disk.
const size = 256 << 10

// Disk is a small file system of a test's own, if the test may mount one. Else it is a
// folder, and no file of the process can grow while it is full (RLIMIT_FSIZE,
// setrlimit(2)): such a test must not run in parallel with others.
type Disk struct {
	Dir string

	t       testing.TB
	mounted bool
	limit   unix.Rlimit // before it was full
}

// New makes a disk, which is gone after the test.
func New(t testing.TB) *Disk {
	t.Helper()
	d := &Disk{Dir: t.TempDir(), t: t}
	err := unix.Mount("disktest", d.Dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "size=256k,mode=0700")
	if d.mounted = err == nil; d.mounted {
		t.Cleanup(func() {
			if err := unix.Unmount(d.Dir, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		return d
	}
	if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EACCES) {
		t.Fatal(err)
	}
	t.Log("no file system can be mounted here: the size of files is limited instead")
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &d.limit); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Free)
	return d
}

// Fill leaves no room.
func (d *Disk) Fill() {
	d.t.Helper()
	if !d.mounted {
		// A signal comes with it, which Go ignores.
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 0, Max: d.limit.Max}); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	f, err := os.Create(d.filling())
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for range size / 512 {
		if _, err := f.Write(make([]byte, 1024)); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			d.t.Fatal(err)
		}
	}
	d.t.Fatal("the disk doesn't get full")
}

// Free makes room again.
func (d *Disk) Free() {
	d.t.Helper()
	if !d.mounted {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &d.limit); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	if err := os.Remove(d.filling()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *Disk) filling() string { return filepath.Join(d.Dir, "filling") }

package main

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestDiskFullWhileArchiving(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("mounting a tiny file system takes root")
	}
	home := t.TempDir()
	if err := unix.Mount("tmpfs", home, "tmpfs", 0, "size=100k"); err != nil {
		t.Skipf("can't mount a tiny file system here: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(home, unix.MNT_DETACH) })
	o := dyno(t, home, "run", studyFile(t, home, 20, "good"))
	o.want(t, 1, o.stderr, "no space left on device", "kept in", "1/20")
	if strings.Contains(o.stderr, "20/20") {
		t.Error("the run went on after the disk was full")
	}
	contains(t, o.stdout, "steady", "repeat  ")
	o = dyno(t, home, "list")
	o.want(t, 0, o.stdout, "failed")
	o = dyno(t, home, "show", "latest")
	o.want(t, 0, o.stdout, "no space left")
}

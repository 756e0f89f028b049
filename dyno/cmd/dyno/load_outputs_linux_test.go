package main

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A full disk names the file, and keeps no other output from being written.
func TestLoadOutputsOnAFullDisk(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("mounting a tiny file system takes root")
	}
	home := t.TempDir()
	full := filepath.Join(home, "full")
	if err := os.Mkdir(full, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", full, "tmpfs", 0, "size=4k"); err != nil {
		t.Skipf("can't mount a tiny file system here: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(full, unix.MNT_DETACH) })
	server := serve(t, "good")
	o := dyno(t, home, "load", "-c", "2", "-n", "500", server, "-o", "full/r.html", "-o", "w.csv")
	o.want(t, 1, o.stderr, "full/r.html", "no space left on device")
	contains(t, o.stdout, "throughput")
	contains(t, read(t, filepath.Join(home, "w.csv")), "response_p99_us")

	o = dyno(t, home, "load", "-c", "2", "-n", "500", server, "-o", "jsonl=/dev/full")
	o.want(t, 1, o.stderr, "writing events to /dev/full", "no space left on device")
	contains(t, o.stdout, "throughput")
}

//go:build linux

package disktest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDisk(t *testing.T) {
	d := New(t)
	path := filepath.Join(d.Dir, "a")
	write := func() error { return os.WriteFile(path, make([]byte, 8<<10), 0o600) }
	for range 2 {
		if err := write(); err != nil {
			t.Fatal(err)
		}
		os.Remove(path)
		d.Fill()
		if err := write(); err == nil {
			t.Error("there is room on a disk that is full")
		}
		d.Free()
	}
}

package sockets

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestListenUnixReplacesOnlyWhatNobodyServes: a socket that was left behind goes, one
// that somebody listens on stays, and so does what is no socket.
func TestListenUnixReplacesOnlyWhatNobodyServes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("unix sockets have no mode there")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	first, err := ListenUnix(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != unixMode {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if ln, err := ListenUnix(path, 0); err == nil {
		ln.Close()
		t.Error("took the socket of somebody who listens")
	}
	first.Close() // which leaves the file
	second, err := ListenUnix(path, 0o600)
	if err != nil {
		t.Fatalf("a socket that was left behind: %v", err)
	}
	defer second.Close()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ln, err := ListenUnix(file, 0); err == nil {
		ln.Close()
		t.Error("replaced a file that is no socket")
	}
	if text, err := os.ReadFile(file); string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestHasFile(t *testing.T) {
	for name, want := range map[string]bool{"": false, "@abstract": false, "/run/a": true, "a@b": true} {
		if HasFile(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

package archive

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// mountTiny mounts a file system of the size given, until the test ends.
func mountTiny(t *testing.T, options string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mounting a tiny file system takes root")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("can't mount a tiny file system here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestATinyDisk(t *testing.T) {
	store := Store{Dir: filepath.Join(mountTiny(t, "size=128k"), "runs")}
	m := manifestOf(100)
	w := newWriter(t, store, m)
	added := 0
	var err error
	for err == nil && added < len(m.Plan.Trials) {
		if err = w.AddTrial(newTrial(added)); err == nil {
			added++
		}
	}
	wantError(t, err, "no space left", "kept in "+w.Dir(), "trials;", "DYNO_HOME")
	if added == 0 {
		t.Fatal("not a single trial had room")
	}
	if err := w.Finish(Failed, err); err != nil {
		t.Fatal(err)
	}
	run, err := readWhole(store, w.ID())
	if err != nil || run.Manifest.Status != Failed || len(run.Trials) != added {
		t.Errorf("%+v, %v; want %d trials", run, err, added)
	}
}

func TestAReadOnlyDisk(t *testing.T) {
	dir := mountTiny(t, "size=128k")
	store := Store{Dir: filepath.Join(dir, "runs")}
	id := filepath.Base(finished(t, store, newManifest()))
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, "size=128k"); err != nil {
		t.Skipf("can't make a file system read-only here: %v", err)
	}
	_, err := store.Create(newManifest())
	wantError(t, err, store.Dir, "read-only file system", "DYNO_HOME")
	wantError(t, store.Remove(id), id, "read-only file system")
	if _, err := readWhole(store, id); err != nil {
		t.Errorf("reading from a read-only disk: %v", err)
	}
}

// A pipe where a file should be is named, not waited for.
func TestVerifyDoesNotWaitForAPipe(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	path := filepath.Join(finished(t, store, newManifest()), "trials/0000", windowsFile)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(path, 0o644); err != nil {
		t.Skipf("can't make a pipe here: %v", err)
	}
	_, err := store.Verify(Latest)
	wantError(t, err, path, "is no regular file")
}

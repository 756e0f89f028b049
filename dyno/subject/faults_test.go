package subject

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// A build that needs more room than there is does not begin.
func TestBuildWithoutRoom(t *testing.T) {
	note := filepath.Join(t.TempDir(), "note")
	c, m := shellSubject(t, "touch "+note+"; cp main.sh $OUT/x")
	m.Build.Disk = 250 * megabyte
	b := &Builder{Dir: t.TempDir(), free: func(string) (uint64, error) { return 12 * megabyte, nil }}
	_, err := b.Build(t.Context(), c, m)
	var disk *DiskError
	if !errors.As(err, &disk) || !strings.Contains(err.Error(), "subject sh/x: its build takes about 250 MB on disk, and "+b.Dir+" has 12 MB left") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(note); err == nil {
		t.Error("it was built all the same")
	}
	for name, free := range map[string]func(string) (uint64, error){
		"enough":         func(string) (uint64, error) { return 250 * megabyte, nil },
		"can't be told":  func(string) (uint64, error) { return 0, errors.ErrUnsupported },
		"asked the disk": nil,
	} {
		m.Build.Disk = 250 * megabyte
		if free == nil {
			m.Build.Disk = 1
		}
		b := &Builder{Dir: t.TempDir(), free: free}
		if _, err := b.Build(t.Context(), c, m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Faults of builds that only their commands can tell: the error has their words.
func TestBuildFaults(t *testing.T) {
	lock := func(files fstest.MapFS) {
		// Of "one", while the package is "two".
		files["sh/x/lock"] = &fstest.MapFile{Data: []byte("2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806  package\n")}
		files["sh/x/package"] = &fstest.MapFile{Data: []byte("two\n")}
	}
	for _, c := range []struct {
		name, command string
		want          []string
	}{
		{"the disk is full", "echo 'cc1: error writing main.o: No space left on device'; exit 1", []string{"No space left on device", "the disk is full; dyno subjects clean removes builds"}},
		{"the lock doesn't match", "sha256sum -c lock && cp package $OUT/x", []string{"package: FAILED", "did NOT match"}},
		{"the toolchain is broken", "dyno-no-such-compiler -o $OUT/x main.c", []string{"exit status 127", "not found"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			catalog, m := shellSubject(t, c.command, lock)
			b := &Builder{Dir: t.TempDir()}
			_, err := b.Build(t.Context(), catalog, m)
			var failure *BuildError
			if !errors.As(err, &failure) {
				t.Fatalf("got %v", err)
			}
			for _, want := range append(c.want, "subject sh/x could not be built") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error lacks %q:\n%v", want, err)
				}
			}
			if built, _ := filepath.Glob(filepath.Join(b.Dir, "builds", "*", "out")); len(built) > 0 {
				t.Errorf("there is a build all the same: %v", built)
			}
		})
	}
}

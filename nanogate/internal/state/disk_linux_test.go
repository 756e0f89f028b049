package state

import (
	"os"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/disktest"
)

// On a full disk what was kept last stays as it was, and nothing is left lying about.
func TestFullDisk(t *testing.T) {
	disk := disktest.New(t)
	f := Open(disk.Dir).File("etcd", "users")
	is := func(want string) {
		t.Helper()
		var got string
		if there, err := f.Load(&got); !there || err != nil || got != want {
			t.Errorf("there is %q, %v, want %q", got, err, want)
		}
		if all, err := os.ReadDir(disk.Dir); len(all) != 1 || err != nil {
			t.Errorf("%v, %v", all, err)
		}
	}
	if err := f.Save("the first"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"another", strings.Repeat("a long one ", 1000)} {
		disk.Fill()
		if err := f.Save(text); err == nil {
			t.Error("it could be kept")
		}
		disk.Free()
		is("the first")
	}
	if err := f.Save("the next"); err != nil {
		t.Fatal(err)
	}
	is("the next")
}

package tune

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/dyno/machine/setting"
)

// described is a file as somebody may have put it there.
type described struct {
	uid  uint32
	mode fs.FileMode
}

func (d described) Name() string       { return "tuning.jsonl" }
func (d described) Size() int64        { return 0 }
func (d described) Mode() fs.FileMode  { return d.mode }
func (d described) ModTime() time.Time { return time.Time{} }
func (d described) IsDir() bool        { return false }
func (d described) Sys() any           { return &syscall.Stat_t{Uid: d.uid, Nlink: 1} }

// Root goes by what root has written, a user by what that user or root has.
func TestWhoseJournal(t *testing.T) {
	for _, tt := range []struct {
		user int
		described
		wrong string
	}{
		{0, described{0, 0o600}, ""},
		{0, described{0, 0o644}, ""},
		{0, described{1000, 0o600}, "is of user 1000"},
		{0, described{0, 0o666}, "can be written by others"},
		{0, described{0, 0o660}, "can be written by others"},
		{1000, described{1000, 0o600}, ""},
		{1000, described{0, 0o644}, ""},
		{1000, described{1001, 0o600}, "is of user 1001"},
	} {
		err := owned("tuning.jsonl", tt.described, tt.user)
		if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("user %d, %+v: %v, want %q", tt.user, tt.described, err, tt.wrong)
		}
	}
}

// Nothing is read from, or written to, what somebody has linked to where the journal and
// the lock are.
func TestLinksAreNotFollowed(t *testing.T) {
	links := map[string]func(old, path string) error{"a symbolic link": os.Symlink, "a hard link": os.Link}
	links["a pipe"] = func(_, path string) error { return syscall.Mkfifo(path, 0o600) }
	for _, name := range []string{"tuning.jsonl", "tuning.lock"} {
		for what, link := range links {
			dir := t.TempDir()
			tuner := &Tuner{Root: laptop(t), Home: filepath.Join(dir, "home")}
			victim := filepath.Join(dir, "victim")
			if err := os.Mkdir(tuner.Home, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := link(victim, filepath.Join(tuner.Home, name)); err != nil {
				t.Fatal(err)
			}
			_, err1 := tuner.Tune(t.Context(), setting.Quiet)
			_, err2 := tuner.Restore(true)
			if err1 == nil || err2 == nil {
				t.Errorf("%s is %s: %v, %v", name, what, err1, err2)
			}
			if b, err := os.ReadFile(victim); err != nil || string(b) != "precious" {
				t.Errorf("%s is %s: the file has %q, %v", name, what, b, err)
			}
		}
	}
}

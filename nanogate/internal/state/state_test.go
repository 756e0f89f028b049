package state

import (
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

var quiet = slog.New(slog.DiscardHandler)

// all are instances of all sorts.
var all = []upstream.Instance{
	{Address: config.Address{IP: netip.MustParseAddrPort("10.0.0.1:80")}, Weight: 3, Zone: "a"},
	{Address: config.Address{IP: netip.MustParseAddrPort("10.0.0.2:80"), TLS: true}, Weight: 1},
	{Address: config.Address{IP: netip.MustParseAddrPort("[fd00::1]:80"), HTTP2: true}, Weight: 1},
	{Address: config.Address{Unix: "/run/users.sock", TLS: true}, Weight: 1},
	{Address: config.Address{Name: "users.example", Port: 81}, Weight: 1},
}

// kept is what keeps the instances of a test's source.
func kept(dir, key string) *Instances {
	return Open(dir).Instances(quiet, "test", "consul", key)
}

func recalled(t *testing.T, dir, key string) []upstream.Instance {
	t.Helper()
	got, _, err := kept(dir, key).Recall()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// What was kept last is there again, as it was, and nobody else may read it.
func TestInstances(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if got := recalled(t, dir, "users"); got != nil {
		t.Errorf("nothing was kept, and there is %v", got)
	}
	k := kept(dir, "users")
	k.Keep(all[:1])
	k.Keep(all)
	before := time.Now()
	k.Close()
	got, read, err := kept(dir, "users").Recall()
	if err != nil || !reflect.DeepEqual(got, all) || read.After(before) || before.Sub(read) > time.Hour {
		t.Errorf("got %v of %s, %v", got, read, err)
	}
	if got := recalled(t, dir, "orders"); got != nil {
		t.Errorf("of another source: %v", got)
	}
	if got := recalled(t, "", "users"); got != nil {
		t.Errorf("without a directory: %v", got)
	}
	info, err := os.Stat(k.file.Name())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if info, err = os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, temporary)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}

	// Nobody is somebody, too.
	k.Keep(nil)
	k.Close()
	if got := recalled(t, dir, "users"); got == nil || len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

// What says the same is written for the time only, now and then.
func TestAgain(t *testing.T) {
	k := kept(t.TempDir(), "users")
	k.Keep(all)
	k.Close()
	path := k.file.Name()
	gone := func() bool { _, err := os.Stat(path); return os.IsNotExist(err) }
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	k.Keep(all)
	if k.Close(); !gone() {
		t.Error("it was written again")
	}
	k.at = k.at.Add(-again)
	k.Keep(all)
	if k.Close(); gone() {
		t.Error("it wasn't written again")
	}
}

// A file that isn't ours, or isn't whole, is an error that names it, and no instances.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	k := kept(dir, "users")
	k.Keep(all)
	k.Close()
	whole, err := os.ReadFile(k.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty": "", "cut": string(whole[:len(whole)/2]), "a list": "[]",
		"a later version": strings.Replace(string(whole), `"version": 1`, `"version": 2`, 1),
		"no address":      strings.Replace(string(whole), "10.0.0.1:80", "10.0.0.1:x", 1),
	} {
		if text == string(whole) {
			t.Fatalf("%s: it is as it was", name)
		}
		if err := os.WriteFile(k.file.Name(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, err := kept(dir, "users").Recall(); err == nil || got != nil || !strings.Contains(err.Error(), k.file.Name()) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

// A directory that can't be written is told, and a smaller file is there as it was.
func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Open(path).File("consul", "users").Save(1); err == nil {
		t.Error("it was saved into a file")
	}
	f := Open(dir).File("consul", "users")
	f.dir.most = 100
	if err := f.Save("small"); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(strings.Repeat("x", 99)); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("too much: %v", err)
	}
	if err := os.WriteFile(Open(dir).File("consul", "orders").Name(), []byte(strings.Repeat(" ", 101)), 0o600); err != nil {
		t.Fatal(err)
	}
	var got string
	if _, err := f.dir.File("consul", "orders").Load(&got); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("too much: %v", err)
	}
	if there, err := f.Load(&got); !there || err != nil || got != "small" {
		t.Errorf("%v %v %q", there, err, got)
	}
}

// Files that nobody has written for long are removed, but not those of others.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	file := func(name string, age time.Duration) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const hash = "0123456789abcdef01234567"
	gone := []string{file("consul-"+hash+".json", 91*24*time.Hour), file(".new-7", 2*time.Hour)}
	stays := []string{file("etcd-"+hash+".json", 91*24*time.Hour), file("consul-notes.json", 91*24*time.Hour), file(".new-8", time.Minute), file("consul-"+strings.Replace(hash, "0", "1", 1)+".json", 89*24*time.Hour)}
	Open(dir).sweep("consul", now)
	for _, path := range gone {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is there still", path)
		}
	}
	for _, path := range stays {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

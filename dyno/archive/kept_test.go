package archive_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// What is kept is read back and sealed with the run; what is missing has a reason.
func TestKeptIsReadBack(t *testing.T) {
	made := short()
	first := &made.Trials[0]
	first.Keep(archive.CPUProfile, []byte("profile"), nil, nil)
	first.Keep(archive.HeapProfile, []byte("packed"), []byte("with hunter22 in it"), study.Secrets{"hunter22": "x"})
	first.Keep(archive.SlowProfile, make([]byte, archive.MostKept+1), nil, nil)
	first.Lack(archive.RuntimeProfile, errors.New("not offered"))
	first.KeepFlight([]byte("one"), "why one", nil)
	first.KeepFlight([]byte("with hunter22"), "why two", study.Secrets{"hunter22": "x"})
	first.KeepFlight([]byte("three"), "why three", nil)
	run := archived(t, made)
	flights := run.Flights(0)
	if len(flights) != 2 || flights[1][1] != "why three" {
		t.Fatalf("%v", flights)
	}
	if content, err := os.ReadFile(flights[1][0]); err != nil || string(content) != "three" {
		t.Errorf("%q, %v", content, err)
	}
	kept := run.Trials[0].Kept
	if len(kept) != 7 || kept[0].File == "" || kept[0].Bytes != 7 || !strings.Contains(kept[1].Missing, "secret") || !strings.Contains(kept[2].Missing, "64") || kept[3].Missing != "not offered" {
		t.Fatalf("%+v", kept)
	}
	content, err := run.Kept(0, archive.CPUProfile)
	if err != nil || string(content) != "profile" {
		t.Errorf("%q, %v", content, err)
	}
	for _, kind := range []archive.Kind{archive.HeapProfile, archive.SlowProfile, archive.RuntimeProfile} {
		if content, err := run.Kept(0, kind); content != nil || err != nil || run.KeptFile(0, kind) != "" {
			t.Errorf("%s: %q, %v", kind, content, err)
		}
	}
	file := run.KeptFile(0, archive.CPUProfile)
	if err := os.WriteFile(file, []byte("spoilt"), 0o644); err != nil {
		t.Fatal(err)
	}
	store := archive.Store{Dir: filepath.Dir(run.Dir)}
	if v, err := store.Verify(filepath.Base(run.Dir)); err != nil || len(v.Damages) != 1 {
		t.Errorf("nobody finds the spoilt file: %+v %v", v, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	var damage *archive.Damage
	if _, err := run.Kept(0, archive.CPUProfile); !errors.As(err, &damage) {
		t.Errorf("%v", err)
	}
}

// A trial can't name a file elsewhere.
func TestKeptStaysInItsFolder(t *testing.T) {
	for _, name := range []string{"../../manifest.json", "/etc/passwd", ".hidden", "a/b"} {
		made := short()
		made.Trials[0].Keep(archive.CPUProfile, []byte("profile"), nil, nil)
		run := archived(t, made)
		path := filepath.Join(run.Dir, "trials", "0000", "trial.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"cpu.pb.gz"`, `"`+name+`"`, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := (archive.Store{Dir: filepath.Dir(run.Dir)}).Open(filepath.Base(run.Dir)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

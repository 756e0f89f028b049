package archive

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestKeepIn: the folder is whole, is what its sums say, and none that is there is written over.
func TestKeepIn(t *testing.T) {
	within := t.TempDir()
	folder := filepath.Join(within, "a.kept")
	kept := []Kept{{Kind: CPUProfile, File: "cpu.pb.gz", Bytes: 3, Content: []byte("abc")}, {Kind: FlightTrace, Missing: "none"}}
	if err := KeepIn(folder, kept); err != nil {
		t.Fatal(err)
	}
	check := exec.Command("sha256sum", "--check", "--strict", SumsFile)
	check.Dir = folder
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	var got []Kept
	list, err := os.ReadFile(filepath.Join(folder, KeptListFile))
	if err == nil {
		err = json.Unmarshal(list, &got)
	}
	if err != nil || len(got) != 2 || got[0].File != "cpu.pb.gz" || got[1].Missing != "none" {
		t.Errorf("%v: %+v", err, got)
	}
	if content, err := os.ReadFile(filepath.Join(folder, "cpu.pb.gz")); err != nil || string(content) != "abc" {
		t.Errorf("%v: %q", err, content)
	}
	if err := KeepIn(folder, kept[:1]); err == nil {
		t.Error("it was written over")
	}
	if entries, err := os.ReadDir(within); err != nil || len(entries) != 1 {
		t.Errorf("%v: something is left: %v", err, entries)
	}
}

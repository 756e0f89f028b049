package check

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder of a check that was killed goes with the next check, one that is in use stays.
func TestScratchLeftBehindGoes(t *testing.T) {
	home := t.TempDir()
	left := filepath.Join(home, "checks", "left")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "log"), []byte("it was killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, removeFirst, err := scratch(home)
	if err != nil {
		t.Fatal(err)
	}
	second, removeSecond, err := scratch(home)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what a killed check left is there: %v", err)
	}
	for _, dir := range []string{first, second} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("one in use is gone: %v", err)
		}
	}
	removeFirst()
	removeSecond()
	entries, err := os.ReadDir(filepath.Join(home, "checks"))
	if err != nil || len(entries) != 0 {
		t.Errorf("%v are left, %v", entries, err)
	}
}

package published

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each run is counted once, and once more when it is published; nothing is changed.
func TestRegister(t *testing.T) {
	folder := t.TempDir()
	first := []Attempt{{Study: "s", Run: "1", Published: true}, {Study: "s", Run: "2"}}
	for range 2 {
		if err := Register(folder, first); err != nil {
			t.Fatal(err)
		}
	}
	if err := Register(folder, []Attempt{{Study: "s", Run: "2", Published: true}, {Study: "s", Run: "1"}}); err != nil {
		t.Fatal(err)
	}
	list, err := Attempts(folder)
	if err != nil || len(list) != 3 || !list[2].Published || list[2].Run != "2" {
		t.Errorf("%+v, %v", list, err)
	}
	if err := os.WriteFile(filepath.Join(folder, RegisterName), []byte("{}\nno\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Attempts(folder); err == nil || !strings.Contains(err.Error(), RegisterName+":2:") {
		t.Errorf("%v", err)
	}
}

package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuilt(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module hello.example\n\ngo 1.26.0\n",
		"main.go":         "package main\n\nfunc main() { println(\"hello\") }\n",
		"broken/main.go":  "package main\n\nfunc main() { missing() }\n",
		"broken/other.go": "package main\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := Built(dir, ".", "GOWORK=off", "GOFLAGS=")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(file).CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("it says %q, %v", out, err)
	}
	if again, err := Built(dir, ".", "GOWORK=off", "GOFLAGS="); err != nil || again != file {
		t.Errorf("it is %s, and then %s, %v", file, again, err)
	}
	if _, err := Built(dir, "./broken", "GOWORK=off", "GOFLAGS="); err == nil || !strings.Contains(err.Error(), "undefined: missing") {
		t.Errorf("what doesn't compile: %v", err)
	}
}

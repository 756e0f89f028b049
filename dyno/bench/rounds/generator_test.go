//go:build linux

package rounds

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWithoutFolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "certificate.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	command := []string{file, "-certificate", file, "https://127.0.0.1:1/x", "/no/such/path", "relative"}
	want := []string{"certificate.pem", "-certificate", "certificate.pem", "https://127.0.0.1:1/x", "/no/such/path", "relative"}
	if got := withoutFolders(command); !slices.Equal(got, want) || command[0] != file {
		t.Errorf("%q of %q", got, command)
	}
}

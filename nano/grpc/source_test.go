package grpc

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSourceIsWhole: all files but tests, and nothing else.
func TestSourceIsWhole(t *testing.T) {
	want, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	want = slices.DeleteFunc(append(want, "go.mod"), func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	got, err := fs.Glob(Source(), "*")
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q, %v", got, want, err)
	}
}

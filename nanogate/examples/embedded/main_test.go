//go:build linux

package main

import (
	"os"
	"strings"
	"testing"

	"dyno.example/nanogate/docs"
)

// The documentation shows the example as it is.
func TestDocumented(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, ok := strings.Cut(string(source), "package main\n")
	if !ok || !strings.Contains(docs.All(), "```go\npackage main\n"+program+"```") {
		t.Errorf("nanogate/docs doesn't show\n%s", source)
	}
}

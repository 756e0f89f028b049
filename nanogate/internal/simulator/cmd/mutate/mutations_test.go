//go:build linux

package main

import (
	"os"
	"testing"
)

// What mutations change is where they say, once.
func TestMutationsApply(t *testing.T) {
	t.Chdir("../../../../..")
	if _, err := os.Stat("nanogate"); err != nil {
		t.Fatal(err)
	}
	list, err := mutations()
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]int{}
	for _, m := range list {
		parts[m.Part]++
		for _, path := range m.Files() {
			if _, err := m.Apply(path); err != nil {
				t.Error(err)
			}
		}
	}
	for _, part := range []string{"exchange", "pool", "http1", "http2", nano} {
		if parts[part] < 10 {
			t.Errorf("%d mutations of %s, not 10", parts[part], part)
		}
	}
}

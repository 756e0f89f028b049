//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A record is of one build and of worlds of one size: it isn't gone on with by another.
func TestRecordIsOfOneBuild(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record.json")
	first, err := readRecord(file, 300, "0123456789ab")
	if err != nil || first.Of != "0123456789ab" {
		t.Fatalf("%+v, %v", first, err)
	}
	if err := (&run{worlds: 2, done: 600}).keep(first, file, 7); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		size     int
		of, want string
	}{
		{300, "0123456789ab", ""},
		{300, "0123456789ab-dirty", `of a build of "0123456789ab", not of "0123456789ab-dirty"`},
		{300, "", "not of"},
		{200, "0123456789ab", "worlds of 300 exchanges"},
	} {
		r, err := readRecord(file, c.size, c.of)
		if c.want == "" && (err != nil || r.Worlds != 2 || r.Of != c.of) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d, %q: %+v, %v", c.size, c.of, r, err)
		}
	}
}

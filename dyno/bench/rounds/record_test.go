//go:build linux

package rounds

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is archived beside the programs can still be read, compressed as it is.
func TestArchivedRecords(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../*/results/*.json.gz", "../../../nano/bench/results/*.json.gz", "../../../nanogate/bench/results/*.json.gz"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no records in %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	records := 0
	for _, file := range files {
		if strings.Contains(file, "statistics") || strings.Contains(file, "truth") || strings.HasSuffix(file, "-simulated.json.gz") {
			continue // records of other kinds
		}
		r, err := ReadRecord(file)
		if err != nil {
			t.Error(err)
			continue
		}
		records++
		if len(r.Trials) == 0 || !strings.HasSuffix(file, "-"+r.What+".json.gz") {
			t.Errorf("%s has %d trials of %s", file, len(r.Trials), r.What)
		}
	}
	if records == 0 {
		t.Error("there are none")
	}
}

func TestReadRecordRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain.json.gz": `{"version": 2}`,
		"cut.json.gz":   "\x1f\x8b\x08\x00\x00",
		"other.json":    `{"version": 1}`,
		"none.json":     "",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadRecord(path); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

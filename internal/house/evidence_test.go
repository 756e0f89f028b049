package house

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// evidenceMost is how much archived evidence may weigh: whoever wants the code takes it
// along. The studies are some 65, with some 45 KB each; what they are measured with again has
// all its blocks, where old short forms had too few for a verdict.
const evidenceMost = 4096 << 10

// dated is a record of a program below bench: its date, the time if there were several
// that day, and what it is.
var dated = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(-\d{4})?(-[a-z0-9-]+)?\.(md|json|json\.gz)$`)

// Archived results are small, and are called by what they are and when they were measured.
func TestEvidence(t *testing.T) {
	var folders []string
	for _, pattern := range []string{"dyno/bench/*/results", "nano/bench/results", "nanogate/bench/results"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no records in %s: %v", pattern, err)
		}
		folders = append(folders, found...)
	}
	var sum int64
	for _, folder := range append(folders, filepath.Join(root, "dyno/docs/results")) {
		err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			sum += info.Size()
			if strings.Contains(filepath.ToSlash(folder), "/bench/") && !dated.MatchString(path.Base(name)) {
				t.Errorf("%s/%s is not called by date and what it is: 2026-11-21-cpu.json.gz, or 2026-11-21-0930-cpu.json.gz if there are several", folder, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if sum > evidenceMost || sum == 0 {
		t.Errorf("archived evidence weighs %d KB, of %d at most: compress it (gzip -9n), or keep what figures cite", sum>>10, evidenceMost>>10)
	}
}

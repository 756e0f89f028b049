//go:build unix

package archive

import (
	"os"
	"testing"
	"time"
)

// What a run holds of requests is for its owner, whatever the umask lets others read.
func TestRunsAreTheirOwners(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	w, err := s.Create(Manifest{Study: "s", Started: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Finish(Complete, nil)
	info, err := os.Stat(w.dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

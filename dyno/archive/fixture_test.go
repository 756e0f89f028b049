package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/study"
)

// newManifest is that of a study of one cell and two trials.
func newManifest() Manifest { return manifestOf(2) }

// manifestOf is that of a study of one cell and so many trials.
func manifestOf(trials int) Manifest {
	m := Manifest{
		Study: "Six Frameworks", Started: time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC),
		Plan: study.Plan{Seed: 1, Cells: []study.Cell{{Subject: "a"}}},
	}
	for i := range trials {
		m.Plan.Trials = append(m.Plan.Trials, study.PlannedTrial{Index: i})
	}
	return m
}

// newTrial has a warm-up window and two measured ones, each with histograms of
// two clocks.
func newTrial(index int) Trial {
	t := Trial{PlannedTrial: study.PlannedTrial{Index: index}, Status: Complete, Started: newManifest().Started, Mono: 10e9, Validity: finding.Valid}
	for i := -1; i < 2; i++ {
		w := Window{Client: measure.Window{Index: i, Start: int64(i+10) * 1e9, Length: time.Second, Sent: 100, Completed: 100}, Level: finding.Valid}
		for _, clock := range []measure.Clock{measure.Response, measure.Lag} {
			h := measure.NewHistogram()
			for n := range 100 {
				h.RecordValue(int64(1000 * (n + 1) * (int(clock) + i + 2)))
			}
			w.Client.Hist[clock] = h
		}
		t.Windows = append(t.Windows, w)
	}
	return t
}

func newWriter(t *testing.T, store Store, m Manifest) *Writer {
	t.Helper()
	w, err := store.Create(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.release)
	return w
}

// addTrials archives trials 0 to n−1.
func addTrials(t *testing.T, w *Writer, n int) {
	t.Helper()
	for i := range n {
		if err := w.AddTrial(newTrial(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// finished makes a whole run of two trials and returns its folder.
func finished(t *testing.T, store Store, m Manifest) string {
	t.Helper()
	w := newWriter(t, store, m)
	addTrials(t, w, 2)
	if err := w.Finish(Complete, nil); err != nil {
		t.Fatal(err)
	}
	return w.Dir()
}

// readWhole opens a run and reads all its windows.
func readWhole(store Store, ref string) (*Run, error) {
	run, err := store.Open(ref)
	if err != nil {
		return nil, err
	}
	for i := range run.Trials {
		for _, err := range run.Windows(i) {
			if err != nil {
				return nil, err
			}
		}
	}
	return run, nil
}

// edit replaces old by new in a file.
func edit(t *testing.T, path, old, new string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), old) {
		t.Fatalf("%s has no %q", path, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(content), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// unseal makes a finished run one whose writer died, so that its files are read
// without their sums.
func unseal(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, SumsFile)); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(dir, ManifestFile), `"status": "complete"`, `"status": "running"`)
	content, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(content), "\n")
	for i, line := range lines {
		if strings.Contains(line, `"finished"`) {
			lines = append(lines[:i], lines[i+1:]...)
			break
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantError fails unless the error holds all the parts.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
	var damage *Damage
	if errors.As(err, &damage) && damage.File == "" {
		t.Errorf("damage without a file: %v", err)
	}
}

// onlyRecord is a folder with the files of the record and no other.
func onlyRecord(t *testing.T, r *Record) fs.FS {
	t.Helper()
	dir := t.TempDir()
	for name := range r.Sums {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), copyFile(r.Path(name), to)); err != nil {
			t.Fatal(err)
		}
	}
	return os.DirFS(dir)
}

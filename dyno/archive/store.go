package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dyno.example/internal/i18n"
)

// Store is a folder of runs.
type Store struct {
	Dir string
}

// DefaultStore is the folder runs in DYNO_HOME, or in .dyno in the user's home
// if that is not set.
func DefaultStore() (Store, error) {
	if home := os.Getenv("DYNO_HOME"); home != "" {
		return Store{Dir: filepath.Join(home, "runs")}, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return Store{}, i18n.Errorf("archive.no-home", "no place for runs: %w; set DYNO_HOME to a folder", err)
	}
	return Store{Dir: filepath.Join(home, ".dyno", "runs")}, nil
}

// Entry is a run in a list.
type Entry struct {
	ID       string
	Dir      string   // its folder; empty if the run is in a bucket
	Address  Address  // of its content; empty if the run has not ended
	Manifest Manifest // as [Store.Open] gives it
	Trials   int      // archived
	Err      error    // why the run can't be read, as far as its manifest and sums show
}

// List returns the runs, newest first. One that can't be read is listed with
// the reason. A store that does not exist yet is empty.
func (s Store) List() ([]Entry, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, i18n.Errorf("archive.listing-runs", "listing runs: %w", err)
	}
	entries := make([]Entry, 0, len(ids))
	for _, id := range slices.Backward(ids) {
		e := Entry{ID: id, Dir: filepath.Join(s.Dir, id)}
		e.Err = e.read()
		entries = append(entries, e)
	}
	return entries, nil
}

// read fills the entry from the run's folder.
func (e *Entry) read() (err error) {
	if e.Manifest, err = readManifest(e.Dir); err != nil {
		return err
	}
	if !e.Manifest.Finished.IsZero() {
		if e.Address, err = readAddress(e.Dir); err != nil {
			return err
		}
	}
	indices, err := listTrials(e.Dir)
	e.Trials = len(indices)
	return err
}

// ids returns the names of the runs, oldest first: they begin with the time.
func (s Store) ids() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), hidden) && isRun(filepath.Join(s.Dir, e.Name())) {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// isRun reports whether the folder is one of a run. One that is just being
// created has no manifest yet.
func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ManifestFile))
	return err == nil
}

// Open reads the run that ref means: "latest", an ID, the beginning of just one
// ID or address, or the path of a run's folder. Windows come without histograms, see
// [Run.Windows]. A run that ended is read only if its files are as they were
// then, and only if it breaks no law ([Broken]); the errors are [*Damage] and
// name the file otherwise.
func (s Store) Open(ref string) (*Run, error) {
	dir, err := s.resolve(ref)
	if err != nil {
		return nil, err
	}
	run, err := open(dir)
	if err != nil {
		return nil, i18n.Errorf("archive.opening-run", "opening run %s: %w", filepath.Base(dir), err)
	}
	return run, nil
}

func open(dir string) (*Run, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	run := &Run{Dir: dir, Manifest: m}
	if !m.Finished.IsZero() {
		if run.Address, err = verify(dir); err != nil {
			return nil, err
		}
	}
	if err := checkPlan(filepath.Join(dir, ManifestFile), &m); err != nil {
		return nil, err
	}
	if run.Trials, err = readTrials(dir, &m); err != nil {
		return nil, err
	}
	return run, checkWhole(run)
}

// readManifest reads a run's manifest. If it says that the run is still being written
// but its writer is gone, it is returned as interrupted.
func readManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	content, err := readBounded(path)
	if err != nil {
		return Manifest{}, err
	}
	m, err := ParseManifest(content, path)
	if err != nil {
		return Manifest{}, err
	}
	if m.Status == Running && !locked(filepath.Join(dir, lockFile)) {
		m.Status, m.Error = Interrupted, i18n.New("archive.writer-died", "its writer died")
	}
	return m, nil
}

// removed is the end of the name of a folder that is being removed.
const removed = "removed"

// Remove deletes the run that ref means, as in [Store.Open], also if it can't
// be read. A run that is being written stays, and so does a folder elsewhere that
// only has a manifest.json, as other programs write them. Nothing is left that
// could be taken for a run if removing is interrupted; removing the same run
// again then removes what is.
func (s Store) Remove(ref string) error {
	dir, err := s.resolve(ref)
	if err != nil {
		return err
	}
	if locked(filepath.Join(dir, lockFile)) {
		return i18n.Errorf("archive.run-still-written", "removing run %s: it is being written; stop that first", filepath.Base(dir))
	}
	if filepath.Dir(dir) != filepath.Clean(s.Dir) {
		if _, err := readManifest(dir); err != nil {
			return i18n.Errorf("archive.not-a-run-folder", "removing %s: it is not in %s, and its %s is not that of a run: %w", dir, s.Dir, ManifestFile, err)
		}
	}
	doomed := filepath.Join(filepath.Dir(dir), hidden+filepath.Base(dir)+"."+removed)
	err = os.RemoveAll(doomed) // of a removal that was interrupted
	if err == nil {
		err = os.Rename(dir, doomed)
	}
	if err == nil {
		err = os.RemoveAll(doomed)
	}
	if err != nil {
		return i18n.Errorf("archive.removing-run", "removing run %s: %w", filepath.Base(dir), err)
	}
	return nil
}

// SaveAnalysis keeps an analysis next to the run, for other programs. It has no
// sum, as it follows from what has, and is never read back.
func (r *Run) SaveAnalysis(document []byte) error {
	if r.Dir == "" {
		return i18n.Errorf("archive.analysis-needs-disk", "saving the analysis: the run is only in memory")
	}
	if err := creator(createFile).replace(filepath.Join(r.Dir, analysisFile), document); err != nil {
		return i18n.Errorf("archive.saving-analysis", "saving the analysis of %s: %w%s", r.Manifest.ID, err, advice(err))
	}
	return nil
}

package archive

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestCreateNamesTheRun(t *testing.T) {
	store := Store{Dir: filepath.Join(t.TempDir(), "not", "there", "yet")}
	for study, pattern := range map[string]string{
		"six-frameworks":         `^20260314-092653-six-frameworks-[0-9a-f]{4}$`,
		"../Two  Words/é":        `^20260314-092653-two--words-[0-9a-f]{4}$`,
		"日本":                     `^20260314-092653-run-[0-9a-f]{4}$`,
		strings.Repeat("x", 200): `^20260314-092653-x{60}-[0-9a-f]{4}$`,
	} {
		m := newManifest()
		m.Study = study
		w := newWriter(t, store, m)
		if !regexp.MustCompile(pattern).MatchString(w.ID()) {
			t.Errorf("study %q gives %q", study, w.ID())
		}
		if w.Dir() != filepath.Join(store.Dir, w.ID()) {
			t.Errorf("folder %s of run %s", w.Dir(), w.ID())
		}
	}
}

func TestManyRunsOfOneSecond(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	seen := map[string]bool{}
	for range 20 {
		w := newWriter(t, store, newManifest())
		if seen[w.ID()] {
			t.Fatalf("second run %s", w.ID())
		}
		seen[w.ID()] = true
		w.release()
	}
}

func TestUpdateKeepsWhatIsNotTheCallers(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	w := newWriter(t, store, newManifest())
	id := w.ID()
	err := w.Update(func(m *Manifest) {
		m.ID, m.Schema, m.Status, m.Reference = "other", 9, Complete, "a"
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := readManifest(w.Dir())
	if err != nil || m.ID != id || m.Schema != Schema || m.Status != Running || m.Reference != "a" {
		t.Errorf("manifest %+v, %v", m, err)
	}
}

func TestFinishRecordsTheCause(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	w := newWriter(t, store, newManifest())
	if err := w.Finish(Failed, errors.New("no subject starts")); err != nil {
		t.Fatal(err)
	}
	run, err := store.Open(w.ID())
	if err != nil || run.Manifest.Status != Failed || run.Manifest.Error.String() != "no subject starts" || len(run.Trials) != 0 {
		t.Errorf("run %+v, %v", run, err)
	}
	for _, name := range []string{lockFile, ".reserve"} {
		if _, err := os.Stat(filepath.Join(w.Dir(), name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s stays: %v", name, err)
		}
	}
}

func TestFinishWithoutItsReserve(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	w := newWriter(t, store, newManifest())
	addTrials(t, w, 2)
	if err := os.Remove(w.reserved()); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(Complete, nil); err != nil {
		t.Fatal(err)
	}
	if run, err := readWhole(store, Latest); err != nil || run.Address == "" {
		t.Errorf("run %+v, %v", run, err)
	}
}

func TestAddTrialRefusesToReplace(t *testing.T) {
	w := newWriter(t, Store{Dir: t.TempDir()}, newManifest())
	addTrials(t, w, 1)
	wantError(t, w.AddTrial(newTrial(0)), "archiving trial 0", "already")
	wantError(t, w.AddTrial(newTrial(-1)), "negative")
}

func TestARunBeingWrittenIsRunning(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	w := newWriter(t, store, newManifest())
	addTrials(t, w, 1)
	run, err := readWhole(store, Latest)
	if err != nil || run.Manifest.Status != Running || len(run.Trials) != 1 {
		t.Fatalf("run %+v, %v", run, err)
	}
	wantError(t, store.Remove(w.ID()), "being written")
}

// writerEnv makes the test program a writer that never finishes.
const writerEnv = "ARCHIVE_TEST_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerEnv); dir != "" {
		writeForever(dir)
	}
	os.Exit(m.Run())
}

func writeForever(dir string) {
	w, err := Store{Dir: dir}.Create(newManifest())
	if err == nil {
		err = w.AddTrial(newTrial(0))
	}
	if err == nil {
		err = os.WriteFile(w.SubjectLog(1), []byte("listening\n"), 0o644)
	}
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString(w.ID() + "\n")
	time.Sleep(time.Minute) // to be killed long before
	os.Exit(1)
}

func TestARunWhoseWriterWasKilledIsInterrupted(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	writer := exec.Command(os.Args[0])
	writer.Env = append(os.Environ(), writerEnv+"="+store.Dir)
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	id, _ := bufio.NewReader(out).ReadString('\n')
	id = strings.TrimSpace(id)
	alive, aliveErr := store.Open(id)
	writer.Process.Kill()
	writer.Wait()
	if aliveErr != nil || alive.Manifest.Status != Running {
		t.Fatalf("before: %+v, %v", alive, aliveErr)
	}

	dead, err := readWhole(store, id)
	if err != nil {
		t.Fatal(err)
	}
	if m := dead.Manifest; m.Status != Interrupted || m.Error.String() != "its writer died" || len(dead.Trials) != 1 {
		t.Errorf("after: %d trials, status %s, error %q", len(dead.Trials), m.Status, m.Error)
	}
	if err := store.Remove(id); err != nil {
		t.Error(err)
	}
}

// fullFile is a file on a disk that has room for so many bytes more.
type fullFile struct {
	file
	room *int
}

func (f fullFile) Write(p []byte) (int, error) {
	fits := min(len(p), *f.room)
	*f.room -= fits
	n, err := f.file.Write(p[:fits])
	if err == nil && fits < len(p) {
		err = syscall.ENOSPC
	}
	return n, err
}

// full is a creator on a disk with room for so many bytes.
func full(room int) creator {
	return func(path string) (file, error) {
		f, err := createFile(path)
		return fullFile{f, &room}, err
	}
}

func TestAFullDiskLosesNothingThatWasThere(t *testing.T) {
	whole := sizeOfTrial(t)
	for size := 0; size < whole; size += 1 + whole/5 {
		store := Store{Dir: t.TempDir()}
		w := newWriter(t, store, newManifest())
		addTrials(t, w, 1)
		if err := os.WriteFile(w.SubjectLog(1), []byte("listening\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.create = full(size)
		wantError(t, w.AddTrial(newTrial(1)),
			"archiving trial 1", w.Dir(), "no space left", "kept in "+w.Dir()+": 1 trial;", "DYNO_HOME")
		if _, err := os.Stat(w.SubjectLog(1)); err != nil {
			t.Errorf("room for %d: the log is gone: %v", size, err)
		}
		w.create = createFile
		addAgain(t, w, size)
		run, err := readWhole(store, w.ID())
		if err != nil || len(run.Trials) != 2 {
			t.Errorf("room for %d: %v", size, err)
		}
	}
}

// sizeOfTrial is how many bytes the files of a trial take.
func sizeOfTrial(t *testing.T) (size int) {
	t.Helper()
	w := newWriter(t, Store{Dir: t.TempDir()}, newManifest())
	addTrials(t, w, 1)
	for _, name := range []string{trialFile, windowsFile, histogramsFile} {
		info, err := os.Stat(filepath.Join(trialFolder(w.Dir(), 0), name))
		if err != nil {
			t.Fatal(err)
		}
		size += int(info.Size())
	}
	return size
}

// addAgain archives the trial for which there was no room before.
func addAgain(t *testing.T, w *Writer, size int) {
	t.Helper()
	if err := w.AddTrial(newTrial(1)); err != nil {
		t.Fatalf("room for %d, then enough: %v", size, err)
	}
	if err := w.Finish(Interrupted, errors.New("stopped")); err != nil {
		t.Fatal(err)
	}
}

func TestFinishWithoutRoomLeavesTheRunReadable(t *testing.T) {
	for size := 0; size < 1_200; size += 300 {
		store := Store{Dir: t.TempDir()}
		w := newWriter(t, store, newManifest())
		addTrials(t, w, 1)
		w.create = full(size)
		wantError(t, w.Finish(Complete, nil), "finishing the run", "no space left")
		run, err := readWhole(store, w.ID())
		if err != nil || run.Manifest.Status != Interrupted || len(run.Trials) != 1 {
			t.Errorf("room for %d: %+v, %v", size, run, err)
		}
	}
}

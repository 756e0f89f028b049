package archive

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestVerifyListsAllThatIsWrong(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	dir := finished(t, store, newManifest())
	v, err := store.Verify(Latest)
	if err != nil || len(v.Damages) != 0 || v.Files != 7 || v.Address == "" || len(v.Beside) != 0 {
		t.Fatalf("%+v, %v", v, err)
	}
	for _, name := range []string{"report.html", "trials/0001/more.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit(t, filepath.Join(dir, ManifestFile), "{", "") // can't be read any more
	if err := os.Remove(filepath.Join(dir, "trials/0000", windowsFile)); err != nil {
		t.Fatal(err)
	}
	v, err = store.Verify(Latest)
	if err != nil || len(v.Damages) != 3 || !slices.Equal(v.Beside, []string{"report.html"}) {
		t.Fatalf("%+v, %v", v, err)
	}
	wantError(t, v.Damages[0], ManifestFile, "was changed", "its SHA-256 is", "not the")
	wantError(t, v.Damages[1], "trials/0000/"+windowsFile, "was removed")
	wantError(t, v.Damages[2], "trials/0001/more.json", "was added")
	_, err = store.Record(Latest)
	wantError(t, err, ManifestFile, "was changed")
}

func TestCopy(t *testing.T) {
	from, to := Store{Dir: t.TempDir()}, Store{Dir: filepath.Join(t.TempDir(), "not", "yet")}
	finished(t, from, newManifest())
	r, err := from.Record(Latest)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := to.Copy(r)
	if err != nil || dir != filepath.Join(to.Dir, r.ID) {
		t.Fatal(dir, err)
	}
	if run, err := readWhole(to, r.ID); err != nil || run.Address != r.Address {
		t.Errorf("%+v, %v", run, err)
	}
	if again, err := to.Copy(r); err != nil || again != dir {
		t.Errorf("copied again: %s, %v", again, err)
	}
}

// Copies whose makers were killed are cleared away; one that is being made stays.
func TestCopyClearsAway(t *testing.T) {
	from, to := Store{Dir: t.TempDir()}, Store{Dir: t.TempDir()}
	finished(t, from, newManifest())
	r, err := from.Record(Latest)
	if err != nil {
		t.Fatal(err)
	}
	folder := func(end string) string {
		dir := filepath.Join(to.Dir, "."+r.ID+"."+end)
		if err := os.MkdirAll(filepath.Join(dir, "trials", "0000"), 0o755); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	folder("removed")
	dead, err := lock(filepath.Join(folder("1234"), lockFile))
	if err != nil {
		t.Fatal(err)
	}
	dead.Close()
	alive, err := lock(filepath.Join(folder("5678"), lockFile))
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if _, err := to.Copy(r); err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, err := os.ReadDir(to.Dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"." + r.ID + ".5678", r.ID}; err != nil || !slices.Equal(names, want) {
		t.Errorf("there are %q (%v), want %q", names, err, want)
	}
	if v, err := to.Verify(r.ID); err != nil || len(v.Damages) != 0 || len(v.Beside) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// A copy that is not what its address says never becomes part of the store.
func TestAdoptRefusesWhatIsNotTheRun(t *testing.T) {
	from := Store{Dir: t.TempDir()}
	finished(t, from, newManifest())
	r, err := from.Record(Latest)
	if err != nil {
		t.Fatal(err)
	}
	copied := func(dir string) error { return os.CopyFS(dir, onlyRecord(t, r)) }
	for name, c := range map[string]struct {
		name Name
		fill func(dir string) error
		part string
	}{
		"other address": {Name{r.ID, Address(r.Sums[ManifestFile])}, copied, "has the address"},
		"other ID":      {Name{"20260314-092653-other-0000", r.Address}, copied, "is of run"},
		"a file less": {r.Name, func(dir string) error {
			if err := copied(dir); err != nil {
				return err
			}
			return os.Remove(filepath.Join(dir, "trials/0001", trialFile))
		}, "was removed"},
		"a file edited": {r.Name, func(dir string) error {
			if err := copied(dir); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "trials/0001", trialFile), []byte("{}"), 0o644)
		}, "was changed"},
		"nothing": {r.Name, func(string) error { return os.ErrDeadlineExceeded }, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			to := Store{Dir: t.TempDir()}
			_, err := to.Adopt(c.name, r.Sums, c.fill)
			wantError(t, err, c.part, "copying run "+c.name.ID)
			if left, _ := os.ReadDir(to.Dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

package archive

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestDefaultStore(t *testing.T) {
	t.Setenv("DYNO_HOME", "/data/dyno")
	if s, err := DefaultStore(); err != nil || s.Dir != filepath.FromSlash("/data/dyno/runs") {
		t.Errorf("with DYNO_HOME: %+v, %v", s, err)
	}
	t.Setenv("DYNO_HOME", "")
	t.Setenv("HOME", "/home/ada")
	if s, err := DefaultStore(); err != nil || s.Dir != filepath.FromSlash("/home/ada/.dyno/runs") {
		t.Errorf("without: %+v, %v", s, err)
	}
	t.Setenv("HOME", "")
	_, err := DefaultStore()
	wantError(t, err, "set DYNO_HOME")
}

func TestListOfNoStore(t *testing.T) {
	entries, err := Store{Dir: filepath.Join(t.TempDir(), "none")}.List()
	if err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestListShowsNewestFirstAndWhatIsDamaged(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	var dirs []string
	for day := range 3 {
		m := newManifest()
		m.Started = m.Started.AddDate(0, 0, day)
		dirs = append(dirs, finished(t, store, m))
	}
	edit(t, filepath.Join(dirs[1], ManifestFile), `"study"`, `"stduy"`)
	if err := os.Mkdir(filepath.Join(store.Dir, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := store.List()
	if err != nil || len(entries) != 3 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, e := range entries {
		if e.Dir != dirs[2-i] || e.ID != filepath.Base(e.Dir) {
			t.Errorf("entry %d is %s, want %s", i, e.Dir, dirs[2-i])
		}
	}
	if e := entries[0]; e.Err != nil || e.Trials != 2 || e.Manifest.Status != Complete {
		t.Errorf("newest: %+v", e)
	}
	wantError(t, entries[1].Err, "manifest.json:", "stduy")
}

func TestOpenByReference(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	_, err := store.Open(Latest)
	wantError(t, err, "no runs in", store.Dir)

	first := newManifest()
	second := newManifest()
	second.Study, second.Started = "gc-pauses", first.Started.Add(time.Hour)
	one, two := finished(t, store, first), finished(t, store, second)
	for ref, want := range map[string]string{
		Latest: two, filepath.Base(one): one, "20260314-09": one, "20260314-10": two, one: one, two + "/": two,
	} {
		run, err := store.Open(ref)
		if err != nil {
			t.Errorf("%q: %v", ref, err)
		} else if filepath.Clean(run.Dir) != want {
			t.Errorf("%q opens %s, want %s", ref, run.Dir, want)
		}
	}
	for ref, parts := range map[string][]string{
		"":                {"no run named"},
		"20260314":        {"begins the names of 2 runs", filepath.Base(one), filepath.Base(two)},
		"gc-pauses":       {`no run "gc-pauses"`, "nearest are " + filepath.Base(two)},
		"20260314-01":     {"nearest are"},
		"../" + store.Dir: {"no run"},
	} {
		_, err := store.Open(ref)
		wantError(t, err, parts...)
	}
}

func TestRemove(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	whole, damaged := finished(t, store, newManifest()), finished(t, store, newManifest())
	edit(t, filepath.Join(damaged, ManifestFile), "{", "")
	for _, dir := range []string{whole, damaged} {
		if err := store.Remove(filepath.Base(dir)); err != nil {
			t.Error(err)
		}
	}
	left, err := os.ReadDir(store.Dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	wantError(t, store.Remove("20260314"), "no run")
}

func TestNearest(t *testing.T) {
	ids := []string{"20260101-000000-a-0001", "20260202-000000-b-0002", "20260303-000000-c-0003", "20260404-000000-a-0004"}
	for ref, want := range map[string]string{
		"-a-": ids[3], "20260101-1": ids[0], "20260303-111": ids[2], "0002": ids[1],
	} {
		if got := nearest(ids, ref); got[0] != want || len(got) != 3 {
			t.Errorf("nearest to %q: %v, want %s first", ref, got, want)
		}
	}
}

func TestRemoveLeavesWhatIsNoRun(t *testing.T) {
	store, project := Store{Dir: filepath.Join(t.TempDir(), "runs")}, t.TempDir()
	for name, content := range map[string]string{ManifestFile: `{"name": "a web app"}`, "main.js": "precious"} {
		if err := os.WriteFile(filepath.Join(project, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, store.Remove(project), project, "not that of a run")
	if _, err := os.Stat(filepath.Join(project, "main.js")); err != nil {
		t.Error(err)
	}
	elsewhere := finished(t, Store{Dir: t.TempDir()}, newManifest())
	if err := store.Remove(elsewhere); err != nil {
		t.Errorf("a run in another folder: %v", err)
	}
}

// What an interrupted removal has left is not in the way of another.
func TestRemoveAfterAnInterruptedRemoval(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	dir := finished(t, store, newManifest())
	half := filepath.Join(store.Dir, "."+filepath.Base(dir)+".removed", "trials")
	if err := os.MkdirAll(half, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := store.Remove(Latest); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(store.Dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

package archive

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVerifyNamesWhatChanged(t *testing.T) {
	trial := filepath.Join(trialsFolder, "0001")
	for _, c := range []struct {
		name  string
		harm  func(t *testing.T, dir string)
		parts []string
	}{
		{"edited manifest", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, ManifestFile), `"quick": false`, `"quick": true`)
		}, []string{ManifestFile, "was changed"}},
		{"edited window", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, trial, windowsFile), `"completed":100`, `"completed":900`)
		}, []string{"0001/" + windowsFile, "was changed"}},
		{"removed trial", func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, trial)); err != nil {
				t.Fatal(err)
			}
		}, []string{"0001/" + trialFile, "0001/" + windowsFile, "0001/" + histogramsFile, "was removed"}},
		{"added file", func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, trial, logFile), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}, []string{"0001/" + logFile, "was added"}},
		{"no sums", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, SumsFile)); err != nil {
				t.Fatal(err)
			}
		}, []string{SumsFile, "no such file"}},
		{"damaged sums", func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, SumsFile), "  ", " ")
		}, []string{SumsFile + ":1:", "is not a sum"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := Store{Dir: t.TempDir()}
			dir := finished(t, store, newManifest())
			c.harm(t, dir)
			_, err := store.Open(Latest)
			wantError(t, err, append(c.parts, "opening run "+filepath.Base(dir))...)
		})
	}
}

func TestVerifyIgnoresWhatIsNotTheRuns(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	dir := finished(t, store, newManifest())
	if err := os.WriteFile(filepath.Join(dir, "report.html"), []byte("<p>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(Latest); err != nil {
		t.Error(err)
	}
}

// Runs whose writer died have no sums; damage in them is found by reading.
func TestDamageIsNamedByFileAndLine(t *testing.T) {
	original := finished(t, Store{Dir: t.TempDir()}, newManifest())
	unseal(t, original)
	const trial = trialsFolder + "/0001"
	for _, c := range []struct{ name, file, old, new, want string }{
		{"newer schema", ManifestFile, `"schema": 1`, `"schema": 7`, "manifest.json: schema 7 is newer than 1"},
		{"older schema", ManifestFile, `"schema": 1`, `"schema": 0`, "manifest.json: unknown schema 0"},
		{"no schema", ManifestFile, `"schema": 1,`, ``, "manifest.json: has no schema"},
		{"unknown field", ManifestFile, `"study":`, `"stduy":`, `unknown field "stduy"`},
		{"wrong type", ManifestFile, `"quick": false`, `"quick": "no"`, "manifest.json:8: quick must be true or false, not string"},
		{"syntax", trial + "/" + trialFile, `"index": 1,`, `"index": 1;`, "trial.json:2: invalid character ';'"},
		{"other trial", trial + "/" + trialFile, `"index": 1`, `"index": 0`, "trial.json: index 0 and cell 0 are not"},
		{"other cell", trial + "/" + trialFile, `"cell": 0`, `"cell": 3`, "trial.json: index 1 and cell 3 are not"},
		{"two documents", trial + "/" + trialFile, "\n}\n", "\n}\n{}\n", "goes on after its JSON"},
		{"window twice", trial + "/" + windowsFile, `{"client":{"index":0`, `{"client":{"index":-1`, "windows.jsonl:2: window -1 after window -1"},
		{"window missing", trial + "/" + histogramsFile, "#[Window: 0]\n", "", "histograms.hlog:7: second histogram of Tag=response for window -1"},
		{"unknown window", trial + "/" + histogramsFile, "#[Window: 0]", "#[Window: 5]", "histograms.hlog:7: window 5 where windows.jsonl has window 0"},
		{"bad mark", trial + "/" + histogramsFile, "#[Window: 0]", "#[Window: 0", "histograms.hlog:7:"},
		{"no mark", trial + "/" + histogramsFile, "#[Window: -1]\n", "", "histograms.hlog:4: histogram before any"},
		{"unknown clock", trial + "/" + histogramsFile, "Tag=lag", "Tag=latency", `histograms.hlog:6: "Tag=latency" is not`},
		{"no tag", trial + "/" + histogramsFile, "Tag=response,", "", "histograms.hlog:5: 4 fields"},
		{"bad histogram", trial + "/" + histogramsFile, "HISTFAAA", "HISTFBAA", "histograms.hlog:5: histogram of response:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := Store{Dir: t.TempDir()}
			dir := filepath.Join(store.Dir, filepath.Base(original))
			if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
				t.Fatal(err)
			}
			edit(t, filepath.Join(dir, filepath.FromSlash(c.file)), c.old, c.new)
			_, err := readWhole(store, Latest)
			wantError(t, err, c.want, dir)
			var damage *Damage
			if !errors.As(err, &damage) {
				t.Errorf("%v is not a Damage", err)
			}
		})
	}
}

// However much of a file is missing at its end, the run is not read as whole.
func TestTruncatedFilesAreRefused(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	dir := finished(t, store, newManifest())
	unseal(t, dir)
	if _, err := readWhole(store, Latest); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{trialFile, histogramsFile, ManifestFile, windowsFile} {
		path := filepath.Join(dir, trialsFolder, "0001", name)
		if name == ManifestFile {
			path = filepath.Join(dir, name)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		end := len(bytes.TrimRight(content, "\n"))
		for cut := 0; cut < end; cut += 1 + end/9 {
			if err := os.WriteFile(path, content[:cut], 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := readWhole(store, Latest); err == nil {
				t.Errorf("%s cut to %d of %d bytes is read as whole", name, cut, len(content))
			}
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStrayFilesAmongTheTrials(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	dir := finished(t, store, newManifest())
	unseal(t, dir)
	if err := os.Mkdir(filepath.Join(dir, trialsFolder, ".0002.tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(Latest); err != nil {
		t.Errorf("a trial that was being written: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, trialsFolder, "2"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(Latest)
	wantError(t, err, filepath.Join(trialsFolder, "2"), "not the folder of a trial")
}

func TestReadLinesBounds(t *testing.T) {
	none := func([]byte) error { return nil }
	long := strings.Repeat("x", maxLine+1) + "\n"
	wantError(t, readLines(strings.NewReader("a\n"+long), "f", none), "f:2: longer than")
	wantError(t, readLines(strings.NewReader("a\nb"), "f", none), "f:2: cut off")
	if err := readLines(strings.NewReader("a\n\nb\n"), "f", none); err != nil {
		t.Error(err)
	}
}

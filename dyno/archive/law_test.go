package archive

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// realRun is a small run as dyno made it: two trials of three seconds, a second
// of warm-up each, in a closed loop.
const realRun = "testdata/real-run"

// doctored copies the real run, does something to it, and seals it again as if
// it had always been so. It returns the store and the run's folder.
func doctored(t *testing.T, doctor func(t *testing.T, dir string)) (Store, string) {
	t.Helper()
	store := Store{Dir: t.TempDir()}
	dir := filepath.Join(store.Dir, "20260314-092653-doctored-0001")
	if err := os.CopyFS(dir, os.DirFS(realRun)); err != nil {
		t.Fatal(err)
	}
	doctor(t, dir)
	manifest, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := sum(dir, manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, SumsFile), sums.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return store, dir
}

// change replaces what the pattern finds first in a line of a file, counted from
// 1; line 0 is the whole file.
func change(file string, line int, pattern, with string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(file))
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := []string{string(content)}
		if line > 0 {
			lines = strings.SplitAfter(string(content), "\n")
		}
		at := max(line-1, 0)
		find := regexp.MustCompile(pattern)
		found := find.FindStringSubmatchIndex(lines[at])
		if found == nil {
			t.Fatalf("%s:%d has no %q", file, line, pattern)
		}
		changed := find.ExpandString(nil, with, lines[at], found)
		lines[at] = lines[at][:found[0]] + string(changed) + lines[at][found[1]:]
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARealRunBreaksNoLaw(t *testing.T) {
	store, _ := doctored(t, func(*testing.T, string) {})
	run, err := readWhole(store, Latest)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Trials) != 2 || len(run.Trials[0].Windows) != 4 {
		t.Errorf("%d trials", len(run.Trials))
	}
}

// A run that was changed and sealed again is refused by the law it breaks, with
// the file, trial and window.
func TestDoctoredRunsAreRefused(t *testing.T) {
	const windows, trial = "trials/0001/" + windowsFile, "trials/0001/" + trialFile
	const histograms = "trials/0001/" + histogramsFile
	drop := func(path string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(path))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		doctor func(*testing.T, string)
		file   string
		law    string
		where  string
	}{
		{"more throughput", change(windows, 3, `"completed":\d+`, `"completed":99999999`), windowsFile, lawResponses, "trial 1, window 1"},
		{"more throughput, with as many requests", change(windows, 3, `"sent":\d+,"completed":\d+`, `"sent":99999999,"completed":99999999`), histogramsFile, lawCounted, "trial 1, window 1"},
		{"a little less", change(windows, 2, `"completed":\d+`, `"completed":7`), histogramsFile, lawCounted, "trial 1, window 0"},
		{"errors made responses", change(windows, 4, `"errors":\{"connect":0,"timeout":0,"reset":0,"status":0`, `"errors":{"connect":0,"timeout":0,"reset":0,"status":99999999`), windowsFile, lawResponses, "trial 1, window 2"},
		{"a faster second", change(histograms, 0, `Tag=response,[^\n]*\n((?:Tag=[^\n]*\n)*?)Tag=lag,([^\n]*)\n`, "Tag=response,$2\n${1}Tag=lag,$2\n"), histogramsFile, lawParts, "trial 1, window -1"},
		{"a window shifted", change(windows, 3, `"start":(\d+)\d{4},`, `"start":${1}0007,`), windowsFile, lawGrid, "trial 1, window 1"},
		{"a longer window", change(windows, 2, `"length":\d+`, `"length":1500000000`), windowsFile, lawGrid, "trial 1, window 0"},
		{"a shorter window", change(windows, 2, `"length":\d+`, `"length":500000000`), windowsFile, lawGrid, "trial 1, window 0"},
		{"the clock moved", change(trial, 0, `"mono": (\d+)\d`, `"mono": ${1}`), windowsFile, lawGrid, "trial 1, window -1"},
		{"fewer in flight", change(windows, 3, `"in_flight":[0-9.e+]+`, `"in_flight":100000`), histogramsFile, lawLittle, "trial 1 breaks"},
		{"in flight until they failed", change(windows, 3, `"in_flight":[0-9.e+]+(,"unrecorded":-?\d+)?`, `"in_flight":100000,"unrecorded":100000000000000`), "", "", ""},
		{"lag made small", change(windows, 3, `"lag_p99":\d+`, `"lag_p99":12345678`), histogramsFile, lawLag, "trial 1, window 1"},
		{"suspect called valid", change(trial, 0, `"validity": "valid"`, `"validity": "suspect"`), trialFile, lawVerdict, "trial 1 breaks"},
		{"invalid second called valid", change(windows, 3, `"validity":"valid"`, `"validity":"invalid"`), windowsFile, lawVerdict, "trial 1, window 1"},
		{"another cell", change(ManifestFile, 0, `"index": 1,\s+"block": 1`, `"index": 1, "block": 4`), trialFile, lawPlan, "trial 1 breaks"},
		{"another seed", change(trial, 0, `"seed": \d+`, `"seed": 5`), trialFile, lawPlan, "trial 1 breaks"},
		{"a cell there is not", change(ManifestFile, 0, `"cell": \d+,\s+"seed"`, `"cell": 9, "seed"`), ManifestFile, lawPlan, "trial 0 breaks"},
		{"a repetition of nothing", change(trial, 0, `"seed": (\d+)`, `"seed": $1, "repeats": 0`), "", "", ""},
		{"the slower trial removed", drop("trials/0001"), "0001", lawWhole, "trial 1 breaks"},
		{"the first trial removed", drop("trials/0000"), "0000", lawWhole, "trial 0 breaks"},
		{"more usable trials", change(ManifestFile, 0, `"subjects": \[`, `"usable_trials": 7, "subjects": [`), ManifestFile, lawUsable, "7 are said to be usable"},
		{"patience", change(ManifestFile, 0, `"timeout": \d+`, `"timeout": 1`), "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, dir := doctored(t, c.doctor)
			_, err := readWhole(store, Latest)
			if c.law == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			wantError(t, err, dir, c.file, c.law, c.where)
			var damage *Damage
			var broken *Broken
			if !errors.As(err, &damage) || !errors.As(err, &broken) || broken.Law != c.law {
				t.Errorf("%v is not the law broken", err)
			}
		})
	}
}

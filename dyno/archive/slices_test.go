package archive

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// someSlices have as many responses as the windows of newTrial that are measured.
func someSlices() []Slice {
	return []Slice{
		{Round: 0, Start: 10e9, Length: 100 * time.Millisecond, Requests: 120, CPU: time.Second / 10, Speed: 21000, FirstRequests: 60, FirstCPU: time.Second / 19},
		{Round: 1, Start: 11e9, Length: 103 * time.Millisecond, Requests: 80, Failed: 2, CPU: time.Second / 9, IdleCPU: 77, Idle: time.Second, Speed: 23000},
	}
}

// slicedTrial is one made of such slices.
func slicedTrial(index int) Trial {
	t := newTrial(index)
	t.Windows = t.Windows[1:]
	t.Sliced, t.Slices = &Sliced{Length: 100 * time.Millisecond, Rounds: 2, Arms: 2}, someSlices()
	return t
}

func TestSlicesAreArchived(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	w := newWriter(t, store, manifestOf(2))
	for i := range 2 {
		if err := w.AddTrial(slicedTrial(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(Complete, nil); err != nil {
		t.Fatal(err)
	}
	run, err := store.Open(Latest)
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Trials[1]; !slices.Equal(got.Slices, someSlices()) || *got.Sliced != *slicedTrial(1).Sliced {
		t.Errorf("%+v, %+v", got.Sliced, got.Slices)
	}
	file := filepath.Join(run.Dir, "trials", "0001", slicesFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte(",120,"), []byte(",119,"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(Latest); err == nil || !strings.Contains(err.Error(), slicesFile) {
		t.Errorf("a slice that was changed: %v", err)
	}
}

// A record whose slices and windows contradict each other is made up.
func TestLawsOfSlices(t *testing.T) {
	m := manifestOf(1)
	for _, c := range []struct {
		law    string
		change func(*Trial)
	}{
		{"", func(*Trial) {}},
		{lawSliced, func(t *Trial) { t.Slices = t.Slices[:1] }},
		{lawSliced, func(t *Trial) { t.Sliced = nil }},
		{lawGrid, func(t *Trial) { t.Windows[1].Client.Index = 3 }},
		{lawGrid, func(t *Trial) { t.Windows[1].Client.Start = t.Windows[0].Client.Start }},
		{"", func(t *Trial) { t.Windows[1].Client.Start += 5e9 }},
		{"", func(t *Trial) { t.Status, t.Slices = Failed, t.Slices[:1] }},
	} {
		trial := slicedTrial(0)
		c.change(&trial)
		err := checkTrial("x", &trial, &m)
		if (err == nil) != (c.law == "") || err != nil && !strings.Contains(err.Error(), c.law) {
			t.Errorf("want %q: %v", c.law, err)
		}
	}
}

func TestReadSlicesRefuses(t *testing.T) {
	rows := func(list ...string) string { return slicesHead + strings.Join(list, "\n") + "\n" }
	for text, want := range map[string]string{
		"":                                "no slices' head",
		"# dyno slices 2\n":               "no slices' head",
		"# dyno slices 1\n":               "no slices' head",
		"# dyno slices 3\n":               `slices.csv:1: "# dyno slices 3" is not "# dyno slices 2"`,
		slicesHead1 + "0,1,1,1,0,1,0,0\n": "slices.csv:3: expected 9 numbers",
		rows("0,1,1,1,0,1,0,0,0"):         "slices.csv:3: expected 11 numbers",
		rows("0,1,1,1,0,1,0,0,0,0,0,0"):   "slices.csv:3:",
		rows("0,1,1,-1,0,1,0,0,0,0,0"):    `"-1" is no number`,
		rows("0,1,1,1.5,0,1,0,0,0,0,0"):   `"1.5" is no number`,
		rows("0,1,5,1,0,1,0,0,0,0,0", "0,9,1,1,0,1,0,0,0,0,0"): "slices.csv:4: the slice of round 0 does not come after",
		rows("0,1,5,1,0,1,0,0,0,0,0", "1,3,1,1,0,1,0,0,0,0,0"): "slices.csv:4: the slice of round 1 does not come after",
		rows("99999999,1,5,1,0,1,0,0,0,0,0"):                   "too large",
	} {
		if _, err := readSlices(strings.NewReader(text), "slices.csv"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Runs from before slices had a first part are read as ever.
func TestReadSlicesOfVersion1(t *testing.T) {
	list, err := readSlices(strings.NewReader(slicesHead1+"0,1,5,7,2,11,3,4,13\n"), "slices.csv")
	want := Slice{Start: 1, Length: 5, Requests: 7, Failed: 2, CPU: 11, IdleCPU: 3, Idle: 4, Speed: 13}
	if err != nil || len(list) != 1 || list[0] != want {
		t.Errorf("%+v, %v", list, err)
	}
}

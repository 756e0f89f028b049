package main

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
)

// recordedRun archives a made-up run and returns its folder.
func recordedRun(t *testing.T) string {
	t.Helper()
	made := analysistest.Run(1, "quick", "same", "slow")
	store := archive.Store{Dir: t.TempDir()}
	w, err := store.Create(made.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range made.Trials {
		if err := w.AddTrial(trial); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(archive.Complete, nil); err != nil {
		t.Fatal(err)
	}
	return w.Dir()
}

func runQuietly(args []string) error { return run(context.Background(), args, io.Discard) }

func TestSynthetic(t *testing.T) {
	dir := t.TempDir()
	if err := runQuietly([]string{"-studies", "20", "-quantiles", "3", "-blocks", "6", "-name", "x", "-out", dir}); err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join(dir, "x.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r Record
	if err := json.Unmarshal(document, &r); err != nil {
		t.Fatal(err)
	}
	for _, kind := range asked[:3] {
		if !slices.ContainsFunc(r.Results, func(x Result) bool { return x.What == kind && x.Happened.Of > 0 }) {
			t.Errorf("no result of %s", kind)
		}
	}
	table, err := os.ReadFile(filepath.Join(dir, "x.md"))
	if err != nil || !strings.Contains(string(table), "| log-normal | ratio | spending | 6 | 1.000 |") {
		t.Errorf("%s %v", table, err)
	}
}

func TestShapesAndGates(t *testing.T) {
	dir := t.TempDir()
	if err := runQuietly([]string{"-what", "shapes,gates", "-studies", "10", "-blocks", "4", "-name", "x", "-out", dir}); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(dir, "x.md"))
	for _, want := range []string{"| p99 of 300 requests | the same, called different |  | 4 |", "| against a ref: ok |  | 20 |", "| baseline, 30 days later: alarms about nothing |  | 8 |"} {
		if err != nil || !strings.Contains(string(table), want) {
			t.Errorf("%q is missing in %s %v", want, table, err)
		}
	}
}

func TestRecordedPower(t *testing.T) {
	dir, from := t.TempDir(), recordedRun(t)
	if err := runQuietly([]string{"-what", "power", "-from", from, "-studies", "50", "-blocks", "6", "-name", "x", "-out", dir}); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(dir, "x.md"))
	if err != nil || !strings.Contains(string(table), "blocks of slow | cpu | spending") || !strings.Contains(string(table), "Made-up CPU") {
		t.Errorf("%s %v", table, err)
	}
}

func TestMistakes(t *testing.T) {
	dir, from := t.TempDir(), recordedRun(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-what", "lies"}, `"lies" is none of coverage, aa, power`},
		{[]string{"-what", "live"}, "name them with -from"},
		{[]string{"-blocks", "6,x"}, `got "x"`},
		{[]string{"-studies", "0"}, "must be at least 1"},
		{[]string{"-what", "aa", "-from", from, "-studies", "5"}, "6 trials with throughput, need at least 10"},
		{[]string{"-what", "coverage", "-from", from}, "leave -from out"},
		{[]string{"-from", filepath.Join(dir, "none")}, "none"},
	} {
		if err := runQuietly(append(c.args, "-out", dir)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.args, err, c.want)
		}
	}
}

// Neighbours stay neighbours, in both orders.
func TestDrawNeighbours(t *testing.T) {
	values := make([]float64, 40)
	for i := range values {
		values[i] = float64(i)
	}
	up := 0
	a, b := drawNeighbours(values, 1000, rand.New(rand.NewPCG(1, 1)))
	for i := range a {
		switch a[i] - b[i] {
		case 1:
			up++
		case -1:
		default:
			t.Fatalf("%v is paired with %v", a[i], b[i])
		}
	}
	if len(a) != 1000 || up < 400 || up > 600 {
		t.Errorf("%d pairs, the later first in %d", len(a), up)
	}
}

// The rates of verdicts are counted for each truth, and what must be seldom is.
func TestVerdictsAreCounted(t *testing.T) {
	dir := t.TempDir()
	if err := runQuietly([]string{"-what", "verdicts", "-studies", "100", "-blocks", "6", "-name", "x", "-out", dir}); err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join(dir, "x.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r Record
	if err := json.Unmarshal(document, &r); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, result := range r.Results {
		seen[result.Series] = true
		if result.Wanted != "" && result.Happened.Share() > 0.1 {
			t.Errorf("%s, %s: %s", result.Series, result.Figure, result.Happened)
		}
	}
	if len(seen) != len(truths) {
		t.Errorf("counted %v", seen)
	}
}

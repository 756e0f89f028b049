package analysis_test

import (
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
)

// Reading and analysing six trials of four seconds each.
func BenchmarkAnalyse(b *testing.B) {
	run := analysistest.Run(1, "a")
	store := archive.Store{Dir: b.TempDir()}
	w, err := store.Create(run.Manifest)
	if err != nil {
		b.Fatal(err)
	}
	for _, trial := range run.Trials {
		if err := w.AddTrial(trial); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(archive.Complete, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		back, err := store.Open(archive.Latest)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := analysis.Analyse(back); err != nil {
			b.Fatal(err)
		}
	}
}

package archive

import (
	"io"
	"testing"
)

// One trial of three windows with two histograms each.
func BenchmarkWriteHistograms(b *testing.B) {
	trial := newTrial(0)
	for b.Loop() {
		if err := writeHistograms(io.Discard, trial.Started, trial.Windows); err != nil {
			b.Fatal(err)
		}
	}
}

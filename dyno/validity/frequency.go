package validity

import (
	"math"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// frequencyStep is by how much of the trial's median clock rate a window's may
// be off; dyno/docs/findings.md explains it.
const frequencyStep = 0.05

// frequencySteps names, by the window's index, the windows in which the subject's
// CPUs had another clock rate than in most others. Where the machine does not
// tell, as virtual ones don't, there is nothing to find.
func frequencySteps(windows []archive.Window) map[int][]finding.Finding {
	var known []float64
	for i := range windows {
		if f := frequency(&windows[i]); f > 0 && !windows[i].Client.Warmup() {
			known = append(known, f)
		}
	}
	if len(known) == 0 {
		return nil
	}
	slices.Sort(known)
	usual := known[len(known)/2]
	found := make(map[int][]finding.Finding)
	for i := range windows {
		f, index := frequency(&windows[i]), windows[i].Client.Index
		if f > 0 && math.Abs(f/usual-1) >= frequencyStep {
			found[index] = []finding.Finding{newFinding(finding.Frequency, finding.Suspect, []int{index},
				i18n.New("validity.clock-rate-off", "the subject's CPUs ran at %.0f MHz instead of %.0f MHz (limit %.0f %% off)", f, usual, 100*frequencyStep))}
		}
	}
	return found
}

// frequency is the mean clock rate of the subject's CPUs at the window's end, in
// MHz; 0 if it is not known.
func frequency(w *archive.Window) float64 {
	if w.Server.Machine == nil {
		return 0
	}
	return w.Server.Machine.Frequency
}

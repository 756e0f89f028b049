package validity

import (
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/steadiness"
	"dyno.example/internal/i18n"
)

// Thresholds of leak; dyno/docs/findings.md explains them.
const (
	leakShare    = 0.10 // of what was there at first
	leakLeast    = 4 << 20
	leakGoesOn   = 0.5 // of the whole slope, in the second half
	fewestCycles = 3   // of garbage collection, before which growth is garbage
)

// judgeGrowth says if memory grew as it does when something is never given back:
// steadily, by an amount that matters, and in the second half of the trial still.
// What settles after a while is no leak. Nor is the garbage of a program that
// has hardly collected any yet.
func judgeGrowth(s *series) []finding.Finding {
	if s.runtime && s.cycles < fewestCycles {
		return nil
	}
	for _, g := range s.memory {
		n := len(g.Values)
		if n < steadiness.FewestWindows {
			continue
		}
		whole, later := stats.TrendOf(g.Values), stats.TrendOf(g.Values[n/2:])
		grown := whole.Slope * float64(n-1)
		if whole.P >= steadiness.TrendChance || whole.Change < leakShare || grown < leakLeast || later.Slope < leakGoesOn*whole.Slope {
			continue
		}
		return []finding.Finding{newFinding(finding.Leak, finding.Suspect, nil,
			i18n.New("validity.memory-grew", "%s grew by %.1f MiB (%.0f %%) over %d seconds, and in the second half still (limits %d MiB, %.0f %%): it may never be given back",
				g.Name, grown/(1<<20), 100*whole.Change, n, leakLeast>>20, 100*leakShare))}
	}
	return nil
}

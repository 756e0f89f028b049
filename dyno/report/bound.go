package report

import (
	"cmp"
	"slices"

	"dyno.example/dyno/analysis"
)

// mostSeconds is how many seconds a page holds for its charts, of some 100 bytes each.
// With what else a page has, that keeps the report of 40 subjects below 8 MB, and
// that of a load over days from becoming one that no browser opens.
const mostSeconds = 30_000

// portion is what a page's charts draw of a run.
type portion struct {
	trials, drawn int  // that have seconds, and of which some are drawn
	parts         bool // of some trial a part is drawn
}

// note is a sentence, empty if nothing is left out.
func (b portion) note(c language) string {
	switch {
	case b.parts:
		return c.text("bounded.parts", "drawn", b.drawn, "trials", c.count("trials", b.trials))
	case b.drawn < b.trials:
		return c.text("bounded.trials", "drawn", b.drawn, "trials", c.count("trials", b.trials))
	}
	return ""
}

// boundSeconds picks the seconds that are drawn, at most so many of all cells together:
// of a cell that has more than its share the trials with the slowest seconds, and of a
// trial that is longer than that the part around its slowest. Figures and tables rest
// on all seconds, whatever is drawn.
func boundSeconds(a *analysis.Analysis, most int) (map[*analysis.Cell][]analysis.Second, portion) {
	drawn, cells, total := map[*analysis.Cell][]analysis.Second{}, 0, 0
	for i := range a.Groups {
		for j := range a.Groups[i].Cells {
			cells, total = cells+1, total+len(a.Groups[i].Cells[j].Seconds)
		}
	}
	var b portion
	for i := range a.Groups {
		for j := range a.Groups[i].Cells {
			cell := &a.Groups[i].Cells[j]
			trials := trialsOf(cell.Seconds)
			kept := cell.Seconds
			b.trials += len(trials)
			if total > most && len(cell.Seconds) > most/cells {
				var cut bool
				kept, trials, cut = slowest(trials, most/cells)
				b.parts = b.parts || cut
			}
			b.drawn += len(trials)
			drawn[cell] = kept
		}
	}
	return drawn, b
}

// trialsOf splits seconds, which are in order of trials.
func trialsOf(seconds []analysis.Second) (trials [][]analysis.Second) {
	for from := 0; from < len(seconds); {
		to := from
		for to < len(seconds) && seconds[to].Trial == seconds[from].Trial {
			to++
		}
		trials = append(trials, seconds[from:to])
		from = to
	}
	return trials
}

// slowest are the seconds of the trials with the slowest seconds, in their order, as many
// as there is room for. cut says that of the first, which is too long, it is a part.
func slowest(trials [][]analysis.Second, room int) (seconds []analysis.Second, kept [][]analysis.Second, cut bool) {
	bySlowest := slices.Clone(trials)
	slices.SortStableFunc(bySlowest, func(x, y []analysis.Second) int { return cmp.Compare(y[peak(y)].P99, x[peak(x)].P99) })
	left := room
	for i, trial := range bySlowest {
		if i == 0 && len(trial) > room {
			from := min(max(peak(trial)-room/2, 0), len(trial)-room)
			return trial[from : from+room], [][]analysis.Second{trial}, true
		}
		if len(trial) > left {
			break
		}
		left -= len(trial)
		kept = append(kept, trial)
	}
	slices.SortFunc(kept, func(x, y []analysis.Second) int { return cmp.Compare(x[0].Trial, y[0].Trial) })
	for _, trial := range kept {
		seconds = append(seconds, trial...)
	}
	return seconds, kept, false
}

// peak is the index of a trial's slowest measured second.
func peak(trial []analysis.Second) int {
	at := 0
	for i, s := range trial {
		if s.Index >= 0 && s.P99 > trial[at].P99 {
			at = i
		}
	}
	return at
}

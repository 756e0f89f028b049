package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// slicedRun counts over a run in slices whose subjects are all the same: as many blocks
// after one another as -blocks says are a comparison of two of them, each subject in one
// pair. Gates are of its pairs, drawn with replacement, either way round.
func (o *options) slicedRun(r *Record, run *archive.Run) error {
	pairs := slicedPairs(run)
	if len(pairs) == 0 {
		return fmt.Errorf("-what slices counts over runs in slices of at least two subjects")
	}
	for _, blocks := range o.blocks {
		var held, beyond statstest.Rate
		wide := 0.0
		for _, starts := range pairs {
			for part := range slices.Chunk(starts, blocks) {
				if len(part) < blocks {
					continue
				}
				s := stats.SlicedRatio(part, level)
				if s.Ratio.Level == 0 {
					continue
				}
				held.Add(s.Ratio.Contains(1))
				beyond.Add(math.Abs(math.Log(s.Ratio.Estimate)) > math.Log(1.02))
				wide += s.Ratio.High/s.Ratio.Estimate - 1
			}
		}
		if held.Of == 0 {
			continue
		}
		series := fmt.Sprintf("%d live pairs", held.Of)
		r.add(Result{What: "slices", Series: series, Figure: "1 in the interval", Blocks: blocks, Effect: 1, Happened: held, Wanted: "≥ 95 %", Note: fmt.Sprintf("±%.2f %% on average", 100*wide/float64(held.Of))})
		r.add(Result{What: "slices", Series: series, Figure: "ratio beyond ±2 %", Blocks: blocks, Effect: 1, Happened: beyond, Wanted: "≤ 1 %"})
	}
	o.liveGates(r, pairs)
	return nil
}

// powerCurve are the true ratios that gates are simulated for.
var powerCurve = []float64{1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.10}

// liveGates simulates gates whose pairs are those of the runs, made worse by a known ratio.
func (o *options) liveGates(r *Record, pairs [][]stats.Start) {
	for _, asked := range []float64{1.03, 1.10} {
		plan := gatePlan(asked)
		rounds := roundsFor(plan)
		logs := pairLogs(pairs, rounds)
		if len(logs) < 10 {
			o.progress("%d pairs are too few to draw gates from", len(logs))
			return
		}
		squares := 0.0 // about 0, which is the truth
		for _, x := range logs {
			squares += x * x
		}
		deviation := math.Sqrt(squares / float64(len(logs)))
		for _, truth := range powerCurve {
			random := statstest.Seeded(o.seed)
			got := statstest.TwoStagesOf(plan, o.studies, func() float64 {
				x := logs[random.IntN(len(logs))]
				if random.IntN(2) == 0 {
					x = -x
				}
				return x + math.Log(truth)
			})
			wanted := map[float64]string{1: "≤ 1 %", asked: "≥ 95 %"}[truth]
			r.add(Result{
				What: "pairs", Series: fmt.Sprintf("%d live pairs", len(logs)), Figure: fmt.Sprintf("alarms, %.0f %% asked about", 100*(asked-1)), Blocks: plan.Most, Effect: truth,
				Happened: got.Alarms, Wanted: wanted, MeanBlocks: got.Pairs, Note: fmt.Sprintf("clear: %s; a pair's deviation is %.2f %%; %.1f s of load on average", got.Clear, 100*deviation, got.Pairs*loadOf(rounds)),
			})
		}
	}
}

// pairLogs are the log ratios of all pairs, each of its first rounds.
func pairLogs(pairs [][]stats.Start, rounds int) (logs []float64) {
	for _, starts := range pairs {
		short := make([]stats.Start, len(starts))
		for i, s := range starts {
			n := min(rounds, len(s.A))
			short[i] = stats.Start{A: s.A[:n], B: s.B[:n]}
		}
		logs = append(logs, stats.SlicedRatio(short, level).PerStart...)
	}
	return logs
}

// slicedPairs are the starts of each two cells that follow each other, by block.
func slicedPairs(run *archive.Run) (pairs [][]stats.Start) {
	trials := slicedTrials(run)
	for two := range slices.Chunk(slices.Sorted(maps.Keys(trials)), 2) {
		if len(two) < 2 {
			break
		}
		pairs = append(pairs, pairOf(trials, two[1], two[0]))
	}
	return pairs
}

// slicedTrials are those of a run that were in slices, by cell and block.
func slicedTrials(run *archive.Run) map[int]map[int]*archive.Trial {
	trials := map[int]map[int]*archive.Trial{}
	for i := range run.Trials {
		if t := &run.Trials[i]; t.Status == archive.Complete && len(t.Slices) > 0 {
			if trials[t.Cell] == nil {
				trials[t.Cell] = map[int]*archive.Trial{}
			}
			trials[t.Cell][t.Block] = t
		}
	}
	return trials
}

// pairOf are the blocks that a cell has in common with another one, which is below it in ratios.
func pairOf(trials map[int]map[int]*archive.Trial, below, cell int) (starts []stats.Start) {
	for _, block := range slices.Sorted(maps.Keys(trials[cell])) {
		if a, b := trials[cell][block], trials[below][block]; b != nil {
			starts = append(starts, inRounds(a, b))
		}
	}
	return starts
}

// inRounds pairs the slices of one block.
func inRounds(a, b *archive.Trial) (s stats.Start) {
	others := map[int]*archive.Slice{}
	for i := range b.Slices {
		others[b.Slices[i].Round] = &b.Slices[i]
	}
	for i := range a.Slices {
		if other := others[a.Slices[i].Round]; other != nil {
			s.A, s.B = append(s.A, turnOf(&a.Slices[i])), append(s.B, turnOf(other))
		}
	}
	return s
}

func turnOf(s *archive.Slice) stats.Turn {
	return stats.Turn{Spent: float64(s.CPU), Requests: float64(s.Requests), Speed: float64(s.Speed)}
}

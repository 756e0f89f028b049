package runcmd

import (
	"math"
	"slices"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/runner"
	"dyno.example/dyno/stats"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// applyTo replaces what the study says with what the flags say. A run that
// goes on block by block begins with the plan of one block.
func (f *runFlags) applyTo(s *study.Study) error {
	if f.repeats < 0 {
		return i18n.Errorf("runcmd.bad-repeats", "--repeats must be at least 0, not %d", f.repeats)
	}
	accept, err := finding.ParseAccepted(f.accept)
	if err != nil {
		return i18n.Errorf("runcmd.accept", "--accept: %w", err)
	}
	s.Accept = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Accept, accept))))
	if f.warmup != "" {
		if s.Trial, err = s.Trial.WithWarmup(f.warmup); err != nil {
			return i18n.Errorf("runcmd.warmup", "--warmup: %w", err)
		}
	}
	if f.duration != 0 && f.duration < time.Second {
		return i18n.Errorf("runcmd.for-too-short", "--for must be at least 1s, not %v", f.duration)
	}
	if f.duration > 0 {
		s.Until.Time = f.duration
	}
	if f.blocks > 0 && (s.Until.Sequential() || f.until != "") {
		s.Until.Blocks = f.blocks
	}
	if f.until != "" {
		if s.Until, err = s.Until.WithPrecision(f.until); err != nil {
			return i18n.Errorf("runcmd.until", "--until: %w", err)
		}
	}
	if s.Until.Sequential() {
		s.Blocks = 1
	}
	return nil
}

// sliced returns the study with slices as the flag says, or else as it says itself or is
// usual.
func (f *runFlags) sliced(s *study.Study) (*study.Study, error) {
	if f.slices == "" {
		return s.UsuallySliced(), nil
	}
	as, err := s.Trial.Slices.With(f.slices)
	if err != nil {
		return nil, i18n.Errorf("runcmd.slices", "--slices: %w", err)
	}
	return s.WithSlices(as), nil
}

// untilText says when a run ends that goes on block by block; empty for others.
func untilText(u study.Until) i18n.Message {
	switch {
	case !u.Sequential():
		return i18n.Message{}
	case u.Precision > 0:
		return i18n.New("runcmd.until-precision", "then block by block until intervals are within ±%.4g %%, %s", 100*u.Precision, boundText(u))
	}
	return i18n.New("runcmd.until-bound", "then block by block, %s", boundText(u))
}

// boundText says what a run that goes on block by block takes at most.
func boundText(u study.Until) i18n.Message {
	long := profile.ShortDuration(u.Time)
	switch {
	case u.Blocks == 0:
		return i18n.New("runcmd.most-time", "at most %s in all", long)
	case u.Time == 0:
		return i18n.New("runcmd.most-blocks", "at most %d blocks in all", u.Blocks)
	}
	return i18n.New("runcmd.most-blocks-or-time", "at most %d blocks or %s in all", u.Blocks, long)
}

// decide says how far a run is: its claims, and how narrow its intervals are.
func decide(run *archive.Run) (runner.Progress, error) {
	var p runner.Progress
	a, err := analysis.Analyse(run)
	if err != nil {
		return p, err
	}
	for _, o := range a.Claims {
		p.Goals = append(p.Goals, runner.Goal{Name: "claim " + o.ID, Done: claim.Decided(o), Text: claim.Progress(o), Blocks: o.Needed})
	}
	if run.Manifest.Until.Precision > 0 {
		for i := range a.Groups {
			p.Goals = append(p.Goals, precisionGoals(a, &a.Groups[i])...)
		}
	}
	return p, nil
}

// precisionGoals are, for each metric that the study reports, that its intervals
// are as narrow as asked: those of the ratios to the reference, or of the figures
// themselves where there is nothing to compare.
func precisionGoals(a *analysis.Analysis, g *analysis.Group) []runner.Goal {
	var goals []runner.Goal
	if sliced := slicedCells(&a.Run.Plan); len(sliced) > 0 && len(g.Cells) > 0 && !sliced[g.Cells[0].Cell] {
		return nil // more slices change nothing about it
	}
	for _, metric := range goalMetrics(a, g) {
		goals = append(goals, precisionGoal(a, g, metric))
	}
	return goals
}

// slicedCells are the cells whose trials are done in slices.
func slicedCells(p *study.Plan) map[int]bool {
	cells := make(map[int]bool)
	for i := range p.Trials {
		if p.Trials[i].InSlices {
			cells[p.Trials[i].Cell] = true
		}
	}
	return cells
}

// goalMetrics are those the study reports, of one in slices the one that leads; of a study that leaves it open, what
// the load asks for.
func goalMetrics(a *analysis.Analysis, g *analysis.Group) []string {
	sliced := len(slicedCells(&a.Run.Plan)) > 0
	if at := slices.IndexFunc(a.Run.Report, study.SlicesTell); sliced && at >= 0 {
		return a.Run.Report[at : at+1]
	}
	switch {
	case len(a.Run.Report) > 0 && sliced && g.Beside == "":
		return a.Run.Report[:1]
	case len(a.Run.Report) > 0 && !sliced:
		return a.Run.Report
	case sliced:
		return []string{"cpu"}
	}
	if len(g.Cells) > 0 && a.Run.Plan.Cells[g.Cells[0].Cell].Profile.Mode == profile.Open {
		return []string{"response.p50"}
	}
	return []string{"throughput"}
}

func precisionGoal(a *analysis.Analysis, g *analysis.Group, metric string) runner.Goal {
	asked := a.Run.Until.Precision
	goal := runner.Goal{Name: metric + ", " + g.Title, Done: true}
	widest := -1.0
	for _, c := range g.Cells {
		i := c.Estimates[metric]
		if len(g.Cells) > 1 {
			if c.Subject == a.Run.Reference {
				continue
			}
			i = c.Ratios[metric]
		}
		half := halfWidth(i)
		if half > asked {
			goal.Done = false
		}
		if half > widest {
			widest = half
			goal.Text, goal.Blocks = i18n.Join(c.Subject, " ", widthText(half, asked)), blocksNeeded(i, half, asked)
		}
	}
	return goal
}

// leastLevel is the confidence of an interval whose width counts: two figures that
// happen to be alike enclose the median in every second case only.
const leastLevel = 0.95

// halfWidth is half the width of an interval as a share; infinite if there is no
// interval of the confidence that it takes.
func halfWidth(i stats.Interval) float64 {
	if i.Level < leastLevel || i.N < 2 || i.Low <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt(i.High/i.Low) - 1
}

// tenfold is from where on it doesn't matter how wide an interval is.
const tenfold = 10

func widthText(half, asked float64) i18n.Message {
	if math.IsInf(half, 1) {
		return i18n.New("runcmd.no-interval-yet-asked", "has no interval yet; ±%s %% asked", spelling.Percent(asked, 3))
	}
	if half > tenfold {
		return i18n.New("runcmd.over-asked", "over ±%s %%; ±%s %% asked", spelling.Percent(tenfold, 3), spelling.Percent(asked, 3))
	}
	return i18n.New("runcmd.asked", "±%s %%; ±%s %% asked", spelling.Percent(half, 3), spelling.Percent(asked, 3))
}

// foreseeable is how many blocks an estimate is good for: one from so few that it asks for more
// says nothing.
const foreseeable = 1_000_000

// blocksNeeded estimates how many more blocks make an interval as narrow as
// asked: its width falls with the root of their number. 0 is not known, or beyond foreseeing.
func blocksNeeded(i stats.Interval, half, asked float64) int {
	if half <= asked || math.IsInf(half, 1) {
		return 0
	}
	n := float64(i.N)
	more := math.Ceil(n*math.Pow(half/asked, 2) - n)
	if more > foreseeable {
		return 0
	}
	return max(1, int(more))
}

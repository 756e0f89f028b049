// Package repetitions plans a study from a run of it: how many blocks, and how
// long trials, it takes to find a difference of a given size.
package repetitions

import (
	"cmp"
	"math"
	"slices"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats"
)

// Goal is what a study is to find: a ratio of two subjects of at least so much, or
// as much below 1, in a share of the studies, at a level of confidence.
type Goal struct {
	Ratio float64 `json:"ratio"` // above 1
	Power float64 `json:"power"`
	Level float64 `json:"level"`
}

// Plan is what a run tells of the repetitions that its study needs.
type Plan struct {
	Run    string        `json:"run"`
	Study  string        `json:"study"`
	Goal   Goal          `json:"goal"`
	Blocks int           `json:"blocks"` // of the run
	Cells  int           `json:"cells"`
	Trial  time.Duration `json:"trial"` // measured time of each, ns
	Start  time.Duration `json:"start"` // of each trial that measures nothing: starting, warming up, stopping; ns
	Needs  []Need        `json:"needs"`
}

// Need is what one metric needs.
type Need struct {
	Metric string `json:"metric"`
	// Pair is the standard deviation of the logarithm of the ratio of two cells in
	// one block, pooled over all that are compared.
	Pair float64 `json:"pair"`
	// Seconds splits the logarithms of single seconds, pooled over the cells.
	// Neighbouring seconds are alike, which counts as a difference of restarts:
	// that is what it is for who wants to know how long a trial should be. Its
	// Starts are 0 if the metric has no value in each second.
	Seconds stats.Components `json:"seconds"`

	Found  float64 `json:"found"`            // smallest ratio that the run could find
	Needed Series  `json:"asked"`            // with trials as long as they were
	Better *Series `json:"better,omitempty"` // with trials of the length that takes least time, if that is another
}

// Series are the repetitions of a study.
type Series struct {
	Blocks int           `json:"blocks"` // 0: more than can be done
	Trial  time.Duration `json:"trial"`  // ns
	Takes  time.Duration `json:"takes"`  // all of it, ns
}

// maxTrial bounds how long a trial is proposed to be.
const maxTrial = time.Minute

// Of plans for the metrics that can be compared in the run; names restricts it to
// those.
func Of(a *analysis.Analysis, goal Goal, names []string) *Plan {
	p := &Plan{
		Run: a.Run.ID, Study: a.Run.Study, Goal: goal,
		Cells: len(a.Run.Plan.Cells), Trial: a.Run.Duration, Start: idle(a),
	}
	for _, t := range a.Run.Plan.Trials {
		p.Blocks = max(p.Blocks, t.Block+1)
	}
	for _, name := range names {
		if n, ok := p.need(a, name); ok {
			p.Needs = append(p.Needs, n)
		}
	}
	return p
}

// idle is what a trial took apart from its measured time: of a run that was cut off
// or not archived to its end, its warm-up.
func idle(a *analysis.Analysis) time.Duration {
	trials := time.Duration(len(a.Run.Plan.Trials))
	if a.Run.Finished.IsZero() || trials == 0 {
		return a.Run.Warmup
	}
	return max(a.Run.Finished.Sub(a.Run.Started)/trials-a.Run.Duration, a.Run.Warmup)
}

func (p *Plan) need(a *analysis.Analysis, metric string) (n Need, ok bool) {
	n = Need{Metric: metric}
	if n.Pair, ok = pairs(a, metric); !ok {
		return n, false
	}
	n.Seconds = seconds(a, metric)
	n.Found = stats.DetectableRatio(n.Pair/math.Sqrt2, p.Blocks, p.Goal.Level, p.Goal.Power)
	n.Needed = p.series(n.Pair, p.Trial)
	if n.Seconds.Starts == 0 {
		return n, true
	}
	trial := p.best(&n)
	// A tenth less is within what such an estimate is worth.
	if s := p.series(n.Pair*n.scale(p.Trial, trial), trial); s.Blocks > 0 && (n.Needed.Blocks == 0 || s.Takes < n.Needed.Takes*9/10) {
		n.Better = &s
	}
	return n, true
}

// best is the length of trials that takes least time: blocks are about as many as
// the square of what two cells differ by.
func (p *Plan) best(n *Need) time.Duration {
	cost := func(trial time.Duration) float64 {
		s := n.scale(p.Trial, trial)
		return s * s * float64(p.Start+trial)
	}
	return slices.MinFunc(lengths(p.Trial), func(a, b time.Duration) int { return cmp.Compare(cost(a), cost(b)) })
}

// lengths are the trials that are tried, in whole seconds.
func lengths(measured time.Duration) (list []time.Duration) {
	for t := time.Second; t <= max(maxTrial, measured); t = max(t+time.Second, (t * 5 / 4).Truncate(time.Second)) {
		list = append(list, t)
	}
	return list
}

// scale is by how much a trial of another length than was measured would make two
// cells of a block differ more, or less: Kalibera and Jones' variance of a mean of
// runs of one start.
func (n *Need) scale(measured, trial time.Duration) float64 {
	of := func(t time.Duration) float64 {
		return n.Seconds.Between*n.Seconds.Between + n.Seconds.Within*n.Seconds.Within/t.Seconds()
	}
	if of(measured) == 0 {
		return 1
	}
	return math.Sqrt(of(trial) / of(measured))
}

// series is what it takes where the cells of a block differ by so much.
func (p *Plan) series(pair float64, trial time.Duration) Series {
	s := Series{Trial: trial, Blocks: stats.BlocksFor(p.Goal.Ratio, pair/math.Sqrt2, p.Goal.Level, p.Goal.Power)}
	s.Takes = time.Duration(s.Blocks*p.Cells) * (p.Start + trial)
	return s
}

// pairs pools how much the ratios of each cell to its reference, and of the twin,
// differ from block to block. Without any, it is √2 times how much trials do.
func pairs(a *analysis.Analysis, metric string) (deviation float64, ok bool) {
	var pooled pool
	for i := range a.Groups {
		g := &a.Groups[i]
		at := slices.IndexFunc(g.Cells, func(c analysis.Cell) bool { return c.Subject == a.Run.Reference })
		if at < 0 {
			continue
		}
		reference := g.Cells[at].ByBlock(metric)
		for _, c := range arms(g, at) {
			var logs []float64
			for block, value := range c.ByBlock(metric) {
				if other := reference[block]; value > 0 && other > 0 {
					logs = append(logs, math.Log(value/other))
				}
			}
			pooled.add(logs)
		}
	}
	if pooled.freedom > 0 {
		return pooled.deviation(), true
	}
	for i := range a.Groups {
		for j := range a.Groups[i].Cells {
			var logs []float64
			for _, value := range a.Groups[i].Cells[j].ByBlock(metric) {
				if value > 0 {
					logs = append(logs, math.Log(value))
				}
			}
			pooled.add(logs)
		}
	}
	return math.Sqrt2 * pooled.deviation(), pooled.freedom > 0
}

// arms are the cells compared with the reference, which is the one at an index.
func arms(g *analysis.Group, reference int) (list []*analysis.Cell) {
	for i := range g.Cells {
		if i != reference {
			list = append(list, &g.Cells[i])
		}
	}
	if g.TwinCell != nil {
		list = append(list, g.TwinCell)
	}
	return list
}

// pool adds up the squared deviations of several samples from their own means.
type pool struct {
	squares float64
	freedom int
}

func (p *pool) add(values []float64) {
	if len(values) < 2 {
		return
	}
	mean := 0.0
	slices.Sort(values) // maps have no order, and sums of floats have one
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		p.squares += (v - mean) * (v - mean)
	}
	p.freedom += len(values) - 1
}

func (p *pool) deviation() float64 {
	if p.freedom == 0 {
		return 0
	}
	return math.Sqrt(p.squares / float64(p.freedom))
}

// eachSecond are the metrics that every second has a value of.
var eachSecond = map[string]func(*analysis.Second) float64{
	"throughput":   func(s *analysis.Second) float64 { return s.Throughput },
	"response.p50": func(s *analysis.Second) float64 { return s.P50 },
	"response.p99": func(s *analysis.Second) float64 { return s.P99 },
	"cpu": func(s *analysis.Second) float64 {
		if s.CPU == nil || s.Throughput == 0 {
			return 0
		}
		return *s.CPU / s.Throughput
	},
}

// seconds pools the components of all cells.
func seconds(a *analysis.Analysis, metric string) (all stats.Components) {
	value, ok := eachSecond[metric]
	if !ok {
		return all
	}
	cells, within, between := 0, 0.0, 0.0
	for i := range a.Groups {
		for j := range a.Groups[i].Cells {
			c, ok := stats.SplitVariance(series(&a.Groups[i].Cells[j], value))
			if !ok {
				continue
			}
			cells++
			all.Starts += c.Starts
			all.Runs = max(all.Runs, c.Runs)
			within += c.Within * c.Within
			between += c.Between * c.Between
		}
	}
	if cells > 0 {
		all.Within, all.Between = math.Sqrt(within/float64(cells)), math.Sqrt(between/float64(cells))
	}
	return all
}

// series are the logarithms of the usable seconds of each used trial, of all as
// many as the shortest has.
func series(c *analysis.Cell, value func(*analysis.Second) float64) (list [][]float64) {
	byTrial := make(map[int][]float64)
	for i := range c.Seconds {
		s := &c.Seconds[i]
		if v := value(s); s.Index >= 0 && s.Validity != finding.Invalid && v > 0 {
			byTrial[s.Trial] = append(byTrial[s.Trial], math.Log(v))
		}
	}
	least := math.MaxInt
	for _, trial := range c.Trials {
		least = min(least, len(byTrial[trial]))
	}
	for _, trial := range c.Trials {
		list = append(list, byTrial[trial][:least])
	}
	return list
}

package capacity

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// Sweep measures a closed loop at several numbers of connections, to see where
// more of them stop giving more throughput. The levels are gone through upwards
// and then downwards, so that a drift of the machine, or memory that a service
// keeps, does not pass for an effect of the connections.
type Sweep struct {
	Levels []int // of connections, ascending, at least 1
	Passes int   // up and down again counts as one; 0 means 1
	// Repeats is how often a trial that the generator spoiled may be repeated.
	Repeats int
	// Seed is that of the fit's intervals.
	Seed uint64
	// Measure runs one trial. [Generator.Level] is one such function.
	Measure func(ctx context.Context, connections int) (LevelTrial, error)
	// Settle, if set, is called before each trial: what one level has left
	// in the server's queues must not be measured at the next.
	Settle func(ctx context.Context) (time.Duration, error)
	// OnTrial, if set, is called after each trial.
	OnTrial func(LevelTrial)

	disturbed []troubled // trials, repeated ones too
}

// LevelTrial is what came of one trial of a sweep.
type LevelTrial struct {
	Connections int            `json:"connections"`
	Down        bool           `json:"down,omitempty"` // on the way down
	Throughput  float64        `json:"throughput"`     // responses per second
	P50         Figure         `json:"p50_ns"`
	P99         Figure         `json:"p99_ns"`
	AtLeast     bool           `json:"p99_at_least,omitempty"` // it is a lower bound
	Errors      measure.Errors `json:"errors"`
	Responses   uint64         `json:"answered"` // requests, as expected
	// First is an example for each kind of error.
	First map[string]i18n.Message `json:"examples,omitzero"`
	// Memory is what the server's processes held with the connections open, in
	// bytes; 0 if it isn't known.
	Memory  uint64       `json:"memory,omitempty"`
	Spoiled bool         `json:"spoiled,omitempty"` // by the generator, at its limit or disturbed, or by its shortness
	Limited bool         `json:"limited,omitempty"` // spoiled because it was at its limit
	Why     i18n.Message `json:"why,omitzero"`
	// Disturbed are the findings that the generator or the machine was disturbed.
	Disturbed []finding.Finding `json:"disturbed,omitempty"`
	Accepted  []finding.Finding `json:"accepted,omitempty"` // such findings that were accepted by their names
	Unsteady  i18n.Message      `json:"unsteady,omitzero"`  // how the service changed within the trial
}

// Level sums up the trials at one number of connections.
type Level struct {
	Connections int          `json:"connections"`
	Throughput  float64      `json:"throughput"` // mean of the trials that count; of all if none does
	Up          Figure       `json:"up"`         // mean on the way up, and down, if any counts
	Down        Figure       `json:"down"`
	P99         Figure       `json:"p99_ns"` // median of the trials that count
	AtLeast     bool         `json:"p99_at_least,omitempty"`
	Memory      uint64       `json:"memory,omitempty"`
	Counts      bool         `json:"counts"`            // false: all trials were spoiled
	Limited     bool         `json:"limited,omitempty"` // the generator was at its limit
	Trials      []LevelTrial `json:"trials"`
}

// Hysteresis is by how much the throughput on the way down differs from that on
// the way up, as a share of it; NaN if one is missing.
func (l *Level) Hysteresis() float64 {
	return float64(l.Down/l.Up - 1)
}

// Knee is what a sweep came to.
type Knee struct {
	// What the machine did to the trials, those included that were repeated.
	Disturbed
	Levels []Level `json:"levels"` // ascending
	// Enough is the lowest number of connections with at least 95 % of the highest
	// throughput, by the mean curve of all trials that count, see [stats.FindKnee]; 0 if
	// nothing counts.
	Enough int `json:"enough"`
	// EnoughLow and EnoughHigh are the levels between which it lies at 95 %; 0 if no
	// level has two trials that count.
	EnoughLow  int `json:"enough_low,omitempty"`
	EnoughHigh int `json:"enough_high,omitempty"`
	// Fit is the universal scalability law; nil if the levels that count can't
	// carry it, and FitNote says why.
	Fit     *stats.USL   `json:"fit,omitempty"`
	FitNote i18n.Message `json:"fit_note,omitzero"`
	// MemoryPer1000 is what 1,000 more connections took of the server's memory, in
	// bytes, by the levels on the way up; nil if it isn't known.
	MemoryPer1000 *float64       `json:"memory_per_1000,omitempty"`
	MemoryNote    i18n.Message   `json:"memory_note,omitzero"` // why it isn't
	Notes         []i18n.Message `json:"notes"`                // what to keep in mind
	Took          time.Duration  `json:"took_ns"`
}

// Limits of a sweep.
const (
	maxLevels   = 1000
	enoughShare = 0.95
	fitLevel    = 0.95
)

// Check reports what is wrong with the sweep, or nil.
func (s *Sweep) Check() error {
	switch n := len(s.Levels); {
	case n < 1 || n > maxLevels:
		return fmt.Errorf("the levels of connections must be from 1 to %d, not %d", maxLevels, n)
	case s.Levels[0] < 1 || s.Levels[n-1] > profile.MaxConnections:
		return fmt.Errorf("connections must be from 1 to %d, not from %d to %d", profile.MaxConnections, s.Levels[0], s.Levels[n-1])
	case !slices.IsSorted(s.Levels):
		return fmt.Errorf("the levels of connections must ascend: %v", s.Levels)
	case s.Passes < 0 || s.Passes > 1000:
		return fmt.Errorf("the passes must be from 1 to 1000, not %d", s.Passes)
	}
	return nil
}

// Run measures all levels. An error is that of a trial.
func (s *Sweep) Run(ctx context.Context) (*Knee, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	began := time.Now()
	levels := slices.Compact(slices.Clone(s.Levels))
	trials := make(map[int][]LevelTrial)
	s.disturbed = nil
	for range max(1, s.Passes) {
		for i := range 2 * len(levels) {
			down := i >= len(levels)
			n := levels[min(i, 2*len(levels)-1-i)]
			t, err := s.trial(ctx, n, down)
			if err != nil {
				return nil, err
			}
			trials[n] = append(trials[n], t)
		}
	}
	k := &Knee{}
	for _, n := range levels {
		k.Levels = append(k.Levels, levelOf(n, trials[n]))
	}
	k.Disturbed = judgeTrials(s.disturbed)
	k.conclude(s.Seed)
	k.Took = time.Since(began)
	return k, nil
}

// trial measures one level, again if the machine disturbed it. Trials that were at
// the generator's limit would be so again.
func (s *Sweep) trial(ctx context.Context, n int, down bool) (LevelTrial, error) {
	for repeat := 0; ; repeat++ {
		if err := s.settle(ctx); err != nil {
			return LevelTrial{}, err
		}
		t, err := s.Measure(ctx, n)
		if err != nil {
			return t, err
		}
		t.Connections, t.Down = n, down
		s.disturbed = append(s.disturbed, troubled{slices.Concat(t.Disturbed, t.Accepted), t.Spoiled})
		if s.OnTrial != nil {
			s.OnTrial(t)
		}
		if !t.Spoiled || t.Limited || repeat >= s.Repeats {
			return t, nil
		}
	}
}

func (s *Sweep) settle(ctx context.Context) error {
	if s.Settle == nil {
		return nil
	}
	_, err := s.Settle(ctx)
	return err
}

func levelOf(n int, trials []LevelTrial) Level {
	l := Level{Connections: n, Trials: trials, Up: none(), Down: none(), P99: none()}
	var up, down, all, spoiled []float64
	var tails []*LevelTrial // with a p99
	for i := range trials {
		t := &trials[i]
		l.Memory = max(l.Memory, t.Memory)
		l.Limited = l.Limited || t.Limited
		switch {
		case t.Spoiled:
			spoiled = append(spoiled, t.Throughput)
			continue
		case t.Down:
			down = append(down, t.Throughput)
		default:
			up = append(up, t.Throughput)
		}
		all = append(all, t.Throughput)
		if t.P99.Exists() {
			tails = append(tails, t)
		}
	}
	l.Counts = len(all) > 0 && mean(all) > 0
	if l.Throughput = mean(all); len(up) > 0 {
		l.Up = Figure(mean(up))
	}
	if len(down) > 0 {
		l.Down = Figure(mean(down))
	}
	if !l.Counts {
		l.Throughput = mean(append(all, spoiled...))
		return l
	}
	if len(tails) > 0 {
		slices.SortFunc(tails, func(a, b *LevelTrial) int { return cmp.Compare(a.P99, b.P99) })
		middle := tails[len(tails)/2]
		l.P99, l.AtLeast = middle.P99, middle.AtLeast
	}
	return l
}

// mean is 0 for nothing.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(1, len(x)))
}

// findEnough finds the knee. With a single trial a level there is no mean curve: it is
// then the lowest level with enough of the highest throughput, top.
func (k *Knee) findEnough(top float64, seed uint64) {
	var levels []float64
	var values [][]float64
	for i := range k.Levels {
		l := &k.Levels[i]
		if !l.Counts {
			continue
		}
		if k.Enough == 0 && l.Throughput >= enoughShare*top {
			k.Enough = l.Connections
		}
		row := make([]float64, len(l.Trials))
		for j := range l.Trials {
			row[j] = l.Trials[j].Throughput
			if l.Trials[j].Spoiled {
				row[j] = math.NaN()
			}
		}
		levels, values = append(levels, float64(l.Connections)), append(values, row)
	}
	if found, ok := stats.FindKnee(levels, values, enoughShare, fitLevel, seed); ok {
		k.Enough, k.EnoughLow, k.EnoughHigh = int(levels[found.At]), int(levels[found.Low]), int(levels[found.High])
	}
}

// conclude says what the levels show.
func (k *Knee) conclude(seed uint64) {
	var n, x []float64
	top := 0.0
	for i := range k.Levels {
		l := &k.Levels[i]
		if l.Counts {
			top = max(top, l.Throughput)
		}
		for j := range l.Trials {
			if t := &l.Trials[j]; !t.Spoiled && t.Throughput > 0 {
				n, x = append(n, float64(t.Connections)), append(x, t.Throughput)
			}
		}
	}
	k.findEnough(top, seed)
	var err error
	if k.Fit, err = stats.FitUSL(n, x, fitLevel, seed); err != nil {
		k.FitNote = i18n.From(err)
	}
	k.MemoryPer1000, k.MemoryNote = memoryPer1000(k.Levels)
	k.Notes = append(failing(k.Levels), unsteadyLevels(k.Levels)...)
}

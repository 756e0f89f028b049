package main

import (
	"fmt"
	"math"

	"dyno.example/dyno/stats"
	"dyno.example/dyno/stats/statstest"
)

// Designs that slices are simulated for: a short study of ten subjects, and a minute of two.
var slicedDesigns = []struct {
	name         string
	arms, rounds int
	starts       []int
}{
	{"two subjects", 2, quick, []int{3, 5, 10, 12}},
	{"ten subjects", 10, quick, []int{3, 4, 6, 10}},
}

// Slices are as long as studies have them, with as long between them as it takes to begin, to
// end and to go to the next subject, in seconds.
const (
	sliceLong = 0.015
	sliceGap  = 0.024
	quick     = 57 // rounds: as many as make the 2 s of a block with --quick
)

// neighbouredDesigns are those in which what neighbouring slices say is used: a study of ten
// subjects and a twin as --quick has it, 2 s of slices of so many milliseconds in each of eight
// starts; and two subjects with a twin for a minute.
var neighbouredDesigns = []struct {
	name string
	statstest.Slices
}{
	{"ten subjects and a twin, 15 ms", statstest.Slices{Arms: statstest.Alike(11), Starts: 8, Rounds: quick, Slice: sliceLong, Gap: sliceGap}},
	{"ten subjects and a twin, 50 ms", statstest.Slices{Arms: statstest.Alike(11), Starts: 8, Rounds: 28, Slice: 0.05, Gap: sliceGap}},
	{"ten subjects and a twin, 100 ms", statstest.Slices{Arms: statstest.Alike(11), Starts: 8, Rounds: 16, Slice: 0.1, Gap: sliceGap}},
	{"two subjects and a twin, 15 ms", statstest.Slices{Arms: statstest.Alike(3), Starts: 10, Rounds: quick, Slice: sliceLong, Gap: sliceGap}},
}

// neighboured counts studies as the lab's analysis has them. Ten comparisons of a study share its
// reference, so that they err together.
func (o *options) neighboured(r *Record, host statstest.Host, design string, d statstest.Slices) {
	d.Host = host
	got := d.SimulateNeighbours(max(o.studies/(4*(len(d.Arms)-1)), 1), level, o.seed)
	r.add(Result{
		What: "slices", Series: host.Name, Figure: design, Rule: "neighbours", Blocks: d.Starts, Effect: 1, Happened: got.Covered, Wanted: "≥ 95 %",
		Note: fmt.Sprintf("±%.2f %%, shifted by %+.2f %%; used in %s of the studies", 100*got.Half, 100*got.Bias, got.Used),
	})
}

// hosts are made-up ones, and the recorded ones that -trace names.
func (o *options) hosts(r *Record) ([]statstest.Host, error) {
	hosts := statstest.Hosts()
	for _, path := range o.traces {
		t, err := readTrace(path)
		if err != nil {
			return nil, err
		}
		r.Runs, r.Machines = append(r.Runs, path), append(r.Machines, t.Machine)
		hosts = append(hosts, t.hosts()...)
	}
	return hosts, nil
}

// slices simulates studies in slices.
func (o *options) slices(r *Record) error {
	hosts, err := o.hosts(r)
	if err != nil {
		return err
	}
	for _, host := range hosts {
		for _, d := range slicedDesigns {
			for _, starts := range d.starts {
				o.progress("%s, %s, %d starts", host.Name, d.name, starts)
				o.slicedCoverage(r, host, d.name, statstest.Slices{Host: host, Arms: statstest.Alike(d.arms), Starts: starts, Rounds: d.rounds, Slice: sliceLong, Gap: sliceGap})
			}
		}
		for _, d := range neighbouredDesigns {
			o.progress("%s, %s", host.Name, d.name)
			o.neighboured(r, host, d.name, d.Slices)
		}
		o.slicedWidths(r, host)
	}
	o.uneven(r)
	o.twoLevels(r)
	return nil
}

// probed is how exactly the speed is read next to a slice; read from what machine/speed
// varies by within a second on a machine of one speed.
const probed = 0.01

// slicedCoverage counts with the speed read next to the slices and without.
func (o *options) slicedCoverage(r *Record, host statstest.Host, design string, d statstest.Slices) {
	studies := max(o.studies/(len(d.Arms)-1), 1)
	for _, c := range []struct {
		rule  string
		probe float64
	}{{"", 0}, {"speed read", probed}} {
		d.Probe = c.probe
		got := d.Simulate(studies, level, o.seed)
		note := fmt.Sprintf("±%.2f %%, shifted by %+.2f %%; rounds alone: %s", 100*got.Half, 100*got.Bias, got.Rounds)
		if got.Used.Count > 0 {
			note += fmt.Sprintf("; speed used in %s", got.Used)
		}
		r.add(Result{What: "slices", Series: host.Name, Figure: design, Rule: c.rule, Blocks: d.Starts, Effect: 1, Happened: got.Covered, Wanted: "≥ 95 %", Note: note})
	}
}

// slicedWidths counts studies that end when their interval is narrow enough.
func (o *options) slicedWidths(r *Record, host statstest.Host) {
	const last = 25
	w := stats.NewWidths(3, last, level)
	d := statstest.Slices{Host: host, Arms: statstest.Alike(2), Starts: last, Rounds: quick, Slice: sliceLong, Gap: sliceGap, Probe: probed}
	for _, asked := range []float64{0.01, 0.02, 0.03} {
		var covered statstest.Rate
		ended := 0.0
		random := statstest.Seeded(o.seed)
		for range o.studies {
			starts := statstest.AgainstFirst(d.Draw(random))[0]
			for n := w.First; n <= last; n++ {
				if s := w.Ratio(starts[:n]); w.Reached(s, asked) || n == last {
					covered.Add(s.Ratio.Contains(1))
					ended += float64(n) / float64(o.studies)
					break
				}
			}
		}
		r.add(Result{
			What: "slices", Series: host.Name, Figure: fmt.Sprintf("two subjects, until ±%.0f %%", 100*asked), Rule: "widths", Blocks: last, Effect: 1,
			Happened: covered, Wanted: "≥ 95 %", MeanBlocks: ended,
		})
	}
}

// twoLevels counts where starts of a subject fall on two levels.
func (o *options) twoLevels(r *Record) {
	arms := statstest.Alike(2)
	arms[1].Levels = 0.08
	for _, starts := range []int{4, 6, 10} {
		host := statstest.Hosts()[0]
		o.slicedCoverage(r, host, "starts on two levels 8 % apart", statstest.Slices{Host: host, Arms: arms, Starts: starts, Rounds: 100, Slice: sliceLong, Gap: sliceGap})
	}
}

// uneven counts among ten subjects of which one is unlike the others.
func (o *options) uneven(r *Record) {
	for _, c := range []struct {
		name string
		arm  statstest.SlicedArm
	}{
		{"one whose starts differ five times as much", statstest.SlicedArm{Cost: 1, Plateau: 0.05, Noise: 0.05, Follows: 1}},
		{"one that collects in every fifth slice, which costs 40 % more", statstest.SlicedArm{Cost: 1.2, Plateau: 0.01, Noise: 0.05, Collects: 5, By: 0.4, Follows: 1}},
		{"one whose slices scatter three times as much", statstest.SlicedArm{Cost: 2, Plateau: 0.01, Noise: 0.15, Follows: 1}},
	} {
		arms := append(statstest.Alike(9), c.arm)
		d := statstest.Slices{Host: statstest.Hosts()[1], Arms: arms, Starts: 4, Rounds: 40, Slice: sliceLong, Gap: sliceGap, Probe: probed}
		var odd, others statstest.Rate
		bias := 0.0
		random := statstest.Seeded(o.seed)
		for range max(o.studies/4, 1) {
			for i, starts := range statstest.AgainstFirst(d.Draw(random)) {
				s := stats.SlicedRatio(starts, level)
				truth := arms[i+1].Mean()
				if i == 8 {
					odd.Add(s.Ratio.Contains(truth))
					bias += (math.Log(s.Ratio.Estimate/truth) - bias) / float64(odd.Of)
				} else {
					others.Add(s.Ratio.Contains(truth))
				}
			}
		}
		r.add(Result{What: "slices", Series: c.name, Figure: "ten subjects: that one", Blocks: 4, Effect: c.arm.Mean(), Happened: odd, Wanted: "≥ 95 %", Note: fmt.Sprintf("shifted by %+.2f %%", 100*bias)})
		r.add(Result{What: "slices", Series: c.name, Figure: "ten subjects: the others", Blocks: 4, Effect: 1, Happened: others, Wanted: "≥ 95 %"})
	}
}

package study

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
)

const (
	// maxTrials bounds a plan; more is a mistake in the factors.
	maxTrials = 100_000
	// betweenTrials is about what starting, verifying and stopping take.
	betweenTrials = 500 * time.Millisecond
)

// Expand makes the plan of a study: each subject under each load at each point
// of the design, the reference once more as its own twin, cells in slices once more as
// trials where the study asks for what slices can't tell, and blocks that hold
// each of these cells once, in balanced orders. It is a pure function of study
// and seed.
func Expand(s *Study, seed uint64) (Plan, error) {
	if err := checkSize(s); err != nil {
		return Plan{}, err
	}
	points, design := s.points(seed)
	p := Plan{Seed: seed, Design: design, Cells: cells(s, points), Secrets: s.Secrets}
	p.Cells = append(p.Cells, twins(s, p.Cells, len(points))...)
	rng := rand.New(rand.NewPCG(seed, 0))
	groups, whole := arms(s, p.Cells)
	p.Whole = whole
	p.Cells = append(p.Cells, trialsBeside(s, p.Cells, groups)...)
	for block, order := range orders(len(p.Cells), s.Blocks, seed) {
		blockSeed := rng.Uint64()
		cells, group := inSlices(order, groups)
		for _, cell := range cells {
			g, sliced := group[cell]
			p.Trials = append(p.Trials, PlannedTrial{Index: len(p.Trials), Block: block, Cell: cell, Seed: blockSeed, InSlices: sliced, Group: g})
		}
	}
	p.Estimate = estimate(&p, s.Trial)
	return p, nil
}

// checkSize counts the trials before memory is allocated for any of them.
func checkSize(s *Study) error {
	points, how := s.size()
	product := i18n.Join(i18n.New("study.subjects-loads", "%d subjects × %d loads", len(s.Subjects), len(s.Loads)), how)
	trials := 1
	for _, size := range []int{len(s.Subjects), len(s.Loads), points, s.Blocks} {
		size = max(size, 1)
		if trials > maxTrials/size {
			return i18n.Errorf("study.too-many-trials", "%s: %s × %d blocks are more than the %d trials that are allowed: take fewer levels or blocks", s.Path, product, s.Blocks, maxTrials)
		}
		trials *= size
	}
	return nil
}

// estimate is how long the trials take, or the longest duration there is.
func estimate(p *Plan, t Timing) time.Duration {
	sum := 0.0
	for i := range p.Trials {
		each := p.Cells[p.Trials[i].Cell].Timing(t)
		if p.Trials[i].InSlices {
			each.Duration = t.LengthInSlices()
		}
		sum += float64(each.Warmup + each.Duration + betweenTrials)
	}
	if sum >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(sum)
}

func cells(s *Study, points []map[string]string) []Cell {
	var all []Cell
	for _, subject := range s.Subjects {
		for _, l := range s.Loads {
			for i, levels := range points {
				c := cell(s, subject.Name, l, levels)
				c.Index, c.Point = len(all), i
				all = append(all, c)
			}
		}
	}
	return all
}

// maxTwinPoints is the number of points of a design up to which each has a twin. In a
// larger design only the first of each load has one, so that a study of one subject at
// many points does not cost twice as much.
const maxTwinPoints = 4

// twins are the cells of the reference once more. A study of one subject at one
// point compares nothing and has none.
func twins(s *Study, cells []Cell, points int) []Cell {
	if !s.Twin || len(s.Subjects)*points < 2 {
		return nil
	}
	var all []Cell
	for _, c := range cells {
		if c.Subject == s.Reference && (points <= maxTwinPoints || c.Point == 0) {
			c.Index, c.Twin = len(cells)+len(all), true
			all = append(all, c)
		}
	}
	return all
}

// cell applies levels to a load. The levels were checked when they were read.
func cell(s *Study, subject string, l Load, levels map[string]string) Cell {
	c := Cell{Subject: subject, Load: l.Name, Profile: l.Profile, Timeout: l.Timeout, Drain: l.Drain, Link: l.Link, Pacing: l.Pacing, Requests: s.Requests, Feeds: s.Feeds, Env: make(map[string]string)}
	if len(levels) > 0 {
		c.Levels = levels
	}
	if isSecure(s, subject) {
		c.TLS = TLSFull
	}
	c.Network = networkOf(s, subject)
	for _, f := range s.Factors {
		if k, name, ok := kindOf(f.Name); ok {
			k.apply(&c, name, levels[f.Name], s)
		}
	}
	c.Levels = s.Secrets.hiddenLevels(c.Levels)
	return c
}

// isSecure reports whether a subject is up with TLS.
func isSecure(s *Study, subject string) bool {
	at := slices.IndexFunc(s.Subjects, func(other Subject) bool { return other.Name == subject })
	return at >= 0 && strings.HasPrefix(s.Subjects[at].URL, "https:")
}

func requestNamed(s *Study, name string) request.Request {
	for _, r := range s.Requests {
		if r.Name == name {
			return r
		}
	}
	return request.Request{}
}

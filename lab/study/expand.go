package study

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"dyno/lab/load"
)

const (
	// maxTrials bounds a plan; more is a mistake in the factors.
	maxTrials = 100_000
	// betweenTrials is about what starting, verifying and stopping take.
	betweenTrials = 500 * time.Millisecond
)

// Expand makes the plan of a study: the full factorial of subjects, loads and
// levels, and blocks that hold each cell once in an order of their own. It is a
// pure function of study and seed.
func Expand(s *Study, seed uint64) (Plan, error) {
	if err := checkSize(s); err != nil {
		return Plan{}, err
	}
	p := Plan{Seed: seed, Cells: cells(s)}
	rng := rand.New(rand.NewPCG(seed, 0))
	for block := range s.Blocks {
		blockSeed := rng.Uint64()
		for _, cell := range rng.Perm(len(p.Cells)) {
			p.Trials = append(p.Trials, PlannedTrial{Index: len(p.Trials), Block: block, Cell: cell, Seed: blockSeed})
		}
	}
	p.Estimate = estimate(p.Cells, s.Blocks, s.Trial)
	return p, nil
}

// checkSize counts the trials before there is memory for any of them.
func checkSize(s *Study) error {
	product := fmt.Sprintf("%d subjects × %d loads", len(s.Subjects), len(s.Loads))
	sizes := []int{len(s.Subjects), len(s.Loads)}
	for _, f := range s.Factors {
		product += fmt.Sprintf(" × %d levels of %s", len(f.Levels), f.Name)
		sizes = append(sizes, len(f.Levels))
	}
	trials := 1
	for _, size := range append(sizes, s.Blocks) {
		size = max(size, 1)
		if trials > maxTrials/size {
			return fmt.Errorf("%s: %s × %d blocks are more than the %d trials that are allowed: take fewer levels or blocks", s.Path, product, s.Blocks, maxTrials)
		}
		trials *= size
	}
	return nil
}

// estimate is how long the trials take, or the longest duration there is.
func estimate(cells []Cell, blocks int, t Timing) time.Duration {
	sum := 0.0
	for i := range cells {
		each := cells[i].Timing(t)
		sum += float64(blocks) * float64(each.Warmup+each.Duration+betweenTrials)
	}
	if sum >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(sum)
}

func cells(s *Study) []Cell {
	var all []Cell
	for _, subject := range s.Subjects {
		for _, l := range s.Loads {
			for _, levels := range combinations(s.Factors) {
				c := cell(s, l, levels)
				c.Index, c.Subject = len(all), subject.Name
				all = append(all, c)
			}
		}
	}
	return all
}

// combinations returns every way to choose a level of each factor, the last
// factor varying fastest.
func combinations(factors []Factor) []map[string]string {
	all := []map[string]string{{}}
	for _, f := range factors {
		var longer []map[string]string
		for _, chosen := range all {
			for _, level := range f.Levels {
				with := maps.Clone(chosen)
				with[f.Name] = level
				longer = append(longer, with)
			}
		}
		all = longer
	}
	return all
}

// cell applies levels to a load. The levels were checked when they were read.
func cell(s *Study, l Load, levels map[string]string) Cell {
	c := Cell{Load: l.Name, Profile: l.Profile, Timeout: l.Timeout, Link: l.Link, Pacing: l.Pacing, Requests: s.Requests, Feeds: s.Feeds, Env: make(map[string]string)}
	if len(levels) > 0 {
		c.Levels = levels
	}
	for name, level := range levels {
		switch {
		case name == "connections":
			c.Profile.Connections, _ = strconv.Atoi(level)
		case name == "rate":
			c.Profile.Rate, _ = strconv.ParseFloat(level, 64)
		case name == "reuse":
			c.Link.Reuse, c.Link.PerConnection, _ = load.ParseReuse(level)
		case name == "pacing":
			c.Pacing = load.Pacing(level)
		case name == "request":
			c.Requests = []load.Request{request(s, level)}
		default:
			c.Env[strings.TrimPrefix(name, "env.")] = level
		}
	}
	return c
}

func request(s *Study, name string) load.Request {
	for _, r := range s.Requests {
		if r.Name == name {
			return r
		}
	}
	return load.Request{}
}

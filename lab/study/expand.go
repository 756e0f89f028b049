package study

import (
	"fmt"
	"maps"
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
	p := Plan{Seed: seed, Cells: cells(s)}
	trials := len(p.Cells) * s.Blocks
	if trials > maxTrials {
		return Plan{}, fmt.Errorf("%s: %d cells in %d blocks are %d trials, more than the %d that are allowed: take fewer levels or blocks", s.Path, len(p.Cells), s.Blocks, trials, maxTrials)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for block := range s.Blocks {
		blockSeed := rng.Uint64()
		for _, cell := range rng.Perm(len(p.Cells)) {
			p.Trials = append(p.Trials, PlannedTrial{Index: len(p.Trials), Block: block, Cell: cell, Seed: blockSeed})
		}
	}
	p.Estimate = time.Duration(trials) * (s.Trial.Warmup + s.Trial.Duration + betweenTrials)
	return p, nil
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
		if all = longer; len(all) > maxTrials {
			break // refused by the caller
		}
	}
	return all
}

// cell applies levels to a load. The levels were checked when they were read.
func cell(s *Study, l Load, levels map[string]string) Cell {
	c := Cell{Load: l.Name, Profile: l.Profile, Timeout: l.Timeout, Requests: s.Requests, Env: make(map[string]string)}
	if len(levels) > 0 {
		c.Levels = levels
	}
	for name, level := range levels {
		switch {
		case name == "connections":
			c.Profile.Connections, _ = strconv.Atoi(level)
		case name == "rate":
			c.Profile.Rate, _ = strconv.ParseFloat(level, 64)
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

package study

import (
	"slices"
	"strconv"
	"strings"

	"dyno/lab/load"
)

// maxFactors bounds the factors of a study: with two levels each, one more
// makes more trials than are allowed.
const maxFactors = 16

func factorsAt(at scope, s *Study) []Factor {
	valid := []string{"connections", "rate", "request", "reuse", "pacing"}
	requests := requestNames(s)
	var factors []Factor
	for i, e := range at.entries() {
		if i == maxFactors {
			e.name.problem("", "expected at most %d factors", maxFactors)
			break
		}
		if !strings.HasPrefix(e.key, "env.") && !slices.Contains(valid, e.key) {
			e.name.problem(didYouMean(e.key, append(valid, "env.NAME")), "unknown factor")
			continue
		}
		checkFactor(e, s)
		factors = append(factors, factorAt(e, requests))
		checkLimit(e, s, factors[len(factors)-1])
	}
	return factors
}

// checkFactor refuses factors that would change nothing.
func checkFactor(e entry, s *Study) {
	if e.key == "rate" {
		for _, l := range s.Loads {
			if l.Profile.Mode == load.Closed {
				e.name.problem("give that load open: {rate: …}", "the load %s is closed and has no rate to vary", quote(l.Name))
			} else if len(l.Profile.Phases) > 0 {
				e.name.problem("give that load open: {rate: …}", "the load %s has phases, which have rates of their own", quote(l.Name))
			}
		}
	}
	if e.key == "pacing" {
		for _, l := range s.Loads {
			if l.Profile.Mode == load.Closed {
				e.name.problem("give that load open: {rate: …}", "the load %s is closed and waits for no schedule", quote(l.Name))
			}
		}
	}
	if name, ok := strings.CutPrefix(e.key, "env."); ok {
		checkVariable(e.name, name)
		for _, subject := range s.Subjects {
			if subject.URL != "" {
				e.name.problem("", "the environment of %s can't be varied: it is already up", quote(subject.Name))
			}
		}
	}
}

// checkLimit refuses levels of connections above what a load limits them to.
func checkLimit(e entry, s *Study, f Factor) {
	if f.Name != "connections" {
		return
	}
	for _, level := range f.Levels {
		n, _ := strconv.Atoi(level)
		for _, l := range s.Loads {
			if limit := l.Profile.MaxConnections; limit > 0 && n > limit {
				e.name.problem("raise max_connections", "the level %s is above the max_connections of the load %s, %d", level, quote(l.Name), limit)
			}
		}
	}
}

func factorAt(e entry, requests []string) Factor {
	f := Factor{Name: e.key}
	taken := make(map[string]bool)
	for _, item := range e.value.list() {
		level, ok := levelAt(item, e.key, requests)
		if !ok {
			continue
		}
		if taken[level] {
			item.problem("remove one of them", "the level %s is given twice", quote(level))
		}
		taken[level] = true
		f.Levels = append(f.Levels, level)
	}
	return f
}

// levelAt reads a level of the named factor. Numbers come back in plain
// decimal, so that 1000 and 1e3 are the same level.
func levelAt(at scope, factor string, requests []string) (level string, ok bool) {
	before := len(at.in.problems)
	switch factor {
	case "connections":
		level = strconv.Itoa(at.integer(1, load.MaxConnections))
	case "rate":
		level = plain(at.number(minRate, maxRate))
	case "reuse":
		level = reuseText(at)
	case "pacing":
		level = string(pacingAt(at))
	case "request":
		level = at.oneOf(requests...)
	default:
		level, _ = at.printable("\n\t")
	}
	return level, len(at.in.problems) == before
}

func requestNames(s *Study) []string {
	var names []string
	for _, r := range s.Requests {
		names = append(names, r.Name)
	}
	return names
}

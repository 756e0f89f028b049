package study

import (
	"strconv"

	"dyno.example/dyno/load/profile"
)

// maxFactors bounds the factors of a study: with two levels each, one more
// makes more trials than are allowed.
const maxFactors = 16

func factorsAt(at scope, s *Study) []Factor {
	var factors []Factor
	entries := at.entries()
	for i, e := range entries {
		if i == maxFactors {
			e.name.Problem("", "expected at most %d factors", maxFactors)
			break
		}
		k, name, ok := kindOf(e.key)
		if !ok {
			e.name.Problem(didYouMean(e.key, FactorNames()), "unknown factor")
			continue
		}
		if k.check != nil {
			k.check(e, name, s)
		}
		factors = append(factors, factorAt(e, k, s))
		checkLimit(e, s, factors[len(factors)-1])
	}
	for _, e := range entries {
		switch e.key {
		case "tls":
			checkHandshakes(e, s, factors)
		case "streams":
			checkStreams(e, s, factors)
		}
	}
	return factors
}

// factorAt reads a factor's levels, or its range.
func factorAt(e entry, k kind, s *Study) Factor {
	f := Factor{Name: e.key, Place: e.name.At().Where()}
	if e.value.IsMapping() {
		if !s.Design.sampling() {
			e.value.Problem("write its levels as [1, 8, 64], or add: design: {sobol: {samples: 32}}", "a range goes with a design that samples it")
		}
		f.Range = rangeAt(e.value, k)
		return f
	}
	taken := make(map[string]bool)
	for _, item := range e.value.list() {
		before := len(item.in.Problems)
		level := k.level(item, s)
		if len(item.in.Problems) > before {
			continue
		}
		if taken[level] {
			item.Problem("remove one of them", "the level %s is given twice", form.Quote(level))
		}
		taken[level] = true
		f.Levels = append(f.Levels, level)
	}
	return f
}

// checkLimit refuses levels of connections above what a load limits them to.
func checkLimit(e entry, s *Study, f Factor) {
	if f.Name != "connections" {
		return
	}
	levels := f.Levels
	if f.Range != nil {
		levels = []string{f.Range.text(f.Range.To)}
	}
	for _, level := range levels {
		n, _ := strconv.Atoi(level)
		for _, l := range s.Loads {
			if limit := l.Profile.MaxConnections; limit > 0 && n > limit {
				e.name.Problem("raise max_connections", "the level %s is above the max_connections of the load %s, %d", level, form.Quote(l.Name), limit)
			}
		}
	}
}

// eachOpen reports every load that comes in a closed loop.
func eachOpen(e entry, s *Study, why string) {
	for _, l := range s.Loads {
		if l.Profile.Mode == profile.Closed {
			e.name.Problem("give that load open: {rate: …}", "the load %s is closed and %s", form.Quote(l.Name), why)
		}
	}
}

func checkRate(e entry, _ string, s *Study) {
	eachOpen(e, s, "has no rate to vary")
	for _, l := range s.Loads {
		if l.Profile.Mode == profile.Open && len(l.Profile.Phases) > 0 {
			e.name.Problem("give that load open: {rate: …}", "the load %s has phases, which have rates of their own", form.Quote(l.Name))
		}
	}
}

func checkPacing(e entry, _ string, s *Study) { eachOpen(e, s, "waits for no schedule") }

// checkStarted refuses a factor of the subjects' start where one is up already;
// what is what can't be varied of it.
func checkStarted(e entry, s *Study, what string) {
	for _, subject := range s.Subjects {
		if subject.URL != "" {
			e.name.Problem("", "%s of %s can't be varied: it is already up", what, form.Quote(subject.Name))
		}
	}
}

func checkEnv(e entry, name string, s *Study) {
	checkVariable(e.name, name)
	checkStarted(e, s, "the environment")
}

func requestNames(s *Study) []string {
	var names []string
	for _, r := range s.Requests {
		names = append(names, r.Name)
	}
	return names
}

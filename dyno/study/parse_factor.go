package study

import (
	"strconv"

	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// maxFactors bounds the factors of a study: with two levels each, one more
// makes more trials than are allowed.
const maxFactors = 16

func factorsAt(at scope, s *Study) []Factor {
	var factors []Factor
	entries := at.entries()
	for i, e := range entries {
		if i == maxFactors {
			e.name.Report(i18n.New("study.too-many-factors", "expected at most %d factors", maxFactors))
			break
		}
		k, name, ok := kindOf(e.key)
		if !ok {
			e.name.Report(i18n.New("study.unknown-factor", "unknown factor"), didYouMean(e.key, FactorNames()))
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
			e.value.Report(i18n.New("study.range-needs-sampler", "a range goes with a design that samples it"), i18n.New("study.levels-or-sobol", "write its levels as [1, 8, 64], or add: design: {sobol: {samples: 32}}"))
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
			item.Report(i18n.New("study.level-given-twice", "the level %s is given twice", form.Quote(level)), i18n.New("yaml.remove-one-them", "remove one of them"))
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
				e.name.Report(i18n.New("study.level-above-max-connections", "the level %s is above the max_connections of the load %s, %d", level, form.Quote(l.Name), limit), i18n.New("study.raise-max-connections", "raise max_connections"))
			}
		}
	}
}

// eachOpen reports every load that comes in a closed loop.
func eachOpen(e entry, s *Study, why i18n.Message) {
	for _, l := range s.Loads {
		if l.Profile.Mode == profile.Closed {
			e.name.Report(i18n.New("study.load-closed", "the load %s is closed and %s", form.Quote(l.Name), why), i18n.New("study.make-load-open", "give that load open: {rate: …}"))
		}
	}
}

func checkRate(e entry, _ string, s *Study) {
	eachOpen(e, s, i18n.New("study.no-rate-to-vary", "has no rate to vary"))
	for _, l := range s.Loads {
		if l.Profile.Mode == profile.Open && len(l.Profile.Phases) > 0 {
			e.name.Report(i18n.New("study.load-with-phase-rates", "the load %s has phases, which have rates of their own", form.Quote(l.Name)), i18n.New("study.make-load-open", "give that load open: {rate: …}"))
		}
	}
}

func checkPacing(e entry, _ string, s *Study) {
	eachOpen(e, s, i18n.New("study.has-no-schedule", "waits for no schedule"))
}

// checkStarted refuses a factor of the subjects' start where one is up already;
// what is what can't be varied of it.
func checkStarted(e entry, s *Study, what i18n.Message) {
	for _, subject := range s.Subjects {
		if subject.URL != "" {
			e.name.Report(i18n.New("study.factor-of-running-service", "%s of %s can't be varied: it is already up", what, form.Quote(subject.Name)))
		}
	}
}

func checkEnv(e entry, name string, s *Study) {
	checkVariable(e.name, name)
	checkStarted(e, s, i18n.New("study.environment", "the environment"))
}

func requestNames(s *Study) []string {
	var names []string
	for _, r := range s.Requests {
		names = append(names, r.Name)
	}
	return names
}

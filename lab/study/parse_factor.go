package study

import (
	"slices"
	"strings"

	"dyno/lab/load"
)

func factorsAt(at scope, s *Study) []Factor {
	var factors []Factor
	for _, e := range at.entries() {
		if valid := []string{"connections", "rate", "request"}; !strings.HasPrefix(e.key, "env.") && !slices.Contains(valid, e.key) {
			e.name.problem(didYouMean(e.key, append(valid, "env.NAME")), "unknown factor")
			continue
		}
		factors = append(factors, factorAt(e, s))
	}
	return factors
}

func factorAt(e entry, s *Study) Factor {
	f := Factor{Name: e.key}
	for _, item := range e.value.list() {
		level := item.text()
		switch {
		case e.key == "connections":
			item.integer(1, load.MaxConnections)
		case e.key == "rate":
			item.positive(maxRate)
		case e.key == "request":
			item.oneOf(requestNames(s)...)
		}
		if slices.Contains(f.Levels, level) {
			item.problem("remove one of them", "the level %q is given twice", level)
		}
		f.Levels = append(f.Levels, level)
	}
	checkFactor(e, s)
	return f
}

// checkFactor refuses factors that would change nothing.
func checkFactor(e entry, s *Study) {
	if e.key == "rate" {
		for _, l := range s.Loads {
			if l.Profile.Mode == load.Closed {
				e.name.problem("give that load open: {rate: …}", "the load %q is closed and has no rate to vary", l.Name)
			}
		}
	}
	if name, ok := strings.CutPrefix(e.key, "env."); ok {
		if name == "" || strings.ContainsAny(name, "= \x00") {
			e.name.problem("", "%q can't be the name of an environment variable", name)
		}
		for _, subject := range s.Subjects {
			if subject.URL != "" {
				e.name.problem("", "the environment of %q can't be varied: it is already up", subject.Name)
			}
		}
	}
}

func requestNames(s *Study) []string {
	var names []string
	for _, r := range s.Requests {
		names = append(names, r.Name)
	}
	return names
}

func loadNames(s *Study) []string {
	var names []string
	for _, l := range s.Loads {
		names = append(names, l.Name)
	}
	return names
}

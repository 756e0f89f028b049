package explaincmd

import (
	"maps"

	"dyno.example/dyno/explain"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// room is how much memory a Go program may use before it collects at all.
const room = "2GiB"

// halfCPU is the quota of a subject that has none, to see what one does.
const halfCPU = 0.5

// without is the subject with a cause taken away, or added where it isn't there, and what
// was changed; language is what it is written in, as far as that is known.
func without(s study.Subject, cause explain.Name, language string) (study.Subject, i18n.Message, error) {
	if s.URL != "" {
		return s, i18n.Message{}, i18n.Errorf("explaincmd.not-started", "%s is already up and not started by dyno, so nothing can be changed about it", s.Name)
	}
	s.Env = maps.Clone(s.Env)
	switch cause {
	case explain.GC, explain.Allocation:
		if language != "" && language != "go" {
			return s, i18n.Message{}, i18n.Errorf("explaincmd.no-collector", "%s is written in %s: only of Go it is known how to do without the collector", s.Name, language)
		}
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env["GOGC"], s.Env["GOMEMLIMIT"] = "off", room
		return s, i18n.New("explaincmd.without-gc", "GOGC=off, GOMEMLIMIT=%s: it doesn't collect before it has that much", room), nil
	case explain.Throttled:
		if s.Limits == nil || s.Limits.CPUs == 0 {
			limits := study.Limits{CPUs: halfCPU}
			if s.Limits != nil {
				limits.Memory, limits.CPUSet = s.Limits.Memory, s.Limits.CPUSet
			}
			s.Limits = &limits
			return s, i18n.New("explaincmd.with-quota", "with a quota of %.1f CPUs, as it has none", halfCPU), nil
		}
		limits := *s.Limits
		limits.CPUs = 0
		s.Limits = &limits
		if limits.Memory == 0 && len(limits.CPUSet) == 0 {
			s.Limits = nil
		}
		return s, i18n.New("explaincmd.without-quota", "without its quota of CPU time"), nil
	}
	return s, i18n.Message{}, i18n.Errorf("explaincmd.cant-remove", "--test %s: dyno can take away gc, allocation and throttled; of other causes change the program or the machine, and run the study again with the same --seed", string(cause))
}

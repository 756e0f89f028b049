package capacity

import (
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// failingShare is the share of failed requests from which on a level is marked: a
// service that fails at once may look fast.
const failingShare = 0.01

// failing says at which levels of a sweep requests failed, and how. Trials that were
// spoiled say nothing about the service.
func failing(levels []Level) []i18n.Message {
	var errors measure.Errors
	first := map[string]i18n.Message{}
	from, to, responses := 0, 0, uint64(0)
	for i := range levels {
		var of measure.Errors
		good := uint64(0)
		for j := range levels[i].Trials {
			t := &levels[i].Trials[j]
			if t.Spoiled {
				continue
			}
			of.Add(t.Errors)
			good += t.Responses
			for kind, text := range t.First {
				first[kind] = text
			}
		}
		if n := of.Total(); float64(n) < failingShare*float64(n+good) || n == 0 {
			continue
		}
		errors.Add(of)
		responses += good
		if to = levels[i].Connections; from == 0 {
			from = to
		}
	}
	n := errors.Total()
	if n == 0 {
		return []i18n.Message{}
	}
	kind := errors.Most()
	return []i18n.Message{i18n.New("capacity.failing-connections", "%.2g %% of the requests failed at %d to %d connections, and are no throughput; most by %s: %s", 100*float64(n)/float64(n+responses), from, to, kind, first[kind])}
}

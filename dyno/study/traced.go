package study

import (
	"slices"
	"strings"

	"dyno.example/dyno/claim"
	"dyno.example/internal/i18n"
)

// causes are those of docs/causes.md, as metrics are written. Package explain has what they mean,
// and is above this one.
var causes = []string{
	"gc", "allocation", "scheduler", "loop_queue", "cpu_wait", "throttled", "steal", "frequency", "interrupt", "stopped", "work", "sleep", "lock", "disk",
	"page_fault", "blocked", "dns", "upstream", "connect", "handshake", "accept_queue", "receive_queue", "send_queue", "retransmit", "network_delay", "generator", "unexplained",
}

// longestWait is the longest time that a traced request waited to be run.
const longestWait = "wait.max"

// tracedMetrics are the figures of traced requests.
func tracedMetrics() []string {
	names := []string{longestWait}
	for _, cause := range causes {
		names = append(names, "explained."+cause)
	}
	return names
}

// checkTraced reports a claim about traced requests of a study that traces none.
func checkTraced(at scope, c *claim.Claim, s *Study) {
	if s.Explain {
		return
	}
	if of := tracedOf(c); len(of) > 0 {
		at.Report(i18n.New("study.claim-without-evidence", "%s takes evidence of requests, which the study doesn't collect", strings.Join(of, ", ")), i18n.New("study.add-field", "add: %s: %s", "explain", "true"))
	}
}

// tracedOf are the figures of traced requests in the first expression of a claim that has any.
func tracedOf(c *claim.Claim) (of []string) {
	traced := tracedMetrics()
	for _, text := range append(slices.Clone(c.Expressions), c.Direction) {
		e, err := claim.Parse(text)
		if err != nil {
			continue // which is reported, or a direction that isn't said
		}
		for _, metric := range e.Metrics() {
			if slices.Contains(traced, metric) {
				of = append(of, metric)
			}
		}
		if len(of) > 0 {
			return of
		}
	}
	return nil
}

// TracesAll reports whether a claim is about the longest of something that requests did: what
// is looked at for a part of the time can't say that.
func (s *Study) TracesAll() bool {
	return slices.ContainsFunc(s.Claims, func(c claim.Claim) bool { return slices.Contains(tracedOf(&c), longestWait) })
}

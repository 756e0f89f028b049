package load

import (
	"net/http"
	"strings"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/internal/engine"
	"dyno.example/internal/i18n"
)

// redirectsSuspect is the limit of the finding; dyno/docs/findings.md explains it.
const redirectsSuspect = 0.1 // of the responses

// judgeRedirects says if what was measured is a redirect, unless that is what
// the requests expect by their own words.
func (r *Result) judgeRedirects(spec *Spec, add func(finding.Name, finding.Validity, i18n.Message)) {
	redirects, responses, most := uint64(0), uint64(0), 0
	for status, n := range r.Total.Statuses {
		responses += n
		if engine.IsRedirect(status) {
			redirects += n
			if count := r.Total.Statuses[most]; n > count || n == count && status < most {
				most = status
			}
		}
	}
	if redirects == 0 || spec.expectStatuses() {
		return
	}
	level := finding.Suspect
	if float64(redirects) < redirectsSuspect*float64(responses) {
		level = finding.Valid
	}
	var where i18n.Message
	if r.Location != "" {
		where = i18n.New("load.redirected-to", " to %s", r.Location)
	}
	add(finding.Redirected, level, i18n.New("load.redirects-not-followed", "%d of %d responses were redirects, as %d %s%s, and are not followed (limit %.0f %%): load what they lead to, or expect their status if it is they that are to be measured",
		redirects, responses, most, http.StatusText(most), where, 100*redirectsSuspect))
}

// expectStatuses reports whether all requests say which statuses they expect.
func (s *Spec) expectStatuses() bool {
	for i := range s.Requests {
		r := &s.Requests[i]
		said := r.Status != 0
		for _, line := range r.Expect {
			said = said || strings.HasPrefix(strings.TrimSpace(line), "status")
		}
		if !said {
			return false
		}
	}
	return true
}

package load

import (
	"fmt"
	"net/http"
	"strings"

	"dyno/lab/finding"
	"dyno/lab/load/expect"
)

// redirectsSuspect is the limit of the finding; docs/findings.md explains it.
const redirectsSuspect = 0.1 // of the answers

// isRedirect reports whether a status sends the client elsewhere (RFC 9110 15.4).
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirected keeps where an answer that is a redirect leads, of the first one.
// Such an answer was kept.
func (l *errorLog) redirected(x *exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.location != "" {
		return
	}
	for value := range expect.Fields(finalHead(x.kept), "location") {
		l.location = shownLocation(string(value))
		return
	}
}

// shownLocation is a Location as it may be shown: without its query, which may
// hold a secret, in one bounded line.
func shownLocation(value string) string {
	const most = 200
	value, _, query := strings.Cut(strings.TrimSpace(value), "?")
	if len(value) > most {
		value, query = value[:most], true
	}
	value = strings.Trim(fmt.Sprintf("%q", value), `"`)
	if query {
		value += "…"
	}
	return value
}

// judgeRedirects says if what was measured is a redirect, unless that is what
// the requests expect by their own words.
func (r *Result) judgeRedirects(spec *Spec, add func(finding.Name, finding.Validity, string, ...any)) {
	redirects, answers, most := uint64(0), uint64(0), 0
	for status, n := range r.Total.Statuses {
		answers += n
		if isRedirect(status) {
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
	if float64(redirects) < redirectsSuspect*float64(answers) {
		level = finding.Valid
	}
	where := ""
	if r.Location != "" {
		where = " to " + r.Location
	}
	add(finding.Redirected, level, "%d of %d answers were redirects, as %d %s%s, and are not followed (limit %.0f %%): load what they lead to, or expect their status if it is they that are to be measured",
		redirects, answers, most, http.StatusText(most), where, 100*redirectsSuspect)
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

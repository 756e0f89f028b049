package engine

import (
	"fmt"
	"net/http"
	"strings"

	"dyno.example/dyno/load/expect"
)

// IsRedirect reports whether a status sends the client elsewhere (RFC 9110 15.4).
func IsRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirected keeps where a response that is a redirect leads, of the first one.
// Such a response was kept.
func (l *ErrorLog) redirected(x *exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Location != "" {
		return
	}
	for value := range expect.Fields(finalHead(x.kept), "location") {
		l.Location = shownLocation(string(value))
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

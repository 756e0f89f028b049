package nano

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"

	"dyno/nano/wire/http1"
)

// What is refused before a route is looked for: requests that can't be read, that
// exceed a limit or come too slowly. No middleware sees them, so they are counted
// and, for who asks, logged here.

// refusals counts them by status.
type refusals struct{ counts [600]atomic.Uint64 }

// Refused returns how many requests have been refused before a route was looked
// for, by the status they were answered with: 400 for what isn't HTTP, 408, 413, 414,
// 431 for what is beyond [Limits], 501 and 505 for what the server can't do.
// dyno/nano/metrics has them too. Each is logged at the level Debug.
func (a *App) Refused() iter.Seq2[int, uint64] {
	return func(yield func(status int, n uint64) bool) {
		for status := range a.refused.counts {
			if n := a.refused.counts[status].Load(); n > 0 && !yield(status, n) {
				return
			}
		}
	}
}

// refusing counts and logs a refusal.
func (a *App) refusing(status int, detail string, from netip.AddrPort) {
	a.refused.counts[status].Add(1)
	if log := a.config.Logger; log.Enabled(context.Background(), slog.LevelDebug) {
		log.Debug("request refused", "status", status, "reason", detail, "from", from)
	}
}

// refusalBody is what the client is told. It holds nothing that came from it.
func refusalBody(status int, detail string) []byte {
	b, err := json.Marshal(Problem{Title: http1.Reason(status), Status: status, Detail: detail})
	if err != nil { // a Problem of two strings and a number can be encoded
		return nil
	}
	return b
}

// appendRefusal appends a response that closes the connection.
func appendRefusal(out, date []byte, status int, detail string) []byte {
	body := refusalBody(status, detail)
	out = append(out, http1.StatusLine(status)...)
	out = append(out, date...)
	out = append(out, "Content-Type: application/problem+json\r\nContent-Length: "...)
	out = strconv.AppendInt(out, int64(len(body)), 10)
	out = append(out, "\r\nConnection: close\r\n\r\n"...)
	return append(out, body...)
}

// admits holds what came through net/http against the limits and checks that
// requests on a loop meet. If it refuses, it has answered.
func (a *App) admits(w http.ResponseWriter, r *http.Request) bool {
	limits := &a.config.Limits
	status, detail := 0, ""
	switch {
	case len(r.RequestURI) > limits.URI:
		status, detail = 414, "request target longer than the limit"
	case len(r.Header) > limits.Fields || countFields(r.Header) > limits.Fields:
		status, detail = 431, "more header fields than the limit"
	case r.Host != "" && !http1.ValidHost(r.Host):
		status, detail = 400, "host is not a name or address with an optional port"
	default:
		return true
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	a.refusing(status, detail, from)
	body := refusalBody(status, detail)
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.ProtoMajor == 1 {
		h.Set("Connection", "close")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error: the client has gone
	return false
}

func countFields(h http.Header) (n int) {
	for _, values := range h {
		n += len(values)
	}
	return n
}

//go:build linux

package proxy

import (
	"strconv"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

var replyNoHost = request.Refuse(400, "the request names no host", "")

// toHTTPS sends a client to https that has come to an address whose clients all are, in
// the clear. It reports whether it does. The port that the client names isn't that of https.
func (l *loop) toHTTPS(c *client, r *request.Request) bool {
	if r.Secure {
		return false
	}
	m := l.snap.Config.HTTPSOf(r.Port)
	if m == nil {
		return false
	}
	if len(r.Host()) == 0 {
		l.exchanges.unrouted(c, replyNoHost)
		return true
	}
	l.exchanges.unrouted(c, &request.Reply{Status: m.Status, Fields: request.AppendField(nil, "Location", httpsOf(m, r))})
	return true
}

func httpsOf(m *config.ToHTTPS, r *request.Request) []byte {
	to := append([]byte("https://"), r.Host()...)
	if m.To != 443 {
		to = strconv.AppendUint(append(to, ':'), uint64(m.To), 10)
	}
	to = append(to, r.Path...)
	if query := r.Query(); len(query) > 0 {
		to = append(append(to, '?'), query...)
	}
	return to
}

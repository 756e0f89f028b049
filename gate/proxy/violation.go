//go:build linux

package proxy

// violated tells of what must not be: a mistake of the gateway's own, which costs a request
// or a connection.
func (l *loop) violated(what string, args ...any) {
	l.server.Violations.Add(1)
	l.server.violated.Warn(l.log(), l.now, "nanogate is wrong: "+what, args...)
}

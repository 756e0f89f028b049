//go:build linux

package admin

import "dyno/gate"

// connections writes what there is of files and TLS.
func (e *exposition) connections(g *gate.Gateway) {
	open, most, pauses := g.Proxy().Files()
	e.family("nanogate_files_open", "gauge", "Files that connections have open.")
	e.sample("nanogate_files_open", float64(open))
	e.family("nanogate_files_most", "gauge", "Files that connections may have open.")
	e.sample("nanogate_files_most", float64(most))
	e.family("nanogate_accept_pauses_total", "counter", "How often clients had to wait to be let in, as too many were there.")
	e.sample("nanogate_accept_pauses_total", float64(pauses))
	shakes := &g.Proxy().Shakes
	e.family("nanogate_tls_handshakes_total", "counter", "TLS handshakes of clients; of those that are done some were resumed.")
	done, resumed := shakes.Done.Load(), shakes.Resumed.Load()
	e.sample("nanogate_tls_handshakes_total", float64(done-min(done, resumed)), "result", "full")
	e.sample("nanogate_tls_handshakes_total", float64(resumed), "result", "resumed")
	e.sample("nanogate_tls_handshakes_total", float64(shakes.Failed.Load()), "result", "failed")
	e.family("nanogate_certificate_expiry_seconds", "gauge", "When a certificate that is shown to clients expires, in Unix time.")
	for file, at := range g.Expiries() {
		e.sample("nanogate_certificate_expiry_seconds", float64(at.Unix()), "file", file)
	}
}

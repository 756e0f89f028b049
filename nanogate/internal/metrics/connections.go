//go:build linux

package metrics

// connections writes what there is of files and TLS.
func (r *report) connections() {
	proxy, started := r.g.Proxy(), r.g.Started()
	open, most, pauses := proxy.Files()
	r.family("nanogate_files_open", gauge, "File descriptors that connections use.")
	r.level(float64(open))
	r.family("nanogate_files_most", gauge, "File descriptors that connections may use.")
	r.level(float64(most))
	r.family("nanogate_accept_pauses_total", counter, "Times that accepting connections was paused because there were too many.")
	r.count(float64(pauses), started)
	r.family("nanogate_internal_errors_total", counter, "Internal errors of the gateway, panics included, each of which cost a request or a connection. Please report them.")
	r.count(float64(proxy.Violations.Load()), started)
	shakes := &proxy.Shakes
	r.family("nanogate_tls_handshakes_total", counter, "TLS handshakes of clients, by result: full, resumed or failed.")
	done, resumed := shakes.Done.Load(), shakes.Resumed.Load()
	r.count(float64(done-min(done, resumed)), started, "result", "full")
	r.count(float64(resumed), started, "result", "resumed")
	r.count(float64(shakes.Failed.Load()), started, "result", "failed")
	r.family("nanogate_certificate_expiry_seconds", gauge, "Expiry of a certificate that clients are shown, in seconds since 1970.")
	for file, at := range r.g.Expiries() {
		r.level(float64(at.Unix()), "file", file)
	}
	r.issued()
}

// issued writes how the names are doing that the gateway gets certificates for.
func (r *report) issued() {
	all := r.g.Issued()
	if len(all) == 0 {
		return
	}
	r.family("nanogate_acme_certificate", gauge, "Whether there is a valid certificate by ACME for a name: 1 or 0.")
	for i := range all {
		r.level(truth(!all[i].Expires.IsZero()), "name", all[i].Name)
	}
	r.family("nanogate_acme_orders_total", counter, "Certificates that were ordered by ACME, by result.")
	for i := range all {
		r.count(float64(all[i].Ordered), r.g.Started(), "name", all[i].Name, "result", "issued")
		r.count(float64(all[i].Abandoned), r.g.Started(), "name", all[i].Name, "result", "failed")
	}
}

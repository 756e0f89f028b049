package config

// Listener is an address that clients connect to.
type Listener struct {
	At      At
	Address string // host:port
	TLS     *TLS   // nil: without
	// ReusePort joins other processes of the same user that listen there and share the
	// address too; else that is an error.
	ReusePort bool
	ToHTTPS   *ToHTTPS // where its clients are sent; nil: they are served

	own bool // it says itself whether it has TLS
}

// readListen reads addresses: each a text, or fields.
func (c *Config) readListen(p place) {
	items := []place{p}
	if !p.IsMapping() {
		items = p.list()
	}
	for _, item := range items {
		l := Listener{At: item.At()}
		if !item.IsMapping() {
			l.Address = item.listenAddress()
		} else {
			found := readFields(item, &l, listenFields)
			if _, ok := found["tls"]; l.ToHTTPS != nil && !ok {
				l.own = true // else it would have the file's
			}
			if _, ok := found["address"]; !ok {
				item.Problem("such as {address: 127.0.0.1:8443, tls: true}", "there is no address")
			}
		}
		for _, other := range c.Listen {
			if l.Address != "" && other.Address == l.Address {
				item.Problem("remove one of them", "the address %s is given twice", l.Address)
			}
		}
		c.Listen = append(c.Listen, l)
	}
}

// listenFields are what a listener may hold.
var listenFields = []known[Listener]{
	// Default: required
	{"address", func(l *Listener, p place) { l.Address = p.listenAddress() }},
	// `false`: without TLS; fields: other TLS than the file's. Default: as the file's `tls` says
	{"tls", func(l *Listener, p place) {
		if p.IsMapping() {
			l.own, l.TLS = true, readTLS(p)
			return
		}
		l.own = !p.Boolean() // true: as the file's tls says
		l.At = p.At()
		if !l.own {
			l.TLS = &TLS{} // link puts the file's there
		}
	}},
	// `https` sends [all its clients to https](tls.md#from-http-to-https).
	{"redirect", func(l *Listener, p place) { l.ToHTTPS = readToHTTPS(p) }},
	// Other processes of the same user may listen there too and share the address. Default: `false`
	{"reuse-port", func(l *Listener, p place) { l.ReusePort = p.Boolean() }},
}

// linkListeners gives listeners the file's TLS. Where there is one, an address is
// without only if it says so itself: nobody serves in the clear by oversight.
func (c *Config) linkListeners(in *input) {
	for i := range c.Listen {
		l := &c.Listen[i]
		switch {
		case l.own:
		case c.TLS == nil && l.TLS != nil:
			in.Problems = append(in.Problems, l.At.Problem("add at the top: tls: {certificates: [{cert: ./site.pem, key: ./site-key.pem}]}", "the file says nothing of TLS that could hold here"))
		default:
			l.TLS = c.TLS
		}
	}
}

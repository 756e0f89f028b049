//go:build linux

package gateway

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"syscall"
	"time"

	"dyno.example/nano/wire/handoff"
	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/proxy"
	"dyno.example/nanogate/internal/secure"
)

// listening is an address of the configuration that is listened on.
type listening struct {
	config.Listener
	on     *proxy.Listening
	secure *secure.Server // nil: without TLS
}

// listen opens the addresses of the first configuration. g.mu is held.
func (g *Gateway) listen(c *config.Config) error {
	if problems := g.issuer.Use(c.Listen); len(problems) > 0 {
		return problems
	}
	for _, at := range c.Listen {
		if err := g.open(at); err != nil {
			return err
		}
	}
	return nil
}

// open listens on an address: on the sockets of the process before, if it has given us
// any.
func (g *Gateway) open(c config.Listener) error {
	l := &listening{Listener: c}
	var err error
	if c.TLS != nil {
		if l.secure, err = secure.NewServer(c.TLS, g.issuer, g.log); err != nil {
			return c.TLS.At.Problem("", "%v", err)
		}
		l.bind(g.bound)
	}
	if files := handoff.Claim(c.Address); len(files) > 0 {
		l.on, err = g.proxy.ListenOn(files, l.secure)
		handoff.Served()
	} else {
		l.on, err = g.openSockets(c, l.secure)
	}
	if err != nil {
		l.close()
		return err
	}
	g.listening = append(g.listening, l)
	return nil
}

// openSockets opens an address that others mustn't have, but for what is ours: when the
// file says 127.0.0.1:8080 in place of :8080, the new address is opened before the old one
// is closed, by the same process or by the one that takes over.
func (g *Gateway) openSockets(c config.Listener, greeting *secure.Server) (*proxy.Listening, error) {
	on, err := g.proxy.Listen(c.Address, c.ReusePort, greeting)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return on, err
	}
	ours := handoff.Unclaimed()
	for _, l := range g.listening {
		ours = append(ours, l.on.At.String())
	}
	if slices.ContainsFunc(ours, func(a string) bool { return overlap(a, c.Address) }) {
		return g.proxy.Listen(c.Address, true, greeting)
	}
	return nil, fmt.Errorf("%w: end the process that listens there, or have it taken over by sending that one SIGUSR2; {address: %q, reuse-port: true} shares the address with it", err, c.Address)
}

// overlap reports whether two addresses, host:port, have a connection's address in common.
func overlap(a, b string) bool {
	at, err := net.ResolveTCPAddr("tcp", a)
	other, err2 := net.ResolveTCPAddr("tcp", b)
	if err != nil || err2 != nil || at.Port != other.Port || at.Port == 0 {
		return false
	}
	all := func(ip net.IP) bool { return len(ip) == 0 || ip.IsUnspecified() }
	return all(at.IP) || all(other.IP) || at.IP.Equal(other.IP)
}

// bind has certificates that stand in Kubernetes shown, where the file says so.
func (l *listening) bind(all []secure.Bound) {
	if l.secure != nil && l.TLS.Kubernetes {
		l.secure.Bind(all)
	}
}

func (l *listening) close() {
	if l.on != nil {
		l.on.Close()
	}
	if l.secure != nil {
		l.secure.Close()
	}
}

// relisten listens on the addresses of another configuration. New ones are opened before
// old ones are closed. What can't be opened, or can't speak TLS as it should, is a
// problem, and what was there stays.
func (g *Gateway) relisten(c *config.Config) (problems config.Problems) {
	problems = g.issuer.Use(c.Listen)
	for _, want := range c.Listen {
		i := slices.IndexFunc(g.listening, func(l *listening) bool { return l.Address == want.Address })
		var err error
		if i < 0 {
			err = g.open(want)
		} else {
			err = g.listening[i].become(want, g)
		}
		if err != nil {
			problems = append(problems, want.At.Problem("", "%v", err))
		}
	}
	g.listening = slices.DeleteFunc(g.listening, func(l *listening) bool {
		gone := !slices.ContainsFunc(c.Listen, func(want config.Listener) bool { return want.Address == l.Address })
		if gone {
			g.log.Info("no longer listening", "address", l.on.At.String())
			l.close()
		}
		return gone
	})
	return problems
}

// become makes the TLS of a listener what another configuration says.
func (l *listening) become(c config.Listener, g *Gateway) error {
	if textOf(l.TLS) == textOf(c.TLS) {
		if l.secure != nil {
			l.secure.Look()
		}
		return nil
	}
	var next *secure.Server
	if c.TLS != nil {
		var err error
		if next, err = secure.NewServer(c.TLS, g.issuer, g.log); err != nil {
			return err
		}
	}
	before := l.secure
	l.Listener, l.secure = c, next
	l.bind(g.bound)
	l.on.Greet(next)
	if before != nil {
		before.Succeeded(next)
		before.Close()
	}
	return nil
}

func textOf(t *config.TLS) string {
	if t == nil {
		return ""
	}
	return t.Text
}

// Addresses returns where it listens, with the ports that it got.
func (g *Gateway) Addresses() (all []net.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range g.listening {
		all = append(all, l.on.At)
	}
	return all
}

// Reserve adds an address that the process also listens on, such as the admin address:
// discovered instances may not have it, as they may not have the gateway's own.
func (g *Gateway) Reserve(at net.Addr) {
	g.changing.Lock() // what is being built meanwhile wouldn't be looked at again
	defer g.changing.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.admin = append(g.admin, at)
	g.reserve()
}

// reserve gives upstreams the gateway's own addresses. g.changing and g.mu are held.
func (g *Gateway) reserve() {
	all := slices.Clone(g.admin)
	for _, l := range g.listening {
		all = append(all, l.on.At)
	}
	g.builder.Own(all, g.proxy.Snapshot())
}

// Handover returns the listening sockets, for the process that takes over.
func (g *Gateway) Handover() *handoff.Listeners {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := new(handoff.Listeners)
	for _, l := range g.listening {
		all.Hold(l.Address, l.on.Files)
	}
	return all
}

// Problems says what keeps the gateway from doing what its configuration says.
func (g *Gateway) Problems() (all []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range slices.Concat(g.proxy.Snapshot().Problems, g.unopened) {
		all = append(all, p.String())
	}
	note := func(err error) {
		if err != nil {
			all = append(all, err.Error())
		}
	}
	for _, l := range g.listening {
		if l.secure != nil {
			note(l.secure.Problem())
		}
	}
	for _, err := range g.issuer.Problems() {
		note(err)
	}
	for _, r := range g.proxy.Snapshot().Routes {
		if r.Schema != nil {
			if s := r.Schema.Status(); s.Err != "" {
				note(fmt.Errorf("route %s: grpc-json: %s", r.Name, s.Err))
			}
		}
	}
	for _, u := range g.proxy.Snapshot().Upstreams {
		if u.Secure != nil {
			note(u.Secure.Problem())
		}
	}
	return all
}

// Expiries returns when the certificates that are shown to clients expire, by their
// files.
func (g *Gateway) Expiries() map[string]time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := map[string]time.Time{}
	for _, l := range g.listening {
		if l.secure != nil {
			maps.Copy(all, l.secure.Expiries())
		}
	}
	return all
}

// Issued says how the names are doing that it gets certificates for.
func (g *Gateway) Issued() []acme.State { return g.issuer.States() }

// Package secure is the TLS of the gateway: certificates by name and authorities, out of
// files that may change at any time. The content of a file that can't be used, as it is
// broken or has expired, leaves the previous one in use, and is logged.
package secure

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/config"
)

// lookEvery is how often files are polled. They may be replaced by renaming or by
// writing, and on file systems without notifications: polling works for all.
const lookEvery = 2 * time.Second

// Server is TLS for clients that connect to a listener.
type Server struct {
	rules  *config.TLS
	issuer *acme.Manager // nil: certificates are read from its store, and challenges get no response
	log    *slog.Logger
	clock  func() time.Time
	now    atomic.Pointer[tls.Config]
	stop   context.CancelFunc
	next   atomic.Pointer[Server] // that came in its place
	bare   atomic.Bool            // its address is served without TLS now

	mu      sync.Mutex
	pairs   []*pair // those of files, then those that the issuer gets, one for each name
	files   int     // how many are of files, which have to be there
	bound   []Bound
	clients *authorities
}

// NewServer reads all files of rules; what can't be used is an error. A certificate that
// has expired is served, as there is none better, and logged. What the issuer is to get,
// or [Server.Bind] brings, may be missing. [Server.Close] ends the polling of files.
func NewServer(rules *config.TLS, issuer *acme.Manager, log *slog.Logger) (*Server, error) {
	return newServer(rules, issuer, log, time.Now)
}

func newServer(rules *config.TLS, issuer *acme.Manager, log *slog.Logger, clock func() time.Time) (*Server, error) {
	s := &Server{rules: rules, issuer: issuer, log: log, clock: clock, clients: newAuthorities(rules.ClientCA), files: len(rules.Certificates)}
	for _, c := range rules.Certificates {
		p := newPair(c.Cert, c.Key, clock)
		if p.look(); p.err != nil {
			return nil, p.err
		}
		s.pairs = append(s.pairs, p)
	}
	for _, name := range s.names() {
		file := acme.File(rules.ACME, name)
		p := newPair(file, file, clock)
		p.look()
		s.pairs = append(s.pairs, p)
	}
	if len(s.pairs) == 0 && !rules.Kubernetes {
		return nil, errNoCertificate
	}
	if s.clients.look(); s.clients.err != nil {
		return nil, fmt.Errorf("authorities of clients: %w", s.clients.err)
	}
	s.make()
	for _, p := range s.pairs {
		if p.now == nil {
			continue
		}
		if err := timely(p.now.Leaf, clock()); err != nil {
			log.Error("a certificate is served that clients won't take", "file", p.names[0], "error", err)
		}
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go watch(ctx, s.Look)
	return s, nil
}

// names are those that the issuer gets certificates for.
func (s *Server) names() []string {
	if s.rules.ACME == nil {
		return nil
	}
	return s.rules.ACME.Domains
}

// watch calls look now and then until ctx ends.
func watch(ctx context.Context, look func()) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			look()
		}
	}
}

// Config returns the configuration of the next handshake. It is immutable: one made
// from other files has other keys for session tickets too, so that no client resumes a
// TLS session that another authority has vouched for.
func (s *Server) Config() *tls.Config { return s.now.Load() }

// Look checks the files now.
func (s *Server) Look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := false
	for _, p := range s.pairs {
		if p.look() && (p.err == nil || p.now != nil) { // the issuer reports what isn't there yet
			changed = s.tell(p.err, p.names[0]) || changed
		}
	}
	if s.clients.look() {
		changed = s.tell(s.clients.err, s.rules.ClientCA) || changed
	}
	if changed {
		s.make()
	}
}

// tell logs the state of a file, and reports whether its content is used.
func (s *Server) tell(err error, name string) bool {
	if err != nil {
		s.log.Error("a file of TLS has changed and can't be used: what was there before stays", "file", name, "error", err)
		return false
	}
	s.log.Info("a file of TLS has changed and is used", "file", name)
	return true
}

// make makes the configuration of what there is.
func (s *Server) make() {
	var all []*tls.Certificate
	var awaited []string
	for i, p := range s.pairs {
		if p.now != nil {
			all = append(all, p.now)
		} else {
			awaited = append(awaited, s.names()[i-s.files])
		}
	}
	names := newByName(all, awaited)
	names.bound = newBindings(s.bound)
	c := &tls.Config{
		GetCertificate: names.get, MinVersion: s.rules.MinVersion, NextProtos: Protocols,
		SessionTicketsDisabled: !s.rules.Tickets, ClientCAs: s.clients.now, Time: s.clock,
	}
	if s.rules.ACME != nil {
		c.GetConfigForClient = s.vouch
	}
	switch {
	case s.rules.ClientCA == "":
	case s.rules.Optional:
		c.ClientAuth = tls.VerifyClientCertIfGiven
	default:
		c.ClientAuth = tls.RequireAndVerifyClientCert
	}
	s.now.Store(c)
}

// Protocols are what is spoken over TLS with clients, the best first (RFC 7301).
var Protocols = []string{"h2", "http/1.1"}

// Problem says what is wrong with the files as they are now; nil if nothing is.
func (s *Server) Problem() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	for _, p := range s.pairs {
		if p.now == nil {
			continue // the issuer knows why
		}
		err = errors.Join(err, p.err)
		if late := timely(p.now.Leaf, now); late != nil {
			err = errors.Join(err, fmt.Errorf("certificate %s: %w", p.names[0], late))
		}
	}
	return errors.Join(err, s.boundProblem(now), s.clients.err)
}

// Expiries returns when the certificates that are served expire, by their files or where
// else they stand.
func (s *Server) Expiries() map[string]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]time.Time, len(s.pairs))
	for _, p := range s.pairs {
		if p.now != nil {
			all[p.names[0]] = p.now.Leaf.NotAfter
		}
	}
	for name, c := range s.boundByName() {
		all[name] = c.Leaf.NotAfter
	}
	return all
}

// Succeeded sets the server of the same address from now on; nil: there is no TLS
// there.
func (s *Server) Succeeded(by *Server) {
	s.next.Store(by)
	s.bare.Store(by == nil)
}

// Authorities are those that vouch for clients now, also for earlier connections: of
// the server that has their address now. nil: there are none.
func (s *Server) Authorities() *x509.CertPool {
	for next := s.next.Load(); next != nil; next = s.next.Load() {
		s = next
	}
	if s.bare.Load() {
		return nil
	}
	return s.Config().ClientCAs
}

// Close ends the looking at files. What was made of them stays good.
func (s *Server) Close() { s.stop() }

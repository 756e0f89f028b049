// Package acme gets certificates from an authority (RFC 8555), keeps them in files and
// renews them. Gateways that share the directory of these files share certificates,
// account and challenges: one of them orders, all of them respond to challenges.
//
// What to do is derived from the files and the clock only, once a minute for each name.
// So what a gateway has done before, and when it was restarted, makes no difference. The
// protocol is acmez's; this package decides when to order, how often to try, and where
// things are kept.
package acme

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/config"
)

// Options are what the configuration doesn't say. All have defaults.
type Options struct {
	Log                *slog.Logger
	Now                func() time.Time // the clock that certificates are renewed by
	Every              time.Duration    // how often it is looked whether something is to be done; less than 0: only by [Manager.Step]
	Look               time.Duration    // how often challenges of other gateways are looked for
	Spread             time.Duration    // how long before the authority checks, so that other gateways know
	Poll               time.Duration    // how often an order is polled, unless the authority says when
	RenewalInfoTimeout time.Duration    // how long the authority may take to say when to renew
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	for _, d := range []struct {
		is        *time.Duration
		otherwise time.Duration
	}{{&o.Every, time.Minute}, {&o.Look, time.Second}, {&o.Spread, 2500 * time.Millisecond}, {&o.Poll, time.Second}, {&o.RenewalInfoTimeout, 20 * time.Second}} {
		if *d.is == 0 {
			*d.is = d.otherwise
		}
	}
	return o
}

// Manager gets the certificates of a gateway. A nil Manager gets none.
type Manager struct {
	options Options
	pending atomic.Pointer[challenges] // of all issuers; nil: none

	issuers atomic.Pointer[[]*issuer]

	mu   sync.Mutex     // held while issuers or what they have pending change
	ends sync.WaitGroup // what issuers do
}

// New makes a manager that has nothing to do yet.
func New(o Options) *Manager {
	m := &Manager{options: o.withDefaults()}
	m.issuers.Store(new([]*issuer))
	return m
}

// Use makes it obtain the certificates that the listeners of a configuration present,
// and no others. Issuers whose settings are the same go on. It returns the settings
// that can't be used; the others are.
func (m *Manager) Use(listen []config.Listener) (problems config.Problems) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.all()
	var next []*issuer
	for _, l := range listen {
		if l.TLS == nil || l.TLS.ACME == nil {
			continue
		}
		rules := l.TLS.ACME
		same := func(i *issuer) bool { return i.rules.Same() == rules.Same() }
		if slices.ContainsFunc(next, same) {
			continue
		}
		if at := slices.IndexFunc(before, same); at >= 0 {
			next = append(next, before[at])
			continue
		}
		made, err := newIssuer(m, rules)
		if err != nil {
			problems = append(problems, rules.At.Problem("", "%v", err))
			continue
		}
		next = append(next, made)
	}
	m.issuers.Store(&next)
	for _, i := range before {
		if !slices.Contains(next, i) {
			i.stop()
		}
	}
	for _, i := range next {
		i.start()
	}
	m.publish()
	return problems
}

// all returns the issuers there are.
func (m *Manager) all() []*issuer {
	if m == nil {
		return nil
	}
	return *m.issuers.Load()
}

// Close ends it. Orders under way are given up, and tried again by the process that
// starts next.
func (m *Manager) Close() {
	if m == nil {
		return
	}
	m.Use(nil)
	m.ends.Wait()
}

// publish gives the loops the pending challenges of all issuers. m.mu is held.
func (m *Manager) publish() {
	var all *challenges
	for _, i := range m.all() {
		all = all.with(i.seen.Load())
	}
	m.pending.Store(all)
}

func (m *Manager) changed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.publish()
}

// Path is where an authority requests HTTP-01 challenges (RFC 8555 8.3).
const Path = "/.well-known/acme-challenge/"

// Pending reports whether there are challenges to respond to. It is called for each
// request, and costs one load.
func (m *Manager) Pending() bool { return m != nil && m.pending.Load() != nil }

// KeyAuthorization is the response to an HTTP-01 request for a token.
func (m *Manager) KeyAuthorization(token []byte) (keyAuthorization string, ok bool) {
	if all := m.pending.Load(); all != nil {
		keyAuthorization, ok = all.keyAuthorizations[string(token)]
	}
	return keyAuthorization, ok
}

// Certificate is what an authority is shown that checks a name by TLS-ALPN-01; nil if
// nothing is being checked.
func (m *Manager) Certificate(name string) *tls.Certificate {
	if m == nil {
		return nil
	}
	if all := m.pending.Load(); all != nil {
		return all.certificates[name]
	}
	return nil
}

// State is how one name is doing.
type State struct {
	Name      string
	File      string    // of its certificate
	Expires   time.Time // of the certificate; zero if there is none
	Renews    time.Time // when it will be renewed; zero if there is none
	Failures  int       // in a row
	Next      time.Time // when it is tried again after a failure
	Err       string    // of the last try, if that failed
	Ordered   uint64    // certificates that this gateway has got
	Abandoned uint64    // tries of this gateway that failed
}

// States are those of all names, in the order of the configuration.
func (m *Manager) States() (all []State) {
	for _, i := range m.all() {
		for _, d := range i.domains {
			all = append(all, d.look())
		}
	}
	return all
}

// Missing are the names that have no certificate yet.
func (m *Manager) Missing() (names []string) {
	for _, s := range m.States() {
		if s.Expires.IsZero() {
			names = append(names, s.Name)
		}
	}
	return names
}

// Problems says which names have no certificate, or one that can't be renewed, and why.
func (m *Manager) Problems() (all []error) {
	for _, s := range m.States() {
		switch what := "there is no certificate for " + s.Name + " yet"; {
		case !s.Expires.IsZero() && s.Err == "":
			continue
		case s.Err == "":
			all = append(all, errors.New(what))
		default:
			if !s.Expires.IsZero() {
				what = fmt.Sprintf("the certificate for %s, which expires at %s, can't be renewed", s.Name, s.Expires.UTC().Format(time.RFC3339))
			}
			all = append(all, fmt.Errorf("%s: %s (tried %d times, again at %s)", what, s.Err, s.Failures, s.Next.UTC().Format(time.RFC3339)))
		}
	}
	return all
}

// Step does what is to be done now, and returns when that is done.
func (m *Manager) Step(ctx context.Context) {
	for _, i := range m.all() {
		i.step(ctx)
	}
}

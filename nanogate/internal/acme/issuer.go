package acme

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/config"
)

// issuer is an authority with the names that it gives us certificates for.
type issuer struct {
	rules   *config.ACME
	options Options
	log     *slog.Logger
	store   *store
	account account
	changed func() // called when the pending challenges have changed
	domains []*domain
	seen    atomic.Pointer[challenges] // that are pending in the store; nil: none
	looking sync.Mutex

	begin sync.Once
	ctx   context.Context
	stop  context.CancelFunc // ends it; the manager's ends say when it has
	ends  *sync.WaitGroup    // of the manager
}

// domain is a name that is to have a certificate.
type domain struct {
	keeping sync.Mutex // held while it is seen to; guards advice
	advice  advice     // of the authority, when to renew

	mu    sync.Mutex
	state State
}

func (d *domain) look() State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

func (d *domain) set(change func(*State)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.state)
}

// atOnce is how many names are ordered for at the same time, mostOrder how long an order
// may take.
const (
	atOnce    = 4
	mostOrder = 3 * time.Minute
)

// newIssuer makes an issuer that begins with [issuer.start]. What is in its store is
// known afterwards.
func newIssuer(m *Manager, rules *config.ACME) (*issuer, error) {
	i := &issuer{rules: rules, options: m.options, log: m.options.Log.With("authority", rules.Directory), store: newStore(rules), changed: m.changed, ends: &m.ends}
	if err := i.store.prepare(); err != nil {
		return nil, err
	}
	var err error
	if i.account.client, err = newClient(rules, m.options.Poll); err != nil {
		return nil, err
	}
	i.ctx, i.stop = context.WithCancel(context.Background())
	for _, name := range rules.Domains {
		d := &domain{state: State{Name: name, File: i.store.file(name)}}
		i.know(d, i.held(name))
		i.domains = append(i.domains, d)
	}
	i.lookForChallenges()
	return i, nil
}

func (i *issuer) start() {
	i.begin.Do(func() {
		if i.options.Every > 0 {
			i.ends.Go(func() { i.every(i.options.Every, func() { i.step(i.ctx) }) })
		}
		i.ends.Go(func() {
			i.every(i.options.Look, func() {
				if i.lookForChallenges() {
					i.changed()
				}
			})
		})
	})
}

// every does something now, and then again and again.
func (i *issuer) every(wait time.Duration, do func()) {
	tick := time.NewTicker(wait)
	defer tick.Stop()
	for i.ctx.Err() == nil {
		do()
		select {
		case <-i.ctx.Done():
		case <-tick.C:
		}
	}
}

// step does for each name what is to be done.
func (i *issuer) step(ctx context.Context) {
	var all sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, d := range i.domains {
		places <- struct{}{}
		all.Go(func() {
			i.keep(ctx, d)
			<-places
		})
	}
	all.Wait()
}

// held is the certificate that is in the store; nil if none is that can be used.
func (i *issuer) held(name string) *x509.Certificate {
	leaf, err := i.store.certificate(name)
	if err != nil {
		i.log.Error("a certificate can't be read, and another is ordered", "name", name, "error", err)
	}
	return leaf
}

// know notes which certificate there is.
func (i *issuer) know(d *domain, leaf *x509.Certificate) {
	d.set(func(s *State) {
		s.Expires, s.Renews = time.Time{}, time.Time{}
		if leaf != nil {
			s.Expires, s.Renews = leaf.NotAfter, d.advice.renewal(leaf)
		}
	})
}

// keep sees to it that a name has a certificate. Only the holder of the name's lock
// orders, after another look at the files: another gateway may have ordered it.
func (i *issuer) keep(ctx context.Context, d *domain) {
	d.keeping.Lock()
	defer d.keeping.Unlock()
	name := d.look().Name
	leaf := i.held(name)
	if leaf != nil {
		i.pollRenewalInfo(ctx, d, leaf)
	}
	i.know(d, leaf)
	now := i.options.Now()
	due := func() bool { return leaf == nil || !now.Before(d.advice.renewal(leaf)) }
	tries, err := i.store.tries(name)
	if err != nil {
		i.log.Error("the number of failed orders of a certificate can't be read", "name", name, "error", err)
	}
	i.tried(d, tries)
	if !due() || tries.wait(now) || ctx.Err() != nil {
		return
	}
	unlock, err := i.store.lock(name)
	if errors.Is(err, errLocked) {
		return // another gateway is at it
	}
	if err != nil {
		i.failed(d, tries, err)
		return
	}
	defer unlock()
	leaf = i.held(name)
	if tries, err = i.store.tries(name); err != nil || !due() || tries.wait(now) {
		i.know(d, leaf)
		return
	}
	i.order(ctx, d, leaf, tries)
}

// order gets a certificate. The try is counted before it is made, so that a gateway that
// crashes in each one doesn't use up the authority's rate limit.
func (i *issuer) order(ctx context.Context, d *domain, before *x509.Certificate, t tries) {
	name := d.look().Name
	next := t.another(i.options.Now())
	if err := i.store.count(name, next); err != nil {
		i.failed(d, next, err) // what can't be kept isn't ordered
		return
	}
	most := mostOrder
	if i.rules.DNS != nil {
		most += i.rules.DNS.Wait
	}
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	made, leaf, err := i.obtain(limited, name, before, t.Failures)
	if err == nil {
		err = i.store.save(name, made)
	}
	switch {
	case err == nil:
		i.store.forget(name)
		d.advice = advice{}
		i.know(d, leaf)
		d.set(func(s *State) { s.Ordered++ })
		i.tried(d, tries{})
		i.log.Info("there is a new certificate", "name", name, "expires", leaf.NotAfter)
	case ctx.Err() != nil:
		_ = i.store.count(name, t) // it wasn't the authority's refusal: the next one to start tries at once
	default:
		next.Err = err.Error()
		next.Next = later(next.Next, refusal(err, i.options.Now()))
		if err := i.store.count(name, next); err != nil {
			i.log.Error("a failure can't be noted for other gateways", "name", name, "error", err)
		}
		d.set(func(s *State) { s.Abandoned++ })
		i.failed(d, next, err)
	}
}

// failed records and logs why there is no certificate.
func (i *issuer) failed(d *domain, t tries, err error) {
	if t.Err = err.Error(); t.Next.IsZero() {
		t.Next = i.options.Now().Add(i.options.Every)
	}
	i.tried(d, t)
	s := d.look()
	if s.Expires.IsZero() {
		i.log.Error("no certificate could be got", "name", s.Name, "error", err, "failures", s.Failures, "next", s.Next)
		return
	}
	i.log.Error("a certificate could not be renewed: the one before goes on", "name", s.Name, "expires", s.Expires, "error", err, "failures", s.Failures, "next", s.Next)
}

// tried notes what became of the last tries.
func (i *issuer) tried(d *domain, t tries) {
	d.set(func(s *State) { s.Failures, s.Next, s.Err = t.Failures, t.Next, t.Err })
}

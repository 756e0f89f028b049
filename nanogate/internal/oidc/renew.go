package oidc

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

// A refresh token may be good for one use (RFC 9700 4.14.2), and a browser has several
// requests under way. So there is one renewal of a session at once, and what came of it
// is kept for the requests that still have the old cookies.

// Renewal is the renewal of a session's tokens.
type Renewal struct {
	done    chan struct{}
	session *Session // after done: what came of it
	cookies []string
	err     error
	ended   time.Time
}

type renewalKey [sha256.Size]byte // of the refresh token

// renewals are those that are under way or were lately, in two generations: each is kept
// for one to two times keepRenewals, or until there are too many.
type renewals struct {
	mu         sync.Mutex
	young, old map[renewalKey]*Renewal
	turned     time.Time
}

const (
	keepRenewals = 2 * time.Minute
	mostRenewals = 10_000          // of a generation
	pauseRenewal = 3 * time.Second // after one that failed, as the provider is away
)

// find returns what there is for a key; nil if there is nothing, or it is time to try
// again. mu is locked.
func (all *renewals) find(key renewalKey, now time.Time) *Renewal {
	r := all.young[key]
	if r == nil {
		r = all.old[key]
	}
	switch {
	case r == nil || !r.Done():
	case r.err != nil && !IsRefused(r.err) && now.Sub(r.ended) >= pauseRenewal:
		return nil
	case r.err == nil && !now.Before(r.session.RenewAt()) && keyOf(r.session) == key:
		return nil // the provider lets a refresh token be used again
	}
	return r
}

func keyOf(s *Session) renewalKey { return sha256.Sum256([]byte(s.Refresh)) }

// mostSteps bounds how often a session that is kept was renewed in turn.
const mostSteps = 64

// Renewal returns the renewal of a session that is under way, or was lately; nil if there
// is none. Tokens that came of one may have expired meanwhile: then it is that of the session
// which it has made, and so on. latest is the session that it is of, or that is to be renewed.
func (c *Client) Renewal(s *Session) (latest *Session, r *Renewal) {
	c.renewals.mu.Lock()
	defer c.renewals.mu.Unlock()
	now := c.now()
	for range mostSteps {
		r = c.renewals.find(keyOf(s), now)
		if r == nil || !r.Done() || r.err != nil || now.Before(r.session.Expires) || r.session.Refresh == "" {
			return s, r
		}
		s = r.session
	}
	return s, r
}

// Renew renews a session, or joins a renewal under way, and waits for it until ctx ends:
// then it returns nil, and the renewal goes on, so that its refresh token isn't used up
// for nothing.
func (c *Client) Renew(ctx context.Context, s *Session) *Renewal {
	key, now, all := keyOf(s), c.now(), &c.renewals
	all.mu.Lock()
	r := all.find(key, now)
	if r == nil {
		if len(all.young) >= mostRenewals || now.Sub(all.turned) > keepRenewals {
			all.young, all.old, all.turned = map[renewalKey]*Renewal{}, all.young, now
		}
		r = &Renewal{done: make(chan struct{})}
		all.young[key] = r
		go r.run(context.WithoutCancel(ctx), c, s)
	}
	all.mu.Unlock()
	select {
	case <-r.done:
		return r
	case <-ctx.Done():
		return nil
	}
}

// run requests tokens from the provider, within [providerTimeout].
func (r *Renewal) run(ctx context.Context, c *Client, s *Session) {
	defer close(r.done)
	if r.session, r.err = c.refreshed(ctx, s); r.err == nil {
		r.cookies, r.err = c.seal(r.session)
	}
	r.ended = c.now()
}

// Done reports whether it has come to an end.
func (r *Renewal) Done() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Result is what came of it, after it is done: the session and the values of the
// Set-Cookie fields that hold it.
func (r *Renewal) Result() (s *Session, cookies []string, err error) {
	return r.session, r.cookies, r.err
}

// IsRefused reports whether the provider has said no, and would again.
func IsRefused(err error) bool {
	_, ok := errors.AsType[*RefusedError](err)
	return ok
}

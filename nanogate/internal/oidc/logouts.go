package oidc

import (
	"context"
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"time"
)

// A provider reports which of its sessions have ended (OpenID Connect Back-Channel Logout
// 1.0). Ours are in cookies that we can't take away, so logouts are kept until all sessions
// that they end have expired.

// Logout is the logout of a user, or of one session, at the provider.
type Logout struct {
	Subject Mark
	At      int64 // Unix time by the provider's clock: sessions that began later aren't meant
	Until   int64 // Unix time by ours, when those that are meant are over anyway
}

// Mark is a hash of the provider's id of a user, or of a session.
type Mark [16]byte

// markOf makes the mark of a name of that kind: sub or sid.
func markOf(kind, name string) Mark {
	sum := sha256.Sum256([]byte(kind + "\x00" + name))
	return Mark(sum[:16])
}

// Holder identifies a session's user by what a logout may name.
type Holder struct {
	session Mark // zero: the provider gives sessions no names
	first   Mark // zero: it had no other name at the login
	person  Mark
	began   int64 // Unix time by the provider's clock
}

// LogoutBus shares logouts between the gateways of a fleet. Safe for concurrent use.
type LogoutBus interface {
	// Tell publishes a logout to the others.
	Tell(ctx context.Context, l Logout) error
	// Follow calls heard for each logout there is, and then for each that is published,
	// until it is closed.
	Follow(heard func(Logout))
	Close()
}

// mostLogouts bounds what is kept of one client: some 10 MB.
const mostLogouts = 100_000

// logouts are those of one client, in two generations: when the younger is full it becomes
// the older, and what there was of that is forgotten. Then all sessions that may be
// affected are over, whichever user's: better to log in again than to be admitted after a
// logout.
type logouts struct {
	any   atomic.Bool  // there has been one
	floor atomic.Int64 // Unix time by the provider's clock: sessions that began by then are over

	mu         sync.RWMutex
	young, old map[Mark]Logout
	most       int // of a generation
}

func newLogouts(most int) *logouts {
	return &logouts{young: map[Mark]Logout{}, most: max(1, most/2)}
}

// add notes a logout. Sessions that began after it aren't meant, so that a token that is sent
// again ends nothing more.
func (l *logouts) add(one Logout, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.find(one.Subject); ok {
		one.At, one.Until = max(one.At, known.At), max(one.Until, known.Until)
	}
	if _, ok := l.young[one.Subject]; !ok && len(l.young) >= l.most {
		l.turn(now.Unix())
	}
	l.young[one.Subject] = one
	l.any.Store(true)
}

// turn makes room. Those that are over go first.
func (l *logouts) turn(now int64) {
	for _, all := range []map[Mark]Logout{l.young, l.old} {
		for subject, one := range all {
			if one.Until <= now {
				delete(all, subject)
			}
		}
	}
	if len(l.young) <= l.most/2 {
		return
	}
	for subject, one := range l.old {
		if _, ok := l.young[subject]; !ok {
			l.floor.Store(max(l.floor.Load(), one.At))
		}
	}
	l.young, l.old = map[Mark]Logout{}, l.young
}

// find finds what is known; mu is locked.
func (l *logouts) find(subject Mark) (Logout, bool) {
	one, ok := l.young[subject]
	if !ok {
		one, ok = l.old[subject]
	}
	return one, ok
}

// ended reports whether a session was. It is called for each request.
func (l *logouts) ended(h *Holder) bool {
	if !l.any.Load() {
		return false
	}
	if h.began <= l.floor.Load() {
		return true
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if one, ok := l.find(h.person); ok && h.began <= one.At {
		return true
	}
	for _, session := range [...]Mark{h.session, h.first} {
		if session == (Mark{}) {
			continue
		}
		if one, ok := l.find(session); ok && h.began <= one.At {
			return true
		}
	}
	return false
}

// len is how many are kept.
func (l *logouts) len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.young) + len(l.old)
}
